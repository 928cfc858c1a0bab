//! n8n's expressions: texts that begin with `=` and hold JavaScript between `{{` and `}}`. Understands references to values of
//! nodes; everything else that JavaScript can say stays what it is: text that the report names.

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Reference(Reference),
    /// An expression that is more than a reference.
    Unknown(String),
}

/// A value of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    /// The node's name; none of the item that a node works on.
    pub(super) node: Option<String>,
    /// The fields of its JSON that lead to the value.
    pub(super) path: Vec<String>,
    /// A function of templates that is applied to it.
    pub(super) helper: Option<&'static str>,
}

/// Splits a parameter into its parts. One that does not begin with `=` is plain text.
pub(super) fn parse(parameter: &str) -> Vec<Part> {
    let Some(mut rest) = parameter.strip_prefix('=') else { return vec![Part::Text(parameter.to_owned())] };
    let mut parts = Vec::new();
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start + 2..].find("}}") else { break };
        if start > 0 {
            parts.push(Part::Text(rest[..start].to_owned()));
        }
        let inner = &rest[start + 2..start + 2 + length];
        parts.push(parse_expression(inner));
        rest = &rest[start + 2 + length + 2..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    parts
}

fn parse_expression(source: &str) -> Part {
    let trimmed = source.trim();
    if let Some(text) = string_literal(trimmed) {
        return Part::Text(text);
    }
    if trimmed.parse::<f64>().is_ok() || matches!(trimmed, "true" | "false") {
        return Part::Text(trimmed.to_owned());
    }
    reference(trimmed).map_or_else(|| Part::Unknown(trimmed.to_owned()), Part::Reference)
}

/// A reference to a value, if the expression is nothing else.
pub(super) fn reference(source: &str) -> Option<Reference> {
    let source = source.trim().trim_end_matches(';').trim();
    if let Some(inner) = source.strip_prefix("JSON.stringify(").and_then(|rest| rest.strip_suffix(')')) {
        let inner = inner.split(',').next().unwrap_or(inner);
        return Some(Reference { helper: Some("json"), ..reference(inner)? });
    }
    let (node, rest) = subject(source)?;
    let (path, rest) = path(rest)?;
    // What JavaScript gives to texts and lists is no field.
    if path.last().is_some_and(|step| step == "length") {
        return None;
    }
    let helper = match rest.trim() {
        "" | ".toString()" => None,
        ".toJsonString()" => Some("json"),
        ".trim()" => Some("trim"),
        ".toLowerCase()" => Some("lower"),
        ".toUpperCase()" => Some("upper"),
        _ => return None,
    };
    Some(Reference { node, path, helper })
}

/// What a reference begins with, and the rest, which is a path in the item's JSON.
fn subject(source: &str) -> Option<(Option<String>, &str)> {
    for start in ["$json", "$input.item.json", "$input.first().json", "$input.last().json", "item.json"] {
        if let Some(rest) = source.strip_prefix(start) {
            return Some((None, rest));
        }
    }
    if let Some(rest) = source.strip_prefix("$input.all()") {
        return Some((None, item(rest)?));
    }
    if let Some(rest) = source.strip_prefix("$node.") {
        let end = rest.find(['.', '['])?;
        return Some((Some(rest[..end].to_owned()), json_of(&rest[end..])?));
    }
    let (rest, close) = if let Some(rest) = source.strip_prefix("$(") {
        (rest, ')')
    } else if let Some(rest) = source.strip_prefix("$node[") {
        (rest, ']')
    } else if let Some(rest) = source.strip_prefix("$items(") {
        (rest, ')')
    } else {
        return None;
    };
    let end = quoted_end(rest)?;
    let name = string_literal(&rest[..end])?;
    let rest = rest[end..].trim_start();
    // `$items("name", 0)` has the output beside the name.
    let rest = &rest[rest.find(close)? + 1..];
    Some((Some(name), json_of(rest)?))
}

/// What follows the item of a node: `.item.json`, `.first().json`, `[0].json`, `.json`.
fn json_of(rest: &str) -> Option<&str> {
    for start in [".item", ".first()", ".last()", ".all()", ".itemMatching(0)", ""] {
        if let Some(rest) = rest.strip_prefix(start)
            && let Some(rest) = item(rest)
        {
            return Some(rest);
        }
    }
    None
}

/// The JSON of an item, with or without its index.
fn item(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('[') {
        let end = inner.find(']')?;
        inner[..end].trim().parse::<u32>().ok()?;
        return inner[end + 1..].strip_prefix(".json");
    }
    rest.strip_prefix(".json").or_else(|| rest.strip_prefix(".data"))
}

/// Reads `.a`, `?.a`, `['a b']` and `[0]` as far as they go, but for calls of methods.
fn path(mut rest: &str) -> Option<(Vec<String>, &str)> {
    let mut path = Vec::new();
    loop {
        let trimmed = rest.strip_prefix("?.").or_else(|| rest.strip_prefix('.'));
        if let Some(name) = trimmed.filter(|name| !name.starts_with('[')) {
            let end = name
                .find(|one: char| !one.is_alphanumeric() && !matches!(one, '_' | '$'))
                .unwrap_or(name.len());
            if end == 0 {
                return None;
            }
            if name[end..].starts_with('(') {
                return Some((path, rest));
            }
            path.push(name[..end].to_owned());
            rest = &name[end..];
            continue;
        }
        let Some(inner) = trimmed.unwrap_or(rest).strip_prefix('[') else { return Some((path, rest)) };
        let inner = inner.trim_start();
        if inner.starts_with(['"', '\'', '`']) {
            let end = quoted_end(inner)?;
            path.push(string_literal(&inner[..end])?);
            rest = inner[end..].trim_start().strip_prefix(']')?;
        } else {
            let end = inner.find(']')?;
            let index = inner[..end].trim();
            index.parse::<u32>().ok()?;
            path.push(index.to_owned());
            rest = &inner[end + 1..];
        }
    }
}

/// Where a quoted text that something begins with ends.
fn quoted_end(text: &str) -> Option<usize> {
    let text_start = text.len() - text.trim_start().len();
    let quote = text[text_start..].chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let mut escaped = false;
    for (at, one) in text[text_start + 1..].char_indices() {
        match one {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if one == quote => return Some(text_start + 1 + at + one.len_utf8()),
            _ => {}
        }
    }
    None
}

/// The text of a quoted literal, if it is nothing else.
fn string_literal(source: &str) -> Option<String> {
    let source = source.trim();
    (quoted_end(source)? == source.len()).then_some(())?;
    let inner = &source[1..source.len() - 1];
    if source.starts_with('`') && inner.contains("${") {
        return None;
    }
    let mut text = String::new();
    let mut escaped = false;
    for one in inner.chars() {
        if one == '\\' && !escaped {
            escaped = true;
            continue;
        }
        text.push(match one {
            'n' if escaped => '\n',
            't' if escaped => '\t',
            one => one,
        });
        escaped = false;
    }
    Some(text)
}

/// The name in `$fromAI('name', …)`, with which an agent chooses a parameter of a tool.
pub(super) fn from_ai(expression: &str) -> Option<(String, Option<String>)> {
    let rest = &expression[expression.find("$fromAI(")? + "$fromAI(".len()..];
    let end = quoted_end(rest)?;
    let name = string_literal(&rest[..end])?;
    let rest = rest[end..].trim_start().strip_prefix(',').map(str::trim_start).unwrap_or_default();
    let description = quoted_end(rest).and_then(|end| string_literal(&rest[..end]));
    Some((name, description.filter(|text| !text.is_empty())))
}

#[cfg(test)]
mod tests;
