//! Decoding of replies.

use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ModelReply, StopReason};
use serde_json::{Value, json};

use super::{KIND, lines_of, stream};
use crate::protocol_checks::{RecordedStream, holds_for_every_protocol};
use crate::requests::tool_call;
use crate::server::{Answer, reply_to};

fn message_line(message: &Value) -> Value {
    json!({"model": "tiny", "created_at": "2026-11-20T10:00:00Z", "message": message, "done": false})
}

fn done_line(reason: &str, input: &Value, output: &Value) -> Value {
    json!({
        "model": "tiny", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "total_duration": 1, "prompt_eval_count": input, "eval_count": output,
    })
}

fn recorded_text(input: &Value, output: &Value) -> String {
    let call = |name: &str, arguments: Value| json!([{"function": {"index": 0, "name": name, "arguments": arguments}}]);
    lines_of(&[
        message_line(&json!({"role": "assistant", "content": "", "thinking": "Größe…"})),
        message_line(&json!({"role": "assistant", "content": "Schön 🙂"})),
        message_line(&json!({"role": "assistant", "content": " 日本語\n\"x\""})),
        message_line(
            &json!({"role": "assistant", "content": "", "tool_calls": call("size", json!({"x": "ä"}))}),
        ),
        message_line(&json!({"role": "assistant", "content": "", "tool_calls": call("tell", json!({}))})),
        done_line("stop", input, output),
    ])
}

fn default_recording(newline: &str) -> RecordedStream {
    let text = recorded_text(&json!(12), &json!(34));
    RecordedStream {
        kind: KIND,
        answer: Answer::lines,
        // A complete line without its line end is still complete.
        complete_len: text.replace('\n', newline).trim_end().len(),
        bytes: text.replace('\n', newline).into_bytes(),
        reply: ModelReply {
            text: "Schön 🙂 日本語\n\"x\"".into(),
            reasoning: Some("Größe…".into()),
            tool_calls: vec![
                tool_call("call_0", "size", json!({"x": "ä"})),
                tool_call("call_1", "tell", json!({})),
            ],
            stop_reason: StopReason::ToolCalls,
            usage: Some(TokenUsage::new(12, 34)),
            ..ModelReply::default()
        },
        chunks: vec![
            Chunk::Reasoning("Größe…".into()),
            Chunk::Text("Schön 🙂".into()),
            Chunk::Text(" 日本語\n\"x\"".into()),
        ],
    }
}

holds_for_every_protocol!(default_recording, ["\n", "\r\n", "\n\n"]);

#[tokio::test]
async fn invalid_usage_is_ignored() {
    default_recording("\n").check_invalid_usage(|count| recorded_text(count, count).into_bytes()).await;
    // Older versions omit the count of a cached prompt.
    let mut end = done_line("stop", &json!(null), &json!(3));
    end.as_object_mut().expect("object").remove("prompt_eval_count");
    assert_eq!(reply_to(KIND, stream(&[end])).await.0.usage, None);
}

#[tokio::test]
async fn stop_reasons_are_mapped() {
    for (reason, expected) in [
        ("stop", StopReason::End),
        ("", StopReason::End),
        ("length", StopReason::MaxTokens),
        ("load", StopReason::Other("load".into())),
    ] {
        let (reply, _) = reply_to(KIND, stream(&[done_line(reason, &json!(1), &json!(1))])).await;
        assert_eq!(reply.stop_reason, expected);
    }
}

/// Ids if there are any; arguments as text or missing; a server that does not stream.
#[tokio::test]
async fn server_dialects_are_decoded() {
    let calls = json!([
        {"id": "x1", "function": {"name": "text", "arguments": "{\"a\": 1}"}},
        {"function": {"name": "broken", "arguments": "{oops"}},
        {"function": {"name": "none"}},
    ]);
    let message = json!({"role": "assistant", "content": "Hi", "thinking": null, "tool_calls": calls});
    let whole = json!({"message": message, "done": true, "prompt_eval_count": 1, "eval_count": 2});
    for answer in [Answer::json(200, &whole.to_string()), stream(&[whole])] {
        let (reply, chunks) = reply_to(KIND, answer).await;
        let calls: Vec<_> = reply.tool_calls.iter().map(|call| (call.id.as_str(), &call.arguments)).collect();
        let (one, oops, none) = (json!({"a": 1}), json!("{oops"), json!({}));
        assert_eq!(calls, [("x1", &one), ("call_1", &oops), ("call_2", &none)]);
        assert_eq!((reply.usage, chunks), (Some(TokenUsage::new(1, 2)), vec![Chunk::Text("Hi".into())]));
    }
}
