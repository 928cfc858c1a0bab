//! Decoding of replies, in the dialects of several servers.

use plait_adapters::ProviderSettings;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ModelReply, StopReason};
use serde_json::{Value, json};

use super::{KIND, stream_of};
use crate::protocol_checks::{RecordedStream, full_usage, holds_for_every_protocol};
use crate::requests::tool_call;
use crate::server::{Answer, Server, Step, call, events, provider, reply_to, request};

#[allow(clippy::needless_pass_by_value)]
fn delta(delta: Value) -> Value {
    json!({"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}], "usage": null})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// A complete stream of OpenAI: reasoning, text beyond ASCII, two interleaved tool calls, usage.
fn recorded_text(usage: &Value) -> String {
    let call = |index: u64, id: Option<&str>, name: Option<&str>, arguments: &str| {
        let mut function = json!({"arguments": arguments});
        let mut piece = json!({"index": index});
        if let (Some(id), Some(name)) = (id, name) {
            piece["id"] = json!(id);
            piece["type"] = json!("function");
            function["name"] = json!(name);
        }
        piece["function"] = function;
        piece
    };
    let events = [
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"reasoning_content": "Größe…"})),
        delta(json!({"content": "Schön 🙂"})),
        delta(json!({"content": " 日本語\n\"x\""})),
        delta(json!({"tool_calls": [call(0, Some("call_a"), Some("calculator"), "")]})),
        delta(json!({"tool_calls": [call(0, None, None, "{\"expr")]})),
        delta(
            json!({"tool_calls": [call(1, Some("call_b"), Some("current_time"), "{"), call(0, None, None, "ession\":\"1+1\"}")]}),
        ),
        delta(json!({"tool_calls": [call(1, None, None, "}")]})),
        finish("tool_calls"),
        usage_event(usage),
    ];
    format!(": keep-alive\n\n{}", stream_of(&events))
}

fn usage_event(usage: &Value) -> Value {
    json!({"choices": [], "usage": usage})
}

fn expected() -> ModelReply {
    ModelReply {
        text: "Schön 🙂 日本語\n\"x\"".into(),
        reasoning: Some("Größe…".into()),
        tool_calls: vec![
            tool_call("call_a", "calculator", json!({"expression": "1+1"})),
            tool_call("call_b", "current_time", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        usage: Some(full_usage(12, 34, 8, 20)),
        response_id: Some("x".into()),
        ..ModelReply::default()
    }
}

/// The complete stream with these line ends and this usage.
fn recording(newline: &str, usage: &Value) -> RecordedStream {
    let bytes = recorded_text(usage).replace('\n', newline).into_bytes();
    // Complete with the blank line after the finish reason. The usage event and the end mark follow.
    let rest = format!("{}data: [DONE]\n\n", events(&[usage_event(usage)])).replace('\n', newline);
    RecordedStream {
        kind: KIND,
        answer: Answer::events,
        complete_len: bytes.len() - rest.len(),
        bytes,
        reply: expected(),
        chunks: vec![
            Chunk::Reasoning("Größe…".into()),
            Chunk::Text("Schön 🙂".into()),
            Chunk::Text(" 日本語\n\"x\"".into()),
        ],
    }
}

fn default_recording(newline: &str) -> RecordedStream {
    let usage = json!({
        "prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46,
        "prompt_tokens_details": {"cached_tokens": 8}, "completion_tokens_details": {"reasoning_tokens": 20},
    });
    recording(newline, &usage)
}

holds_for_every_protocol!(default_recording, ["\n", "\r\n", "\r"]);

#[tokio::test]
async fn invalid_usage_is_ignored() {
    let usage = |count: &Value| {
        json!({
            "prompt_tokens": count, "completion_tokens": count, "total_tokens": count,
            "prompt_tokens_details": {"cached_tokens": count}, "completion_tokens_details": {"reasoning_tokens": count},
        })
    };
    let with = |usage: &Value| recording("\n", usage).bytes;
    default_recording("\n").check_invalid_usage(|count| with(&usage(count))).await;
    default_recording("\n").check_missing_usage(with).await;
}

async fn decode(events: &[Value]) -> ModelReply {
    reply_to(KIND, Answer::stream(stream_of(events))).await.0
}

#[tokio::test]
async fn stop_reasons_are_mapped() {
    for (reason, expected) in [
        ("stop", StopReason::End),
        ("length", StopReason::MaxTokens),
        ("eos_token", StopReason::End),
        ("model_length", StopReason::WindowFull),
        ("abort", StopReason::Interrupted),
        ("insufficient_system_resource", StopReason::Interrupted),
        ("sensitive", StopReason::ContentFilter),
        ("malformed_function_call", StopReason::MalformedToolCall),
        ("tired", StopReason::Other("tired".into())),
    ] {
        assert_eq!(decode(&[delta(json!({"content": "x"})), finish(reason)]).await.stop_reason, expected);
    }
}

#[tokio::test]
async fn server_dialects_are_decoded() {
    // Ollama: reasoning has another name, calls are complete and all have index 0, and the finish reason is `stop`.
    let call = |id: &str| json!({"id": id, "index": 0, "function": {"name": "f", "arguments": "{\"a\":1}"}});
    let reply = decode(&[
        delta(json!({"reasoning": "Hm.", "content": ""})),
        delta(json!({"tool_calls": [call("a")]})),
        delta(json!({"tool_calls": [call("b")]})),
        finish("stop"),
    ])
    .await;
    assert_eq!(reply.reasoning.as_deref(), Some("Hm."));
    assert_eq!(reply.stop_reason, StopReason::ToolCalls);
    let ids: Vec<_> = reply.tool_calls.iter().map(|call| (call.id.as_str(), &call.arguments)).collect();
    assert_eq!(ids, [("a", &json!({"a": 1})), ("b", &json!({"a": 1}))]);

    // No index and no id; arguments as an object, as invalid JSON, or missing.
    let function = |name: &str, arguments: Value| json!({"function": {"name": name, "arguments": arguments}});
    let mut broken = function("broken", json!("{oops"));
    broken["index"] = json!(1);
    let mut none = json!({"function": {"name": "none"}});
    none["index"] = json!(2);
    let reply = decode(&[
        delta(json!({"tool_calls": [function("object", json!({"a": 1})), broken, none]})),
        finish("tool_calls"),
    ])
    .await;
    let calls: Vec<_> = reply
        .tool_calls
        .iter()
        .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.clone()))
        .collect();
    assert_eq!(
        calls,
        [
            ("call_0", "object", json!({"a": 1})),
            ("call_1", "broken", json!("{oops")),
            ("call_2", "none", json!({}))
        ]
    );

    // Text in parts; nulls in place of other values; another choice.
    let reply = decode(&[
        json!({"choices": null}),
        delta(json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "tool_calls": null, "refusal": null})),
        json!({"choices": [{"index": 1, "delta": {"content": "no"}}]}),
        finish("stop"),
    ])
    .await;
    assert_eq!((reply.text.as_str(), reply.usage), ("ab", None));
}

