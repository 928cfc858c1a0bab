//! Decoding of replies, also of servers that omit events.

use plait_llm::provider::{Chunk, ModelReply, StopReason};
use serde_json::{Value, json};

use super::{KIND, completed, delta, stream_of};
use crate::protocol_checks::{RecordedStream, full_usage, holds_for_every_protocol};
use crate::requests::tool_call;
use crate::server::{Answer, reply_to};

fn item(kind: &str, at: u64, item: &Value) -> Value {
    json!({"type": format!("response.output_item.{kind}"), "output_index": at, "item": item})
}

fn reasoning_delta(part: u64, text: &str) -> Value {
    json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs", "output_index": 0, "summary_index": part, "delta": text})
}

fn arguments_delta(at: u64, text: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": at, "delta": text})
}

fn function(id: &str, name: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc", "call_id": id, "name": name, "arguments": arguments, "status": "completed"})
}

fn encrypted_reasoning() -> Value {
    let part = |text: &str| json!({"type": "summary_text", "text": text});
    json!({"type": "reasoning", "id": "rs", "summary": [part("Größe…"), part("Hm.")], "encrypted_content": "c2VhbGVk"})
}

fn message(text: &str) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": [part]})
}

const TEXT: &str = "Schön 🙂 日本語\n\"x\"";

fn output() -> Value {
    json!([
        encrypted_reasoning(),
        message(TEXT),
        function("call_a", "size", "{\"x\":\"ä\"}"),
        function("call_b", "tell", "{}")
    ])
}

fn usage(input: &Value, output: &Value, cached: &Value, reasoning: &Value) -> Value {
    json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": output, "output_tokens_details": {"reasoning_tokens": reasoning}, "total_tokens": 1,
    })
}

/// A complete stream of OpenAI: reasoning in two parts, text beyond ASCII, two interleaved calls.
fn recorded_text(usage: &Value) -> String {
    let part =
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 1});
    stream_of(&[
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}),
        json!({"type": "response.in_progress", "response": {"id": "resp_1", "status": "in_progress"}}),
        item("added", 0, &json!({"type": "reasoning", "id": "rs", "summary": []})),
        reasoning_delta(0, "Größe…"),
        part,
        reasoning_delta(1, "Hm."),
        item("done", 0, &encrypted_reasoning()),
        item("added", 1, &json!({"type": "message", "id": "msg", "role": "assistant", "content": []})),
        delta(1, "Schön 🙂"),
        delta(1, " 日本語\n\"x\""),
        json!({"type": "response.output_text.done", "output_index": 1, "text": TEXT}),
        item("done", 1, &message(TEXT)),
        item("added", 2, &function("call_a", "size", "")),
        arguments_delta(2, "{\"x\":"),
        item("added", 3, &function("call_b", "tell", "")),
        arguments_delta(2, "\"ä\"}"),
        arguments_delta(3, "{}"),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"x\":\"ä\"}"}),
        item("done", 2, &function("call_a", "size", "{\"x\":\"ä\"}")),
        item("done", 3, &function("call_b", "tell", "{}")),
        completed("resp_1", &output(), usage),
    ])
}

