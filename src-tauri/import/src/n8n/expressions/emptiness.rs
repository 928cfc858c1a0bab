//! The methods `isEmpty` and `isNotEmpty`, which n8n also has for what is undefined or null. Written as functions, they are called
//! there, too.

/// A program with calls of functions in place of these methods.
pub(in crate::n8n) fn with_emptiness_as_functions(source: &str) -> String {
    let mut written = source.to_owned();
    for (method, function) in [("isNotEmpty", "!isNothing"), ("isEmpty", "isNothing")] {
        let mut from = 0;
        while let Some((start, dot, end)) = find_call(&written, method, from) {
            let call = format!("({function}({}))", &written[start..dot]);
            from = start + call.len();
            written.replace_range(start..end, &call);
        }
    }
    written
}

/// The next call of a method without arguments: where its value begins, where it ends, and where the call ends.
fn find_call(source: &str, method: &str, from: usize) -> Option<(usize, usize, usize)> {
    let found = source.get(from..)?.match_indices(method).map(|(at, _)| from + at);
    for at in found {
        let before = source[..at].trim_end();
        let Some(value) = before.strip_suffix("?.").or_else(|| before.strip_suffix('.')) else { continue };
        let rest = source[at + method.len()..].trim_start();
        let Some(inside) = rest.strip_prefix('(') else { continue };
        let Some(after) = inside.trim_start().strip_prefix(')') else { continue };
        if let Some(start) = value_start(value) {
            return Some((start, value.trim_end().len(), source.len() - after.len()));
        }
    }
    None
}

/// Where the value begins that a text ends with: names, calls, indexes and texts, joined by dots.
fn value_start(text: &str) -> Option<usize> {
    let mut rest = text.trim_end();
    loop {
        let last = rest.chars().next_back()?;
        let mut may_go_on = true;
        if matches!(last, ')' | ']') {
            rest = before_bracket(rest)?;
        } else if matches!(last, '"' | '\'' | '`') {
            rest = &rest[..rest[..rest.len() - 1].rfind(last)?];
            may_go_on = false;
        } else {
            let name = rest.trim_end_matches(|one: char| one.is_alphanumeric() || matches!(one, '_' | '$'));
            if name.len() == rest.len() {
                return None;
            }
            rest = name;
            may_go_on = false;
        }
        let before = rest.trim_end();
        if let Some(value) = before.strip_suffix("?.").or_else(|| before.strip_suffix('.')) {
            rest = value.trim_end();
        } else if !(may_go_on
            && before.ends_with(|one: char| one.is_alphanumeric() || matches!(one, '_' | '$' | ')' | ']')))
        {
            return Some(rest.len());
        }
    }
}

/// What stands before the bracket that a text ends with.
fn before_bracket(text: &str) -> Option<&str> {
    let (mut depth, mut quote) = (0usize, None);
    for (at, one) in text.char_indices().rev() {
        match (quote, one) {
            (Some(open), one) if one == open => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(one),
            (None, ')' | ']' | '}') => depth += 1,
            (None, '(' | '[' | '{') => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[..at]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
