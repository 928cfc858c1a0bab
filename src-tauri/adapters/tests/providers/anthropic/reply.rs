//! Decoding of replies.

use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ModelReply, ModelRequest, StopReason};
use serde_json::{Value, json};

use super::{
    KIND, block_delta, block_start, block_stop, message_delta, message_start, message_stop, stream_of,
    text_events,
};
use crate::protocol_checks::{RecordedStream, holds_for_every_protocol};
use crate::requests::tool_call;
use crate::server::{Answer, Server, call, reply_to, request};

/// A complete stream: thinking with a signature, redacted thinking, text beyond ASCII, two calls, a block and an event of
/// unknown kinds, usage in two places.
fn recorded_events(first: &Value, last: &Value) -> Vec<Value> {
    let json = |text: &str| json!({"type": "input_json_delta", "partial_json": text});
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    vec![
        message_start(first),
        block_start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        json!({"type": "ping"}),
        block_delta(0, json!({"type": "thinking_delta", "thinking": "Größe"})),
        block_delta(0, json!({"type": "thinking_delta", "thinking": "…"})),
        block_delta(0, json!({"type": "signature_delta", "signature": "EqQB+/="})),
        block_stop(0),
        block_start(1, json!({"type": "redacted_thinking", "data": "hidden=="})),
        block_stop(1),
        block_start(2, json!({"type": "text", "text": ""})),
        block_delta(2, json!({"type": "text_delta", "text": "Schön 🙂"})),
        block_delta(2, json!({"type": "citations_delta", "citation": {}})),
        block_delta(2, json!({"type": "text_delta", "text": " 日本語\n\"x\""})),
        block_stop(2),
        block_start(3, json!({"type": "hologram", "depth": 3})),
        block_delta(3, json!({"type": "hologram_delta", "depth": 4})),
        block_stop(3),
        json!({"type": "weather", "is": "fine"}),
        block_start(4, call("toolu_a", "calculator")),
        block_delta(4, json("")),
        block_delta(4, json("{\"expr")),
        block_delta(4, json("ession\": \"1+1\"}")),
        block_stop(4),
        block_start(5, call("toolu_b", "current_time")),
        block_delta(5, json("")),
        block_stop(5),
        message_delta("tool_use", last),
        message_stop(),
    ]
}

