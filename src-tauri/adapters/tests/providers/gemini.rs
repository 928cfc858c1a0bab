//! Google's Gemini.

mod failure;
mod reply;
mod request;
mod rounds;

use plait_adapters::providers::ProviderKind;
use serde_json::{Value, json};

const KIND: ProviderKind = ProviderKind::Gemini;

/// An event with these parts of the reply.
#[allow(clippy::needless_pass_by_value)] // Made where it is given.
fn parts(parts: Value) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "modelVersion": "tiny", "responseId": "r1",
    })
}

/// The last event: these parts, why it finished, and what it used.
fn last(parts_of_it: Value, reason: &str, usage: &Value) -> Value {
    let mut event = parts(parts_of_it);
    event["candidates"][0]["finishReason"] = json!(reason);
    event["usageMetadata"] = usage.clone();
    event
}

/// Events that say `text` and finish.
fn saying(text: &str, reason: &str) -> Vec<Value> {
    let usage = json!({"promptTokenCount": 3, "candidatesTokenCount": 5, "totalTokenCount": 8});
    vec![parts(json!([{"text": text}])), last(json!([{"text": ""}]), reason, &usage)]
}
