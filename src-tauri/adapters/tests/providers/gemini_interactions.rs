//! Google's Interactions API.

mod failure;
mod reply;
mod request;
mod sessions;

use plait_adapters::providers::ProviderKind;
use serde_json::{Value, json};

use crate::server::Answer;

const KIND: ProviderKind = ProviderKind::GeminiInteractions;

/// The text of a stream: each event with its name.
fn stream_of(events: &[Value]) -> String {
    let named = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["event_type"].as_str().expect("a type")));
    named.collect()
}

fn created(id: &str) -> Value {
    json!({"event_type": "interaction.created", "interaction": {"id": id, "status": "in_progress", "object": "interaction"}})
}

fn start(at: u64, step: &Value) -> Value {
    json!({"event_type": "step.start", "index": at, "step": step})
}

fn delta(at: u64, delta: &Value) -> Value {
    json!({"event_type": "step.delta", "index": at, "delta": delta})
}

fn stop(at: u64) -> Value {
    json!({"event_type": "step.stop", "index": at})
}

fn text_delta(at: u64, text: &str) -> Value {
    delta(at, &json!({"type": "text", "text": text}))
}

fn completed(id: &str, status: &str, usage: &Value) -> Value {
    let interaction = json!({"id": id, "object": "interaction", "status": status, "usage": usage});
    json!({"event_type": "interaction.completed", "interaction": interaction})
}

fn text_events(id: &str, text: &str) -> Vec<Value> {
    vec![
        created(id),
        start(0, &json!({"type": "model_output"})),
        text_delta(0, text),
        stop(0),
        completed(id, "completed", &json!(null)),
    ]
}

fn text_answer(id: &str, text: &str) -> Answer {
    Answer::stream(stream_of(&text_events(id, text)))
}
