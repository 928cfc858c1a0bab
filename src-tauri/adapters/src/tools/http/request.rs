//! From a binding and arguments to a request. An argument can fill its place and nothing around it: values in URLs are
//! escaped, headers have no line breaks, and bodies are built as JSON, not as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_llm::http_tool::placeholder::{Part, first_segment, lookup, parse, whole};
use plait_llm::http_tool::{ContextPlacement, HttpBinding, url_problem};
use plait_llm::tool::{TOOL_CONTEXT_KEY, ToolContext};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use url::Url;

use super::render::render_text;
use super::secrets;
use crate::codes;
use crate::net::GuardedRequest;
use crate::tools::bad_arguments::bad_arguments;

/// The largest response, in bytes, far above what a model or a journal can use.
const MAX_RESPONSE_BYTES: usize = 4 << 20;
/// The longest URL that is sent, in bytes.
const MAX_URL_BYTES: usize = 16_000;
/// The header of the tool context, and its largest value in bytes: servers refuse larger ones.
const CONTEXT_HEADER: &str = "x-plait-context";
const MAX_CONTEXT_HEADER_BYTES: usize = 6_000;

/// Builds the request of a call, without its secrets. Faults `tool.bad_arguments`, `tool.bad_url`.
pub(super) fn build(
    binding: &HttpBinding,
    tool: &str,
    arguments: &Value,
    context: &ToolContext,
) -> Result<GuardedRequest, Fault> {
    if let Some((_, problem)) = binding.problems().into_iter().next() {
        return Err(Fault::new(codes::TOOLS_BAD_DECLARATION, format!("The tool `{tool}`: {problem}")));
    }
    let named = binding.placeholders();
    let placed: BTreeSet<&str> = named.iter().map(|name| first_segment(name)).collect();
    let fields = arguments.as_object().into_iter().flatten();
    let unplaced: Vec<(&String, &Value)> =
        fields.filter(|(name, value)| !placed.contains(name.as_str()) && !value.is_null()).collect();
    let method = Method::from_bytes(binding.method.as_str().as_bytes()).unwrap_or(Method::GET);
    let body = body(binding, arguments, context, &unplaced);
    let query_arguments = if binding.method.has_body() { &[][..] } else { unplaced.as_slice() };
    let url = url(binding, tool, arguments, query_arguments)?;
    let mut headers = headers(binding, tool, arguments)?;
    if body.is_some() && !headers.contains_key(CONTENT_TYPE) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    if binding.context == ContextPlacement::Header {
        headers.insert(HeaderName::from_static(CONTEXT_HEADER), context_header(context));
    }
    Ok(GuardedRequest { method, url, headers, body, max_bytes: MAX_RESPONSE_BYTES, truncate: false })
}

/// The JSON body: the declared one with its placeholders filled, or the arguments that stand nowhere else. A node's request has
/// none unless the node says so.
fn body(
    binding: &HttpBinding,
    arguments: &Value,
    context: &ToolContext,
    unplaced: &[(&String, &Value)],
) -> Option<Vec<u8>> {
    let mut body = if !binding.body.is_null() {
        fill(&binding.body, arguments).unwrap_or(Value::Null)
    } else if binding.method.has_body() && !(binding.full_response && unplaced.is_empty()) {
        let fields = unplaced.iter().map(|&(name, value)| (name.clone(), value.clone()));
        Value::Object(fields.collect::<Map<_, _>>())
    } else {
        return None;
    };
    // Only the flow says whether the server sees the conversation: a model can't put something else there.
    if let Value::Object(fields) = &mut body {
        fields.remove(TOOL_CONTEXT_KEY);
        if binding.context == ContextPlacement::Body {
            fields.insert(TOOL_CONTEXT_KEY.to_owned(), json!(context));
        }
    }
    // Serializing a value never fails.
    Some(serde_json::to_vec(&body).unwrap_or_default())
}

/// A value with its placeholders filled. None for a text that is one placeholder without an argument; such fields and
/// items are left out.
fn fill(value: &Value, arguments: &Value) -> Option<Value> {
    // The nesting of a config is limited when it is read.
    match value {
        Value::String(text) => match whole(text) {
            Some(name) => lookup(arguments, name).cloned(),
            None => Some(Value::String(render_text(text, arguments))),
        },
        Value::Array(items) => Some(items.iter().filter_map(|item| fill(item, arguments)).collect()),
        Value::Object(fields) => {
            let fields =
                fields.iter().filter_map(|(name, value)| Some((name.clone(), fill(value, arguments)?)));
            Some(Value::Object(fields.collect()))
        }
        other => Some(other.clone()),
    }
}

