//! Anthropic's Messages API.

mod failure;
mod reply;
mod request;
mod tool_rounds;

use plait_adapters::providers::ProviderKind;
use serde_json::{Value, json};

const KIND: ProviderKind = ProviderKind::Anthropic;

/// The text of a stream. Each event is named by its `type`.
fn stream_of(events: &[Value]) -> String {
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("a type"));
    events.iter().map(event).collect()
}

fn message_start(usage: &Value) -> Value {
    json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "tiny", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    }})
}

#[allow(clippy::needless_pass_by_value)]
fn block_start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

#[allow(clippy::needless_pass_by_value)]
fn block_delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn block_stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn message_delta(reason: &str, usage: &Value) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage})
}

fn message_stop() -> Value {
    json!({"type": "message_stop"})
}

fn text_events(text: &str, reason: &str) -> Vec<Value> {
    vec![
        message_start(&json!({"input_tokens": 3, "output_tokens": 1})),
        block_start(0, json!({"type": "text", "text": ""})),
        block_delta(0, json!({"type": "text_delta", "text": text})),
        block_stop(0),
        message_delta(reason, &json!({"output_tokens": 5})),
        message_stop(),
    ]
}
