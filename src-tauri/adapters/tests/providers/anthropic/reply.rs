//! What comes back: the same reply however the bytes arrive, thoughts and calls in their places.

use plait_engine::models::TokenUsage;
use plait_engine::provider::{Chunk, ModelReply, ModelRequest, StopReason};
use serde_json::{Value, json};

use super::{KIND, begins, closes, ends, goes_on, opens, saying, stops, stream_of};
use crate::asked::tool_call;
use crate::checks::{Recorded, holds_for_every_protocol};
use crate::server::{Answer, Server, call, reply_to, request};

/// A stream as the provider sends it, with everything in it: thoughts with a signature, hidden ones, text beyond ASCII, two
/// calls, a block and an event of kinds yet to come, usage in two places.
fn recorded(first: &Value, last: &Value) -> Vec<Value> {
    let json = |text: &str| json!({"type": "input_json_delta", "partial_json": text});
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    vec![
        begins(first),
        opens(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        json!({"type": "ping"}),
        goes_on(0, json!({"type": "thinking_delta", "thinking": "Größe"})),
        goes_on(0, json!({"type": "thinking_delta", "thinking": "…"})),
        goes_on(0, json!({"type": "signature_delta", "signature": "EqQB+/="})),
        closes(0),
        opens(1, json!({"type": "redacted_thinking", "data": "hidden=="})),
        closes(1),
        opens(2, json!({"type": "text", "text": ""})),
        goes_on(2, json!({"type": "text_delta", "text": "Schön 🙂"})),
        goes_on(2, json!({"type": "citations_delta", "citation": {}})),
        goes_on(2, json!({"type": "text_delta", "text": " 日本語\n\"x\""})),
        closes(2),
        opens(3, json!({"type": "hologram", "depth": 3})),
        goes_on(3, json!({"type": "hologram_delta", "depth": 4})),
        closes(3),
        json!({"type": "weather", "is": "fine"}),
        opens(4, call("toolu_a", "calculator")),
        goes_on(4, json("")),
        goes_on(4, json("{\"expr")),
        goes_on(4, json("ession\": \"1+1\"}")),
        closes(4),
        opens(5, call("toolu_b", "current_time")),
        goes_on(5, json("")),
        closes(5),
        stops("tool_use", last),
        ends(),
    ]
}

fn expected() -> ModelReply {
    ModelReply {
        text: "Schön 🙂 日本語\n\"x\"".into(),
        reasoning: Some("Größe…".into()),
        tool_calls: vec![
            tool_call("toolu_a", "calculator", json!({"expression": "1+1"})),
            tool_call("toolu_b", "current_time", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        // 12 beside the cache, 100 from it, 40 into it.
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

fn recording(newline: &str, first: &Value, last: &Value) -> Recorded {
    let events = recorded(first, last);
    let text = |events: &[Value]| stream_of(events).replace('\n', newline);
    let bytes = text(&events).into_bytes();
    Recorded {
        kind: KIND,
        answer: Answer::events,
        // Whole with the reason, which the goodbye follows.
        whole: bytes.len() - text(&[ends()]).len(),
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

fn known(newline: &str) -> Recorded {
    recording(
        newline,
        &json!({
            "input_tokens": 12, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 40,
            "cache_creation": {"ephemeral_5m_input_tokens": 40}, "output_tokens": 1, "service_tier": "standard",
        }),
        &json!({"output_tokens": 34, "output_tokens_details": {"thinking_tokens": 20}}),
    )
}

holds_for_every_protocol!(known, ["\n", "\r\n", "\r"]);

#[tokio::test]
async fn nonsense_usage() {
    let usage = |count: &Value| {
        json!({
            "input_tokens": count, "output_tokens": count, "cache_read_input_tokens": count,
            "cache_creation_input_tokens": count, "output_tokens_details": {"thinking_tokens": count},
        })
    };
    let with = |usage: &Value| recording("\n", usage, usage).bytes;
    known("\n").survives_nonsense_in_its_usage(|count| with(&usage(count))).await;
    known("\n").survives_a_usage_that_is_none(with).await;
}

async fn said(events: &[Value]) -> ModelReply {
    reply_to(KIND, Answer::stream(stream_of(events))).await.0
}

#[tokio::test]
async fn stop_reasons() {
    for (reason, expected) in [
        ("end_turn", StopReason::End),
        ("stop_sequence", StopReason::End),
        ("max_tokens", StopReason::MaxTokens),
        ("refusal", StopReason::ContentFilter),
        ("pause_turn", StopReason::Other("pause_turn".into())),
        ("model_context_window_exceeded", StopReason::Other("model_context_window_exceeded".into())),
    ] {
        let reply = said(&saying("Hi", reason)).await;
        assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", expected), "{reason}");
        assert_eq!(reply.usage, Some(TokenUsage::new(3, 5)), "the latest count is the one");
        assert_eq!(reply.provider_state, None);
    }
}

#[tokio::test]
async fn a_refusal_asks_for_no_tool() {
    let mut events = recorded(&json!({}), &json!({}));
    let at = events.iter().position(|event| event["type"] == "message_delta").expect("there");
    events[at] = stops("refusal", &json!({}));
    let reply = said(&events).await;
    assert_eq!(reply.stop_reason, StopReason::ContentFilter);
    assert_eq!((reply.tool_calls, reply.provider_state), (vec![], None));
}

#[tokio::test]
async fn arguments_that_are_no_json_stay_text() {
    // Cut in its middle by the bound of the reply, and just wrong.
    for reason in ["max_tokens", "tool_use"] {
        let events = [
            begins(&json!({})),
            opens(0, json!({"type": "tool_use", "id": "a", "name": "f", "input": {}})),
            goes_on(0, json!({"type": "input_json_delta", "partial_json": "{\"a\": \"x"})),
            closes(0),
            stops(reason, &json!({})),
            ends(),
        ];
        let reply = said(&events).await;
        assert_eq!(reply.tool_calls[0].arguments, json!("{\"a\": \"x"), "{reason}");
        assert_eq!(reply.provider_state, None, "there was no thought");
    }
}

#[tokio::test]
async fn a_reply_given_as_a_call_is_the_text() {
    let schema = json!({"type": "object", "required": ["a"]});
    let calling = |name: &str, arguments: &str| {
        [
            begins(&json!({})),
            opens(0, json!({"type": "text", "text": ""})),
            goes_on(0, json!({"type": "text_delta", "text": "So:"})),
            opens(1, json!({"type": "tool_use", "id": "a", "name": name, "input": {}})),
            goes_on(1, json!({"type": "input_json_delta", "partial_json": &arguments[..4]})),
            goes_on(1, json!({"type": "input_json_delta", "partial_json": &arguments[4..]})),
            stops("tool_use", &json!({})),
            ends(),
        ]
    };
    let ask = async |events: &[Value]| {
        let server = Server::saying([Answer::stream(stream_of(events))]).await;
        let asked = ModelRequest { response_schema: Some(schema.clone()), ..request() };
        let (reply, chunks) = call(&*server.provider(KIND), asked).await;
        (reply.expect("a reply"), chunks)
    };
    let given = calling("give_reply", "{\"a\": 1}");
    let (reply, chunks) = ask(&given).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("{\"a\": 1}", StopReason::End));
    assert!(reply.tool_calls.is_empty());
    assert_eq!(chunks, ["So:", "{\"a\"", ": 1}"].map(|text| Chunk::Text(text.into())));
    // A call of any other tool is one.
    let (reply, chunks) = ask(&calling("calculator", "{\"a\": 1}")).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("So:", StopReason::ToolCalls));
    assert_eq!((reply.tool_calls.len(), chunks.len()), (1, 1));
    // Beside one, whose result may change it, what was given is not the answer yet.
    let other = opens(2, json!({"type": "tool_use", "id": "b", "name": "calculator", "input": {}}));
    let (reply, _) = ask(&[&given[..6], &[other], &given[6..]].concat()).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("So:", StopReason::ToolCalls));
    assert_eq!(reply.tool_calls, [tool_call("b", "calculator", json!({}))]);
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
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
