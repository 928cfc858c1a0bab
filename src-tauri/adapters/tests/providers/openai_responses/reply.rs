//! What comes back: the same reply however the bytes arrive, and whatever a server leaves out.

use plait_engine::provider::{Chunk, ModelReply, StopReason};
use serde_json::{Value, json};

use super::{KIND, completed, delta, stream_of};
use crate::asked::tool_call;
use crate::checks::{Recorded, all_of_it, holds_for_every_protocol};
use crate::server::{Answer, reply_to};

fn item(kind: &str, at: u64, item: &Value) -> Value {
    json!({"type": format!("response.output_item.{kind}"), "output_index": at, "item": item})
}

fn thinks(part: u64, text: &str) -> Value {
    json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs", "output_index": 0, "summary_index": part, "delta": text})
}

fn argues(at: u64, text: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": at, "delta": text})
}

fn function(id: &str, name: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc", "call_id": id, "name": name, "arguments": arguments, "status": "completed"})
}

fn sealed() -> Value {
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
        sealed(),
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

/// A stream as OpenAI sends it, with everything in it: reasoning in two parts, text beyond ASCII, two interleaved calls.
fn recorded(usage: &Value) -> String {
    let part =
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 1});
    stream_of(&[
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}),
        json!({"type": "response.in_progress", "response": {"id": "resp_1", "status": "in_progress"}}),
        item("added", 0, &json!({"type": "reasoning", "id": "rs", "summary": []})),
        thinks(0, "Größe…"),
        part,
        thinks(1, "Hm."),
        item("done", 0, &sealed()),
        item("added", 1, &json!({"type": "message", "id": "msg", "role": "assistant", "content": []})),
        delta(1, "Schön 🙂"),
        delta(1, " 日本語\n\"x\""),
        json!({"type": "response.output_text.done", "output_index": 1, "text": TEXT}),
        item("done", 1, &message(TEXT)),
        item("added", 2, &function("call_a", "size", "")),
        argues(2, "{\"x\":"),
        item("added", 3, &function("call_b", "tell", "")),
        argues(2, "\"ä\"}"),
        argues(3, "{}"),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"x\":\"ä\"}"}),
        item("done", 2, &function("call_a", "size", "{\"x\":\"ä\"}")),
        item("done", 3, &function("call_b", "tell", "{}")),
        completed("resp_1", &output(), usage),
    ])
}

fn expected() -> ModelReply {
    ModelReply {
        text: TEXT.into(),
        reasoning: Some("Größe…\n\nHm.".into()),
        tool_calls: vec![
            tool_call("call_a", "size", json!({"x": "ä"})),
            tool_call("call_b", "tell", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        usage: Some(all_of_it(12, 34, 8, 20)),
        response_id: Some("resp_1".into()),
        provider_state: Some(json!({"openAiResponses": [sealed(), "text", "call", "call"]})),
    }
}

fn known(newline: &str) -> Recorded {
    let usage = usage(&json!(12), &json!(34), &json!(8), &json!(20));
    let bytes = recorded(&usage).replace('\n', newline).into_bytes();
    Recorded {
        kind: KIND,
        answer: Answer::events,
        whole: bytes.len(),
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

holds_for_every_protocol!(known, ["\n", "\r\n", "\r"]);

#[tokio::test]
async fn nonsense_usage() {
    let with = |usage: &Value| recorded(usage).into_bytes();
    known("\n").survives_nonsense_in_its_usage(|count| with(&usage(count, count, count, count))).await;
    known("\n").survives_a_usage_that_is_none(with).await;
}

async fn said(events: &[Value]) -> (ModelReply, Vec<Chunk>) {
    reply_to(KIND, Answer::stream(stream_of(events))).await
}

/// Items only in full, only in pieces, only at the end; and an answer that is not streamed at all.
#[tokio::test]
async fn what_servers_leave_out() {
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
        let (reply, chunks) = said(&events).await;
        assert_eq!(reply, expected());
        let thought = ["Größe…", "\n\nHm."].map(|text| Chunk::Reasoning(text.into()));
        assert_eq!(chunks, [&thought[..], &[Chunk::Text(TEXT.into())]].concat());
    }
    assert_eq!(reply_to(KIND, Answer::json(200, &whole.to_string())).await.0, expected());

    // No item events, no usage, no id: pieces of text and the end.
    let bare = json!({"type": "response.completed", "response": {}});
    let (reply, _) = said(&[delta(0, "Hi"), bare]).await;
    assert_eq!(reply, ModelReply { text: "Hi".into(), ..ModelReply::default() });
}

#[tokio::test]
async fn several_texts_stand_apart() {
    let end = completed("r", &json!([]), &json!(null));
    let (reply, chunks) = said(&[delta(0, "One"), delta(0, "."), delta(1, "Two."), end]).await;
    assert_eq!(reply.text, "One.\n\nTwo.");
    assert_eq!(chunks, ["One", ".", "\n\nTwo."].map(|text| Chunk::Text(text.into())));
}

/// Models that show all they think have another event for it; arguments that are no JSON stay text.
#[tokio::test]
async fn open_models() {
    let thinks = json!({"type": "response.reasoning_text.delta", "output_index": 0, "delta": "Hm."});
    let calls = item("done", 1, &json!({"type": "function_call", "name": "size", "arguments": "{oops"}));
    let (reply, chunks) = said(&[thinks, calls, completed("r", &json!([]), &json!(null))]).await;
    assert_eq!(
        (reply.reasoning.as_deref(), &chunks[..]),
        (Some("Hm."), &[Chunk::Reasoning("Hm.".into())][..])
    );
    let broken = tool_call("call_0", "size", json!("{oops"));
    assert_eq!((reply.tool_calls, reply.provider_state), (vec![broken], None));
}

#[tokio::test]
async fn stop_reasons() {
    let end = |status: &str, reason: Value| {
        let kind = if status == "incomplete" { "response.incomplete" } else { "response.completed" };
        json!({"type": kind, "response": {"id": "r", "status": status, "incomplete_details": reason}})
    };
    for (status, reason, expected) in [
        ("completed", json!(null), StopReason::End),
        ("incomplete", json!({"reason": "max_output_tokens"}), StopReason::MaxTokens),
        ("incomplete", json!({"reason": "tired"}), StopReason::Other("tired".into())),
        ("cancelled", json!(null), StopReason::Other("cancelled".into())),
    ] {
        assert_eq!(said(&[delta(0, "x"), end(status, reason)]).await.0.stop_reason, expected);
    }
}
