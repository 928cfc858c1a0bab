//! From the answer of a server to the value of a tool.

use plait_core::error::Fault;
use plait_core::exact_json;
use plait_llm::http_tool::HttpBinding;
use reqwest::header::RETRY_AFTER;
use serde_json::{Map, Value, json};

use crate::codes;
use crate::net::{GuardedResponse, shorten};

/// How much of an answer with an error status a fault repeats, in characters.
const MAX_EXCERPT_CHARS: usize = 2_000;
/// The longest delay that a server may ask for before a retry.
const MAX_RETRY_AFTER_SECONDS: u64 = 600;

/// The value of an answer. Faults `tool.http_status`, `tool.not_text`, `tool.too_deep`.
pub(super) fn to_value(binding: &HttpBinding, response: &GuardedResponse) -> Result<Value, Fault> {
    if !binding.accept_any_status {
        check_status(response)?;
    }
    let body = body(response)?;
    if !binding.full_response {
        return Ok(body);
    }
    let mut headers = Map::new();
    for (name, value) in &response.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        // Several values of one header stand in one line.
        match headers.get_mut(name.as_str()) {
            Some(Value::String(line)) => *line = format!("{line}, {value}"),
            _ => drop(headers.insert(name.as_str().to_owned(), Value::String(value))),
        }
    }
    Ok(json!({ "status": response.status.as_u16(), "headers": headers, "body": body }))
}

/// JSON as a value, other text as it is, null without a body.
fn body(response: &GuardedResponse) -> Result<Value, Fault> {
    if response.body.is_empty() {
        return Ok(Value::Null);
    }
    let text = decode_text(response)?;
    let media_type = response.media_type();
    let says_json = media_type == "application/json" || media_type.ends_with("+json");
    let may_be_json = says_json || media_type.is_empty() || media_type == "text/plain";
    if may_be_json && text.trim_start().starts_with(['{', '[', '"']) || says_json {
        // What calls itself JSON and is none is text.
        if let Ok(value) = exact_json::parse(&text) {
            return Ok(value);
        }
    }
    Ok(Value::String(text))
}

/// Fault `tool.http_status` if the status says "error".
pub(in crate::tools) fn check_status(response: &GuardedResponse) -> Result<(), Fault> {
    let status = response.status;
    if !status.is_client_error() && !status.is_server_error() {
        return Ok(());
    }
    let excerpt: String = String::from_utf8_lossy(&response.body).chars().take(MAX_EXCERPT_CHARS).collect();
    let reason = status.canonical_reason().map(|reason| format!(" {reason}")).unwrap_or_default();
    let message = format!("{} answered with the status {}{reason}.", shorten(&response.url), status.as_u16());
    let mut fault = Fault::new(codes::TOOL_HTTP_STATUS, message)
        .details(json!({ "status": status.as_u16(), "body": excerpt }));
    fault.retryable = matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504);
    let seconds =
        response.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    fault.retry_after_ms =
        seconds.filter(|_| fault.retryable).map(|seconds| seconds.min(MAX_RETRY_AFTER_SECONDS) * 1_000);
    Err(fault)
}

/// The body as text. Invalid bytes of another encoding are replaced; fault `tool.not_text` for images and the like.
pub(in crate::tools) fn decode_text(response: &GuardedResponse) -> Result<String, Fault> {
    let media_type = response.media_type();
    let is_binary_type =
        ["image/", "audio/", "video/", "font/"].iter().any(|kind| media_type.starts_with(kind))
            && media_type != "image/svg+xml";
    let is_binary_type = is_binary_type
        || matches!(
            media_type.as_str(),
            "application/pdf" | "application/zip" | "application/octet-stream" | "application/gzip"
        );
    if is_binary_type || response.body.contains(&0) {
        let message = format!("{} sent no text but `{media_type}`.", shorten(&response.url));
        return Err(Fault::new(codes::TOOL_NOT_TEXT, message).hint("Request a text or a web page."));
    }
    Ok(String::from_utf8_lossy(&response.body).into_owned())
}
