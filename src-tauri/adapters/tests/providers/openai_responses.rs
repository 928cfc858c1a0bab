//! OpenAI's Responses API.

mod failure;
mod reply;
mod request;
mod sessions;

use plait_adapters::providers::ProviderKind;
use serde_json::{Value, json};

use crate::server::Answer;

const KIND: ProviderKind = ProviderKind::OpenAiResponses;

/// The text of a stream: each event with its name, its type and a sequence number.
fn stream_of(events: &[Value]) -> String {
    let numbered = events.iter().enumerate().map(|(number, event)| {
        let mut event = event.clone();
        event["sequence_number"] = json!(number);
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("a type"))
    });
    numbered.collect()
}

fn completed(id: &str, output: &Value, usage: &Value) -> Value {
    json!({"type": "response.completed", "response": {
        "id": id, "object": "response", "status": "completed", "error": null, "incomplete_details": null,
        "output": output, "usage": usage,
    }})
}

fn delta(at: u64, text: &str) -> Value {
    json!({"type": "response.output_text.delta", "item_id": "msg", "output_index": at, "content_index": 0, "delta": text})
}

fn text_answer(id: &str, text: &str) -> Answer {
    Answer::stream(stream_of(&[delta(0, text), completed(id, &json!([]), &json!(null))]))
}