fn expected() -> ModelReply {
    ModelReply {
        attachments: Vec::new(),
        text: "Schön 🙂 日本語\n\"x\"".into(),
        reasoning: Some("Größe…".into()),
        tool_calls: vec![
            tool_call("toolu_a", "calculator", json!({"expression": "1+1"})),
            tool_call("toolu_b", "current_time", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        // 12 uncached, 100 read from the cache, 40 written to it.
        usage: Some(TokenUsage { input: 152, output: 34, cached_input: 100, cache_write: 40, reasoning: 20 }),
        response_id: Some("msg_1".into()),
        provider_state: Some(json!({"anthropic": [
            {"type": "thinking", "thinking": "Größe…", "signature": "EqQB+/="},
            {"type": "redacted_thinking", "data": "hidden=="},
            {"type": "text", "bytes": "Schön 🙂 日本語\n\"x\"".len()},
            {"type": "tool_use"},
            {"type": "tool_use"},
        ]})),
    }
}

fn recording(newline: &str, first: &Value, last: &Value) -> RecordedStream {
    let events = recorded_events(first, last);
    let text = |events: &[Value]| stream_of(events).replace('\n', newline);
    let bytes = text(&events).into_bytes();
    RecordedStream {
        kind: KIND,
        answer: Answer::events,
        // Complete with the stop reason, before `message_stop`.
        complete_len: bytes.len() - text(&[message_stop()]).len(),
        bytes,
        reply: expected(),
        chunks: vec![
            Chunk::Reasoning("Größe".into()),
            Chunk::Reasoning("…".into()),
            Chunk::Text("Schön 🙂".into()),
            Chunk::Text(" 日本語\n\"x\"".into()),
        ],
    }
}

fn default_recording(newline: &str) -> RecordedStream {
    recording(
        newline,
        &json!({
            "input_tokens": 12, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 40,
            "cache_creation": {"ephemeral_5m_input_tokens": 40}, "output_tokens": 1, "service_tier": "standard",
        }),
        &json!({"output_tokens": 34, "output_tokens_details": {"thinking_tokens": 20}}),
    )
}

holds_for_every_protocol!(default_recording, ["\n", "\r\n", "\r"]);

#[tokio::test]
async fn invalid_usage_is_ignored() {
    let usage = |count: &Value| {
        json!({
            "input_tokens": count, "output_tokens": count, "cache_read_input_tokens": count,
            "cache_creation_input_tokens": count, "output_tokens_details": {"thinking_tokens": count},
        })
    };
    let with = |usage: &Value| recording("\n", usage, usage).bytes;
    default_recording("\n").check_invalid_usage(|count| with(&usage(count))).await;
    default_recording("\n").check_missing_usage(with).await;
}

async fn decode(events: &[Value]) -> ModelReply {
    reply_to(KIND, Answer::stream(stream_of(events))).await.0
}

#[tokio::test]
async fn stop_reasons_are_mapped() {
    for (reason, expected) in [
        ("end_turn", StopReason::End),
        ("stop_sequence", StopReason::End),
        ("max_tokens", StopReason::MaxTokens),
        ("refusal", StopReason::ContentFilter),
        ("pause_turn", StopReason::Paused),
        ("model_context_window_exceeded", StopReason::WindowFull),
        ("tired", StopReason::Other("tired".into())),
    ] {
        let reply = decode(&text_events("Hi", reason)).await;
        assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", expected), "{reason}");
        assert_eq!(reply.usage, Some(TokenUsage::new(3, 5)), "the latest count wins");
        assert_eq!(reply.provider_state, None);
    }
}

#[tokio::test]
async fn refusal_has_no_tool_calls() {
    let mut events = recorded_events(&json!({}), &json!({}));
    let at = events.iter().position(|event| event["type"] == "message_delta").expect("there");
    events[at] = message_delta("refusal", &json!({}));
    let reply = decode(&events).await;
    assert_eq!(reply.stop_reason, StopReason::ContentFilter);
    assert_eq!((reply.tool_calls, reply.provider_state), (vec![], None));
}

#[tokio::test]
async fn invalid_arguments_stay_text() {
    // Truncated by the token limit, and plainly invalid.
    for reason in ["max_tokens", "tool_use"] {
        let events = [
            message_start(&json!({})),
            block_start(0, json!({"type": "tool_use", "id": "a", "name": "f", "input": {}})),
            block_delta(0, json!({"type": "input_json_delta", "partial_json": "{\"a\": \"x"})),
            block_stop(0),
            message_delta(reason, &json!({})),
            message_stop(),
        ];
        let reply = decode(&events).await;
        assert_eq!(reply.tool_calls[0].arguments, json!("{\"a\": \"x"), "{reason}");
        assert_eq!(reply.provider_state, None, "there was no thinking");
    }
}

#[tokio::test]
async fn reply_tool_call_becomes_the_text() {
    let schema = json!({"type": "object", "required": ["a"]});
    let calling = |name: &str, arguments: &str| {
        [
            message_start(&json!({})),
            block_start(0, json!({"type": "text", "text": ""})),
            block_delta(0, json!({"type": "text_delta", "text": "So:"})),
            block_start(1, json!({"type": "tool_use", "id": "a", "name": name, "input": {}})),
            block_delta(1, json!({"type": "input_json_delta", "partial_json": &arguments[..4]})),
            block_delta(1, json!({"type": "input_json_delta", "partial_json": &arguments[4..]})),
            message_delta("tool_use", &json!({})),
            message_stop(),
        ]
    };
    let ask = async |events: &[Value]| {
        let server = Server::with_answers([Answer::stream(stream_of(events))]).await;
        let model_request = ModelRequest { response_schema: Some(schema.clone()), ..request() };
        let (reply, chunks) = call(&*server.provider(KIND), model_request).await;
        (reply.expect("a reply"), chunks)
    };
    let call_events = calling("give_reply", "{\"a\": 1}");
    let (reply, chunks) = ask(&call_events).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("{\"a\": 1}", StopReason::End));
    assert!(reply.tool_calls.is_empty());
    assert_eq!(chunks, ["So:", "{\"a\"", ": 1}"].map(|text| Chunk::Text(text.into())));
    // A call of any other tool stays a call.
    let (reply, chunks) = ask(&calling("calculator", "{\"a\": 1}")).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("So:", StopReason::ToolCalls));
    assert_eq!((reply.tool_calls.len(), chunks.len()), (1, 1));
    // Together with another call it is not the answer yet: that call's result may change it.
    let other = block_start(2, json!({"type": "tool_use", "id": "b", "name": "calculator", "input": {}}));
    let (reply, _) = ask(&[&call_events[..6], &[other], &call_events[6..]].concat()).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("So:", StopReason::ToolCalls));
    assert_eq!(reply.tool_calls, [tool_call("b", "calculator", json!({}))]);
}

#[tokio::test]
async fn unstreamed_reply_is_decoded() {
    let whole = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "tiny", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "Hi"},
            {"type": "tool_use", "id": "a", "name": "f", "input": {"a": 1}},
        ],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    });
    let (reply, chunks) = reply_to(KIND, Answer::json(200, &whole.to_string())).await;
    assert_eq!(chunks, [Chunk::Reasoning("Hm.".into()), Chunk::Text("Hi".into())]);
    let call = tool_call("a", "f", json!({"a": 1}));
    let state = json!({"anthropic": [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "bytes": 2}, {"type": "tool_use"},
    ]});
    let expected = ModelReply {
        attachments: Vec::new(),
        text: "Hi".into(),
        reasoning: Some("Hm.".into()),
        tool_calls: vec![call],
        stop_reason: StopReason::ToolCalls,
        usage: Some(TokenUsage::new(1, 2)),
        response_id: Some("msg_1".into()),
        provider_state: Some(state),
    };
    assert_eq!(reply, expected);
}