#[tokio::test]
async fn stream_is_complete_after_the_finish_reason() {
    let event = |event: &Value| format!("data: {event}\n\n").into_bytes();
    let finished = [event(&delta(json!({"content": "Hi"}))), event(&finish("stop"))].concat();
    let pause = |milliseconds| Step::Wait(std::time::Duration::from_millis(milliseconds));
    // The stream ends, the connection breaks, or the server goes silent.
    for rest in [vec![], vec![pause(20), Step::Disconnect], vec![pause(60_000)]] {
        let steps = std::iter::once(Step::Send(finished.clone())).chain(rest).collect();
        let server = Server::with_answers([Answer::events(steps)]).await;
        let settings = ProviderSettings { read_timeout_ms: Some(100), ..server.settings(KIND) };
        let reply = call(&*provider(settings), request()).await.0.expect("a reply");
        assert_eq!(reply.text, "Hi");
    }
}

#[tokio::test]
async fn unstreamed_reply_is_decoded() {
    let whole = json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi", "tool_calls": null}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    });
    let (reply, chunks) = reply_to(KIND, Answer::json(200, &whole.to_string())).await;
    assert_eq!((reply.text.as_str(), reply.usage), ("Hi", Some(TokenUsage::new(1, 2))));
    assert_eq!(chunks, [Chunk::Text("Hi".into())]);
}

/// `OpenRouter` sends images beside the text, and may repeat them in its last event.
#[tokio::test]
async fn images_are_parts_of_the_reply_once() {
    const PIXEL: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";
    let url = format!("data:image/png;base64,{PIXEL}");
    let images = json!([{"type": "image_url", "image_url": {"url": url}}]);
    let event = || json!({"choices": [{"index": 0, "delta": {"content": "Hi", "images": images}}]});
    let reply = decode(&[event(), event(), finish("stop")]).await;
    assert_eq!(reply.text, "HiHi");
    let [image] = &reply.attachments[..] else { panic!("{:?}", reply.attachments) };
    assert_eq!(
        (image.name.as_str(), image.media_type.as_str(), image.width),
        ("image-1.png", "image/png", Some(1))
    );
}
