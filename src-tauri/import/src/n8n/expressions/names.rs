//! What programs may name and call in the sandbox: JavaScript itself, and what the importer binds.

/// What the importer binds.
const BOUND: [&str; 15] = [
    "$",
    "$json",
    "$input",
    "$node",
    "$items",
    "$itemIndex",
    "$runIndex",
    "$if",
    "$ifEmpty",
    "$min",
    "$max",
    "$workflow",
    "$position",
    "$now",
    "$today",
];
/// Names beyond the sandbox, or of libraries that it has not.
const UNREACHABLE: [&str; 12] = [
    "require",
    "import",
    "fetch",
    "process",
    "Duration",
    "Interval",
    "luxon",
    "Buffer",
    "URL",
    "URLSearchParams",
    "window",
    "document",
];
/// Methods of JavaScript and of n8n's items.
const METHODS: &str = " \
    at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match matchAll normalize padEnd padStart \
    repeat replace replaceAll search slice split startsWith substr substring toLowerCase toLocaleLowerCase toUpperCase toLocaleUpperCase \
    toString trim trimStart trimEnd trimLeft trimRight valueOf fromCharCode raw \
    copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach join keys map pop push reduce \
    reduceRight reverse shift some sort splice toReversed toSorted unshift values with isArray from of \
    assign create defineProperty freeze fromEntries getOwnPropertyNames hasOwn hasOwnProperty isPrototypeOf \
    toExponential toFixed toPrecision isFinite isInteger isNaN isSafeInteger parseFloat parseInt \
    abs ceil floor round trunc sign sqrt cbrt pow exp log log2 log10 max min hypot random sin cos tan \
    stringify parse exec test call apply bind get set has delete add clear \
    getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds getMilliseconds getTimezoneOffset \
    getUTCFullYear getUTCMonth getUTCDate getUTCDay getUTCHours getUTCMinutes getUTCSeconds getUTCMilliseconds setDate setMonth \
    setFullYear setHours setMinutes setSeconds setMilliseconds setTime setUTCDate setUTCMonth setUTCFullYear setUTCHours toISOString \
    toJSON toDateString toTimeString toUTCString now UTC then catch finally resolve all race \
    toMillis toSeconds toISO toISODate toJSDate toFormat format plus minus startOf endOf fromISO fromMillis fromSeconds \
    first last itemMatching pairedItem error warn info debug";
/// Methods that `runtime/extensions.js` adds.
const EXTENSIONS: [&str; 42] = [
    "isEmpty",
    "isNotEmpty",
    "toJsonString",
    "hasField",
    "removeField",
    "keys",
    "values",
    "compact",
    "merge",
    "first",
    "last",
    "toInt",
    "toFloat",
    "toNumber",
    "toBoolean",
    "parseJson",
    "toTitleCase",
    "removeTags",
    "isNumeric",
    "isEmail",
    "extractEmail",
    "urlEncode",
    "urlDecode",
    "quote",
    "round",
    "isEven",
    "isOdd",
    "unique",
    "removeDuplicates",
    "sum",
    "average",
    "min",
    "max",
    "pluck",
    "chunk",
    "append",
    "union",
    "intersection",
    "difference",
    "ceil",
    "floor",
    "abs",
];

/// What a program names that the sandbox does not have. A method that does not exist ends a program, but in an expression it would
/// be no value, so `checks_methods` is set for those.
pub(in crate::n8n) fn unreachable_name(source: &str, checks_methods: bool) -> Option<String> {
    let mut found = None;
    visit_names(source, |name, before, is_called| {
        let is_member = before == Some('.');
        let is_unknown = if before == Some('\\') {
            // In a pattern.
            false
        } else if is_member {
            checks_methods && is_called && !is_method(name) && !defines(source, name)
        } else {
            UNREACHABLE.contains(&name)
                || (name.starts_with('$') && !BOUND.contains(&name) && !defines(source, name))
        };
        if is_unknown && found.is_none() {
            found = Some(name.to_owned());
        }
    });
    found
}

/// Whether a program calls a method that n8n adds to values.
pub(in crate::n8n) fn uses_extensions(source: &str) -> bool {
    let mut is_used = false;
    visit_names(source, |name, before, is_called| {
        is_used |= before == Some('.') && is_called && EXTENSIONS.contains(&name);
    });
    is_used
}

fn is_method(name: &str) -> bool {
    METHODS.split_whitespace().any(|known| known == name) || EXTENSIONS.contains(&name)
}

/// Whether a program declares a name itself, as a variable, a function, a parameter or a method.
fn defines(source: &str, name: &str) -> bool {
    ["const ", "let ", "var ", "function ", "class "]
        .iter()
        .any(|word| source.contains(&format!("{word}{name}")))
        || [":", " =", "="].iter().any(|after| source.contains(&format!("{name}{after}")))
}

/// Visits the names in a program outside of texts and comments: each with the letter before it, and whether it is called.
fn visit_names(source: &str, mut visit: impl FnMut(&str, Option<char>, bool)) {
    let is_part = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$');
    let mut before = None;
    let mut at = 0;
    // The braces that are open, in the templates around this place.
    let mut templates: Vec<usize> = Vec::new();
    while let Some(one) = source[at..].chars().next() {
        let rest = &source[at..];
        if rest.starts_with("//") && before != Some(':') {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if matches!(one, '"' | '\'') {
            at += super::quoted_end(rest).unwrap_or(1);
            before = Some(one);
        } else if one == '`' || (one == '}' && templates.last() == Some(&0)) {
            if one == '}' {
                templates.pop();
            }
            let (length, is_open) = template_text(&rest[1..]);
            at += 1 + length;
            if is_open {
                templates.push(0);
            }
            before = Some('`');
        } else if is_part(one) && !one.is_ascii_digit() {
            let end = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
            let is_called = rest[end..].trim_start().trim_start_matches("?.").starts_with('(');
            visit(&rest[..end], before, is_called);
            before = rest[..end].chars().next_back();
            at += end;
        } else {
            if let Some(open) = templates.last_mut() {
                match one {
                    '{' => *open += 1,
                    '}' => *open = open.saturating_sub(1),
                    _ => {}
                }
            }
            if !one.is_whitespace() {
                before = Some(one);
            }
            at += one.len_utf8();
        }
    }
}

/// How long the text of a template is up to its end or to an expression in it, and whether an expression follows.
fn template_text(rest: &str) -> (usize, bool) {
    let mut is_escaped = false;
    for (at, one) in rest.char_indices() {
        match one {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '`' => return (at + 1, false),
            '$' if rest[at + 1..].starts_with('{') => return (at + 2, true),
            _ => {}
        }
    }
    (rest.len(), false)
}
