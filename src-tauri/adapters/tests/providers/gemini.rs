//! Google's Gemini API.

mod failure;
mod reply;
mod request;
mod tool_rounds;

use plait_adapters::providers::ProviderKind;
use serde_json::{Value, json};

const KIND: ProviderKind = ProviderKind::Gemini;

/// An event with these parts of the reply.
#[allow(clippy::needless_pass_by_value)]
fn parts(parts: Value) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "modelVersion": "tiny", "responseId": "r1",
    })
}

/// The last event: parts, finish reason, usage.
fn final_event(parts_of_it: Value, reason: &str, usage: &Value) -> Value {
    let mut event = parts(parts_of_it);
    event["candidates"][0]["finishReason"] = json!(reason);
    event["usageMetadata"] = usage.clone();
    event
}

fn text_events(text: &str, reason: &str) -> Vec<Value> {
    let usage = json!({"promptTokenCount": 3, "candidatesTokenCount": 5, "totalTokenCount": 8});
    vec![parts(json!([{"text": text}])), final_event(json!([{"text": ""}]), reason, &usage)]
}
