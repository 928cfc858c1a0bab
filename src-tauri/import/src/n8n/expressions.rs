//! n8n's expressions: texts that begin with `=` and hold JavaScript between `{{` and `}}`. Splits them, and looks for what they read and
//! call. Evaluates nothing: programs in the flow do.

mod emptiness;
mod names;
mod reads;
mod tokens;

pub(super) use emptiness::with_emptiness_as_functions;
use names::unreachable_name;
pub(super) use names::uses_extensions;
pub(super) use tokens::is_closed;

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// An expression in JavaScript.
    Expression(String),
}

/// A field of an item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    /// The node's name; none of the item that a node works on.
    pub(super) node: Option<String>,
    /// The fields of its JSON that lead to the value.
    pub(super) path: Vec<String>,
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
        let inner = rest[start + 2..start + 2 + length].trim().trim_end_matches(';').trim();
        parts.push(Part::Expression(inner.to_owned()));
        rest = &rest[start + 2 + length + 2..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    parts
}

/// A reference to a field, if the expression is nothing else.
pub(super) fn reference(source: &str) -> Option<Reference> {
    let (node, rest) = subject(source.trim())?;
    let (path, rest) = path(rest)?;
    // What JavaScript gives to texts and lists is no field.
    let is_field = path.last().is_none_or(|step| step != "length");
    (is_field && rest.trim().is_empty()).then_some(Reference { node, path })
}

/// What a program reads that the flow has not: a name beyond the sandbox, or more of a node than its items.
pub(super) fn unreachable(source: &str, checks_methods: bool) -> Option<String> {
    unreachable_name(source, checks_methods).or_else(|| reads::unreachable_read(source))
}

/// The nodes that a program reads by their names.
pub(super) fn node_names(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for start in ["$(", "$node[", "$items("] {
        for (at, _) in source.match_indices(start) {
            let rest = &source[at + start.len()..];
            names.extend(quoted_end(rest).and_then(|end| string_literal(&rest[..end])));
        }
    }
    for (at, _) in source.match_indices("$node.") {
        let name: String = source[at + "$node.".len()..]
            .chars()
            .take_while(|one| one.is_alphanumeric() || *one == '_')
            .collect();
        names.push(name);
    }
    names.sort();
    names.dedup();
    names
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
