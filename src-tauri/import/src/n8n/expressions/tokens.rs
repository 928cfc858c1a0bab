//! The tokens of a program in JavaScript that decide what it names and where it ends. Parses no grammar: what else is wrong with a
//! program, the sandbox says when it runs.

/// A part of a program outside of its texts, patterns and comments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'s> {
    /// A name or a word, with the letter before it, and whether it is called.
    Name {
        name: &'s str,
        before: Option<char>,
        is_called: bool,
    },
    Bracket(char),
    /// A text, a template or a comment that does not end.
    Unended,
}

/// Words that a value follows, so that a slash after them begins a pattern.
const BEFORE_VALUES: [&str; 8] = ["return", "typeof", "case", "in", "of", "delete", "void", "throw"];

/// Whether every bracket, text, template and comment of a program ends in it. Only such a program stays what it is where others stand
/// around it.
pub(in crate::n8n) fn is_closed(source: &str) -> bool {
    let mut open = Vec::new();
    let mut is_closed = true;
    visit_tokens(source, |token| match token {
        Token::Bracket(one @ ('(' | '[' | '{')) => open.push(one),
        Token::Bracket(one) => {
            let expected = match one {
                ')' => '(',
                ']' => '[',
                _ => '{',
            };
            is_closed &= open.pop() == Some(expected);
        }
        Token::Unended => is_closed = false,
        Token::Name { .. } => {}
    });
    is_closed && open.is_empty()
}

/// Visits the tokens of a program.
pub(super) fn visit_tokens<'s>(source: &'s str, mut visit: impl FnMut(Token<'s>)) {
    let is_part = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$');
    let mut before = None;
    let mut last_name = "";
    let mut at = 0;
    // The braces that are open, in the templates around this place.
    let mut templates: Vec<usize> = Vec::new();
    while let Some(one) = source[at..].chars().next() {
        let rest = &source[at..];
        let follows_name = before.is_some_and(is_part);
        if rest.starts_with("//") && before != Some(':') {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/");
            if end.is_none() {
                visit(Token::Unended);
            }
            at += end.map_or(rest.len(), |end| end + 4);
        } else if let ('/', true, Some(length)) =
            (one, begins_pattern(before, follows_name.then_some(last_name)), pattern_length(rest))
        {
            at += length;
            before = Some('/');
        } else if matches!(one, '"' | '\'') {
            let end = super::quoted_end(rest);
            if end.is_none() {
                visit(Token::Unended);
            }
            at += end.unwrap_or(1);
            before = Some(one);
        } else if one == '`' || (one == '}' && templates.last() == Some(&0)) {
            if one == '}' {
                templates.pop();
            }
            let (length, is_open) = template_text(&rest[1..]).unwrap_or_else(|| {
                visit(Token::Unended);
                (rest.len() - 1, false)
            });
            at += 1 + length;
            if is_open {
                templates.push(0);
            }
            before = Some(if is_open { '{' } else { '`' });
        } else if is_part(one) && !one.is_ascii_digit() {
            let end = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
            let is_called = rest[end..].trim_start().trim_start_matches("?.").starts_with('(');
            last_name = &rest[..end];
            visit(Token::Name { name: last_name, before, is_called });
            before = last_name.chars().next_back();
            at += end;
        } else {
            if let Some(open) = templates.last_mut() {
                match one {
                    '{' => *open += 1,
                    '}' => *open = open.saturating_sub(1),
                    _ => {}
                }
            }
            if matches!(one, '(' | ')' | '[' | ']' | '{' | '}') {
                visit(Token::Bracket(one));
            }
            if one.is_ascii_digit() {
                last_name = "";
            }
            if !one.is_whitespace() {
                before = Some(one);
            }
            at += one.len_utf8();
        }
    }
    if !templates.is_empty() {
        visit(Token::Unended);
    }
}

/// Whether a slash begins a pattern: after an operator or a word that a value follows. After a value, it divides.
fn begins_pattern(before: Option<char>, name: Option<&str>) -> bool {
    match (before, name) {
        (None, _) => true,
        (Some(_), Some(name)) => BEFORE_VALUES.contains(&name),
        (Some(before), None) => {
            !matches!(before, ')' | ']' | '}' | '"' | '\'' | '`' | '/') && !before.is_alphanumeric()
        }
    }
}

/// How long a pattern is up to its closing slash. None if its line has none.
fn pattern_length(rest: &str) -> Option<usize> {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, one) in rest.char_indices().skip(1) {
        match one {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// How long the text of a template is up to its end or to an expression in it, and whether an expression follows. None if it does not
/// end.
fn template_text(rest: &str) -> Option<(usize, bool)> {
    let mut is_escaped = false;
    for (at, one) in rest.char_indices() {
        match one {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '`' => return Some((at + 1, false)),
            '$' if rest[at + 1..].starts_with('{') => return Some((at + 2, true)),
            _ => {}
        }
    }
    None
}
