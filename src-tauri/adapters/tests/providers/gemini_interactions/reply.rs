//! Decoding of replies.

use plait_llm::provider::{Chunk, ModelReply, StopReason};
use serde_json::{Value, json};

use super::{KIND, completed, created, delta, start, stop, stream_of, text_delta};
use crate::protocol_checks::{RecordedStream, full_usage, holds_for_every_protocol};
use crate::requests::tool_call;
use crate::server::{Answer, reply_to};

const TEXT: &str = "Schön 🙂 日本語\n\"x\"";

fn usage(input: &Value, output: &Value, cached: &Value, thoughts: &Value) -> Value {
    json!({
        "total_input_tokens": input, "total_output_tokens": output, "total_cached_tokens": cached,
        "total_thought_tokens": thoughts, "total_tokens": 1,
    })
}

fn function_call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"type": "function_call", "id": id, "name": name, "arguments": arguments})
}

fn summary_delta(text: &str) -> Value {
    delta(0, &json!({"type": "thought_summary", "content": {"type": "text", "text": text}}))
}

fn arguments_delta(at: u64, text: &str) -> Value {
    delta(at, &json!({"type": "arguments_delta", "arguments": text}))
}

/// A complete stream: a signed thought, text beyond ASCII, a search of Google's own, two interleaved calls.
fn recorded_text(usage: &Value) -> String {
    let events = stream_of(&[
        created("int_1"),
        json!({"event_type": "interaction.status_update", "interaction_id": "int_1", "status": "in_progress"}),
        start(0, &json!({"type": "thought"})),
        summary_delta("Größe"),
        summary_delta("…"),
        delta(0, &json!({"type": "thought_signature", "signature": "c2ln"})),
        stop(0),
        start(1, &json!({"type": "google_search_call", "id": "s", "arguments": {}})),
        stop(1),
        start(2, &json!({"type": "model_output"})),
        text_delta(2, "Schön 🙂"),
        delta(2, &json!({"type": "text_annotation", "annotations": []})),
        text_delta(2, " 日本語\n\"x\""),
        stop(2),
        start(3, &function_call("call_a", "size", &json!({}))),
        arguments_delta(3, "{\"x\":"),
        start(4, &function_call("call_b", "tell", &json!({}))),
        arguments_delta(3, "\"ä\"}"),
        stop(3),
        stop(4),
        completed("int_1", "requires_action", usage),
    ]);
    format!("{events}event: done\ndata: [DONE]\n\n")
}

fn thought() -> Value {
    json!({"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "Größe…"}]})
}

fn expected() -> ModelReply {
    ModelReply {
        attachments: Vec::new(),
        text: TEXT.into(),
        reasoning: Some("Größe…".into()),
        tool_calls: vec![
            tool_call("call_a", "size", json!({"x": "ä"})),
            tool_call("call_b", "tell", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        // The thoughts belong to the reply.
        usage: Some(full_usage(12, 34, 8, 20)),
        response_id: Some("int_1".into()),
        provider_state: Some(json!({"geminiInteractions": [thought(), "text", "call", "call"]})),
    }
}

fn default_recording(newline: &str) -> RecordedStream {
    let usage = usage(&json!(12), &json!(14), &json!(8), &json!(20));
    let text = recorded_text(&usage).replace('\n', newline);
    let complete_len = text.find("event: done").expect("a last event");
    RecordedStream {
        kind: KIND,
        answer: Answer::events,
        complete_len,
        bytes: text.into_bytes(),
        reply: expected(),
        chunks: vec![
            Chunk::Reasoning("Größe".into()),
            Chunk::Reasoning("…".into()),
            Chunk::Text("Schön 🙂".into()),
            Chunk::Text(" 日本語\n\"x\"".into()),
        ],
    }
}

holds_for_every_protocol!(default_recording, ["\n", "\r\n", "\r"]);

#[tokio::test]
async fn invalid_usage_is_ignored() {
    let with = |usage: &Value| recorded_text(usage).into_bytes();
    default_recording("\n").check_invalid_usage(|count| with(&usage(count, count, count, count))).await;
    default_recording("\n").check_missing_usage(with).await;
}

async fn decode(events: &[Value]) -> (ModelReply, Vec<Chunk>) {
    reply_to(KIND, Answer::stream(stream_of(events))).await
}

/// Steps in full where they start, only at the end, and in a reply that is not streamed.
#[tokio::test]
async fn whole_steps_are_decoded() {
    let output = json!({"type": "model_output", "content": [{"type": "text", "text": TEXT}]});
    let calls =
        [function_call("call_a", "size", &json!({"x": "ä"})), function_call("call_b", "tell", &json!({}))];
    let steps = json!([thought(), output, calls[0], calls[1]]);
    let usage = usage(&json!(12), &json!(14), &json!(8), &json!(20));
    let whole = json!({
        "id": "int_1", "object": "interaction", "status": "requires_action", "steps": steps, "usage": usage,
    });
    let end = json!({"event_type": "interaction.completed", "interaction": whole});
    let started: Vec<Value> =
        (0..).zip(steps.as_array().expect("steps")).map(|(at, step)| start(at, step)).collect();
    for events in [vec![end.clone()], [started, vec![end]].concat()] {
        assert_eq!(decode(&events).await.0, expected());
    }
    assert_eq!(reply_to(KIND, Answer::json(200, &whole.to_string())).await.0, expected());
}

#[tokio::test]
async fn texts_and_images_of_several_steps_are_one_reply() {
    // The smallest PNG: one pixel.
    let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let output = json!({"type": "model_output"});
    let (reply, chunks) = decode(&[
        start(0, &output),
        text_delta(0, "One"),
        text_delta(0, "."),
        start(1, &output),
        text_delta(1, "Two."),
        delta(1, &json!({"type": "image", "mime_type": "image/png", "data": pixel})),
        completed("r", "completed", &json!(null)),
    ])
    .await;
    assert_eq!(reply.text, "One.\n\nTwo.");
    assert_eq!(chunks, ["One", ".", "\n\nTwo."].map(|text| Chunk::Text(text.into())));
    let names: Vec<_> = reply.attachments.iter().map(|image| image.name.as_str()).collect();
    assert_eq!(names, ["image-1.png"]);
    // Without a call, no thought has to be sent back.
    assert_eq!(reply.provider_state, None);
}

#[tokio::test]
async fn stop_reasons_are_mapped() {
    let output = start(0, &json!({"type": "model_output"}));
    for (status, expected) in [
        ("completed", StopReason::End),
        ("incomplete", StopReason::MaxTokens),
        ("requires_continuation", StopReason::MaxTokens),
        ("cancelled", StopReason::Interrupted),
        ("budget_exceeded", StopReason::Other("budget_exceeded".into())),
    ] {
        let end = completed("r", status, &json!(null));
        let (reply, _) = decode(&[output.clone(), text_delta(0, "x"), end]).await;
        assert_eq!(reply.stop_reason, expected);
    }
}
