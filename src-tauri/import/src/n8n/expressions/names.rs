//! What programs may name and call in the sandbox: JavaScript itself, and what the importer binds.

use super::tokens::{Token, visit_tokens};

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
pub(super) fn unreachable_name(source: &str, checks_methods: bool) -> Option<String> {
    let mut found = None;
    visit_tokens(source, |token| {
        let Token::Name { name, before, is_called } = token else { return };
        let is_member = before == Some('.');
        let is_unknown = if is_member {
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
    visit_tokens(source, |token| {
        if let Token::Name { name, before: Some('.'), is_called: true } = token {
            is_used |= EXTENSIONS.contains(&name);
        }
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
