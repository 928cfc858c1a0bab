//! Anthropic's Messages.

mod failure;
mod reply;
mod request;
mod rounds;

use plait_adapters::providers::ProviderKind;
use serde_json::{Value, json};

const KIND: ProviderKind = ProviderKind::Anthropic;

/// The text of a stream: each of `events` named as it is typed.
fn stream_of(events: &[Value]) -> String {
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("a type"));
    events.iter().map(event).collect()
}

fn begins(usage: &Value) -> Value {
    json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "tiny", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    }})
}

#[allow(clippy::needless_pass_by_value)] // Made where it is given.
fn opens(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

#[allow(clippy::needless_pass_by_value)] // Made where it is given.
fn goes_on(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn closes(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn stops(reason: &str, usage: &Value) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage})
}

fn ends() -> Value {
    json!({"type": "message_stop"})
}

/// Events that say `text` and stop.
fn saying(text: &str, reason: &str) -> Vec<Value> {
    vec![
        begins(&json!({"input_tokens": 3, "output_tokens": 1})),
        opens(0, json!({"type": "text", "text": ""})),
        goes_on(0, json!({"type": "text_delta", "text": text})),
        closes(0),
        stops(reason, &json!({"output_tokens": 5})),
        ends(),
    ]
}