fn url(
    binding: &HttpBinding,
    tool: &str,
    arguments: &Value,
    query_arguments: &[(&String, &Value)],
) -> Result<Url, Fault> {
    if let Some(problem) = url_problem(&binding.url) {
        return Err(Fault::new(codes::TOOL_BAD_URL, problem));
    }
    let mut text = String::with_capacity(binding.url.len());
    for part in parse(&binding.url) {
        match part {
            Part::Text(literal) => text.push_str(literal),
            Part::Placeholder(name) => {
                let value = lookup(arguments, name).map(as_text).unwrap_or_default();
                if value.is_empty() && !text.contains('?') {
                    let problem = format!("`{name}` is empty, but it is a part of the URL's path");
                    return Err(bad_arguments(tool, &[problem]));
                }
                escape_into(&mut text, &value);
            }
        }
    }
    check_segments(tool, &text)?;
    let mut url = Url::parse(&text).map_err(|error| {
        Fault::new(codes::TOOL_BAD_URL, format!("The URL of the tool `{tool}`: {error}."))
    })?;
    let declared: Vec<(String, String)> =
        binding.query.iter().flat_map(|(name, text)| query_pairs(name, text, arguments)).collect();
    let added = query_arguments.iter().flat_map(|&(name, value)| value_pairs(name, value));
    let pairs: Vec<(String, String)> = declared.into_iter().chain(added).collect();
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(bad_arguments(tool, &[format!("the URL would be longer than {MAX_URL_BYTES} bytes")]));
    }
    Ok(url)
}

/// Refuses paths that an argument would turn into others: `.` and `..` are not data in a URL, however they are written.
fn check_segments(tool: &str, url: &str) -> Result<(), Fault> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let is_dots = |segment: &str| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    };
    if path.split('/').skip(1).any(is_dots) {
        return Err(bad_arguments(tool, &["`.` and `..` can't be parts of the URL's path".to_owned()]));
    }
    Ok(())
}

/// Appends a value with everything escaped that has a meaning anywhere in a URL.
fn escape_into(url: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            url.push(byte.into());
        } else {
            // Writing to a string never fails.
            let _ = write!(url, "%{byte:02X}");
        }
    }
}

/// The pairs of a declared parameter. None if it is one placeholder without an argument.
fn query_pairs(name: &str, text: &str, arguments: &Value) -> Vec<(String, String)> {
    match whole(text) {
        Some(argument) => {
            lookup(arguments, argument).map(|value| value_pairs(name, value)).unwrap_or_default()
        }
        None => vec![(name.to_owned(), render_text(text, arguments))],
    }
}

/// A list as one pair for each item, anything else as one.
fn value_pairs(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Array(items) => items.iter().map(|item| (name.to_owned(), as_text(item))).collect(),
        value => vec![(name.to_owned(), as_text(value))],
    }
}

/// The declared headers that have no secret. A header that is one placeholder without an argument is left out.
fn headers(binding: &HttpBinding, tool: &str, arguments: &Value) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    for (name, text) in binding.headers.iter().filter(|(_, text)| !secrets::has_reference(text)) {
        if whole(text).is_some_and(|argument| lookup(arguments, argument).is_none()) {
            continue;
        }
        let value = HeaderValue::from_str(&render_text(text, arguments))
            .map_err(|_| bad_arguments(tool, &[format!("the header `{name}` can't hold line breaks")]))?;
        let name = HeaderName::try_from(name.as_str())
            .map_err(|_| Fault::new(codes::TOOLS_BAD_DECLARATION, format!("`{name}` is not a header.")))?;
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The tool context as JSON in ASCII. The oldest turns are left out if there is no room for them.
fn context_header(context: &ToolContext) -> HeaderValue {
    let mut context = context.clone();
    loop {
        let text = ascii_json(&json!(context));
        if text.len() <= MAX_CONTEXT_HEADER_BYTES {
            // ASCII without control characters is always valid.
            return HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("{}"));
        }
        if context.recent_turns.is_empty() {
            context.workflow_summary = None;
        } else {
            context.recent_turns.remove(0);
        }
    }
}

/// JSON with escapes for all letters outside of ASCII.
fn ascii_json(value: &Value) -> String {
    let json = value.to_string();
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_ascii() && !letter.is_ascii_control() {
            text.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}