fn expected() -> ModelReply {
    ModelReply {
        attachments: Vec::new(),
        text: TEXT.into(),
        reasoning: Some("Größe…\n\nHm.".into()),
        tool_calls: vec![
            tool_call("call_a", "size", json!({"x": "ä"})),
            tool_call("call_b", "tell", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        usage: Some(full_usage(12, 34, 8, 20)),
        response_id: Some("resp_1".into()),
        provider_state: Some(json!({"openAiResponses": [encrypted_reasoning(), "text", "call", "call"]})),
    }
}

fn default_recording(newline: &str) -> RecordedStream {
    let usage = usage(&json!(12), &json!(34), &json!(8), &json!(20));
    let bytes = recorded_text(&usage).replace('\n', newline).into_bytes();
    RecordedStream {
        kind: KIND,
        answer: Answer::events,
        complete_len: bytes.len(),
        bytes,
        reply: expected(),
        chunks: vec![
            Chunk::Reasoning("Größe…".into()),
            Chunk::Reasoning("\n\nHm.".into()),
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

/// Items only as a whole, only as deltas, only at the end, and a reply that is not streamed.
#[tokio::test]
async fn missing_events_and_fields_are_tolerated() {
    let whole = json!({"object": "response", "id": "resp_1", "status": "completed", "output": output(),
        "usage": usage(&json!(12), &json!(34), &json!(8), &json!(20))});
    let end = json!({"type": "response.completed", "response": whole});
    let mut at_the_end = whole.clone();
    at_the_end["output"] = json!([]);
    let empty_end = json!({"type": "response.completed", "response": at_the_end});
    let all = output();
    let in_full: Vec<_> =
        (0..4).map(|at| item("done", at, &all[usize::try_from(at).expect("small")])).collect();
    for events in
        [vec![end.clone()], [in_full.clone(), vec![empty_end]].concat(), [in_full, vec![end]].concat()]
    {
        let (reply, chunks) = decode(&events).await;
        assert_eq!(reply, expected());
        let thought = ["Größe…", "\n\nHm."].map(|text| Chunk::Reasoning(text.into()));
        assert_eq!(chunks, [&thought[..], &[Chunk::Text(TEXT.into())]].concat());
    }
    assert_eq!(reply_to(KIND, Answer::json(200, &whole.to_string())).await.0, expected());

    // No item events, no usage, no id: only text deltas and the end.
    let bare = json!({"type": "response.completed", "response": {}});
    let (reply, _) = decode(&[delta(0, "Hi"), bare]).await;
    assert_eq!(reply, ModelReply { text: "Hi".into(), ..ModelReply::default() });
}

#[tokio::test]
async fn texts_are_separated_by_blank_lines() {
    let end = completed("r", &json!([]), &json!(null));
    let (reply, chunks) = decode(&[delta(0, "One"), delta(0, "."), delta(1, "Two."), end]).await;
    assert_eq!(reply.text, "One.\n\nTwo.");
    assert_eq!(chunks, ["One", ".", "\n\nTwo."].map(|text| Chunk::Text(text.into())));
}

/// Models with public reasoning have another event for it. Invalid arguments stay text.
#[tokio::test]
async fn open_model_events_are_decoded() {
    let thinks = json!({"type": "response.reasoning_text.delta", "output_index": 0, "delta": "Hm."});
    let calls = item("done", 1, &json!({"type": "function_call", "name": "size", "arguments": "{oops"}));
    let (reply, chunks) = decode(&[thinks, calls, completed("r", &json!([]), &json!(null))]).await;
    assert_eq!(
        (reply.reasoning.as_deref(), &chunks[..]),
        (Some("Hm."), &[Chunk::Reasoning("Hm.".into())][..])
    );
    let broken = tool_call("call_0", "size", json!("{oops"));
    assert_eq!((reply.tool_calls, reply.provider_state), (vec![broken], None));
}

#[tokio::test]
async fn stop_reasons_are_mapped() {
    let end = |status: &str, reason: Value| {
        let kind = if status == "incomplete" { "response.incomplete" } else { "response.completed" };
        json!({"type": kind, "response": {"id": "r", "status": status, "incomplete_details": reason}})
    };
    for (status, reason, expected) in [
        ("completed", json!(null), StopReason::End),
        ("incomplete", json!({"reason": "max_output_tokens"}), StopReason::MaxTokens),
        ("incomplete", json!({"reason": "tired"}), StopReason::Other("tired".into())),
        ("cancelled", json!(null), StopReason::Interrupted),
    ] {
        assert_eq!(decode(&[delta(0, "x"), end(status, reason)]).await.0.stop_reason, expected);
    }
}
