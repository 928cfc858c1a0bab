//! Tool rounds: content is sent back unchanged, with the results and a cache mark.

use plait_llm::context::{Message, Role};
use plait_llm::provider::ModelRequest;
use serde_json::{Value, json};

use super::request::sent_body;
use crate::requests::{assistant_with_calls, message, to_shared, tool_message};
use crate::server::request;

#[tokio::test]
async fn tool_results_of_a_round_are_one_message() {
    let calls = [("a", "calculator", json!({"expression": "6*7"})), ("b", "calculator", json!("{broken"))];
    let messages = [
        message(Role::User, "6*7?"),
        assistant_with_calls("", &calls),
        tool_message("a", "42"),
        tool_message("b", ""),
        assistant_with_calls("And now:", &[("c", "calculator", json!({}))]),
        tool_message("c", "noon"),
    ];
    let body = sent_body(ModelRequest { messages: to_shared(messages), ..request() }).await;
    let tool_use =
        |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "calculator", "input": input});
    let tool_result =
        |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
    let mut last = tool_result("c", "noon");
    last["cache_control"] = json!({"type": "ephemeral"});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "6*7?"}]},
            {"role": "assistant", "content": [
                tool_use("a", json!({"expression": "6*7"})),
                tool_use("b", json!({"arguments": "{broken"})),
            ]},
            {"role": "user", "content": [tool_result("a", "42"), tool_result("b", "")]},
            {"role": "assistant", "content": [{"type": "text", "text": "And now:"}, tool_use("c", json!({}))]},
            {"role": "user", "content": [last]},
        ])
    );
}

/// Anthropic rejects one there.
#[tokio::test]
async fn thinking_block_has_no_cache_mark() {
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "s"});
    let state = json!({"anthropic": [{"type": "tool_use"}, thought]});
    let assistant_calls = Message {
        provider_state: Some(state),
        ..assistant_with_calls("", &[("a", "calculator", json!({}))])
    };
    let messages = to_shared([message(Role::User, "6*7?"), assistant_calls, message(Role::User, "Well?")]);
    let body = sent_body(ModelRequest { messages, ..request() }).await;
    let tool_use = json!({"type": "tool_use", "id": "a", "name": "calculator", "input": {}});
    assert_eq!(body["messages"][1]["content"], json!([tool_use, thought]));
}

#[tokio::test]
async fn thinking_is_sent_back_at_its_position() {
    let thought = json!({"type": "thinking", "thinking": "Größe…", "signature": "EqQB+/="});
    let hidden = json!({"type": "redacted_thinking", "data": "hidden=="});
    let state = |blocks: Value| Some(json!({"anthropic": blocks}));
    let request_with = |provider_state: Option<Value>| {
        // Plait may have assigned another id to the call.
        let calls = [("mine", "calculator", json!({"expression": "1+1"}))];
        let assistant_calls = Message { provider_state, ..assistant_with_calls("Schön. Und nun:", &calls) };
        let messages = to_shared([message(Role::User, "1+1?"), assistant_calls, tool_message("mine", "2")]);
        ModelRequest { messages, ..request() }
    };
    let tool_use =
        json!({"type": "tool_use", "id": "mine", "name": "calculator", "input": {"expression": "1+1"}});
    let first = "Schön.".len();
    let rest = " Und nun:".len();
    let parts = json!([
        thought, {"type": "text", "bytes": first}, hidden, {"type": "text", "bytes": rest}, {"type": "tool_use"},
    ]);
    assert_eq!(
        sent_body(request_with(state(parts))).await["messages"][1],
        json!({"role": "assistant", "content": [
            thought, {"type": "text", "text": "Schön."}, hidden, {"type": "text", "text": " Und nun:"}, tool_use,
        ]})
    );
    // State of another protocol, or that does not fit the message, is dropped. The message is still sent.
    let plain =
        json!({"role": "assistant", "content": [{"type": "text", "text": "Schön. Und nun:"}, tool_use]});
    for odd in [
        None,
        Some(json!({"gemini": []})),
        state(json!([thought, {"type": "text", "bytes": 3}, {"type": "tool_use"}])),
        state(json!([thought, {"type": "text", "bytes": 4}, {"type": "tool_use"}])),
        state(json!([thought, {"type": "text", "bytes": 999}, {"type": "tool_use"}])),
        state(
            json!([thought, {"type": "text", "bytes": first}, {"type": "text", "bytes": u64::MAX}, {"type": "tool_use"}]),
        ),
        state(json!([thought, {"type": "text", "bytes": first + rest}])),
        state(
            json!([thought, {"type": "text", "bytes": first + rest}, {"type": "tool_use"}, {"type": "tool_use"}]),
        ),
        state(json!("nonsense")),
    ] {
        assert_eq!(sent_body(request_with(odd.clone())).await["messages"][1], plain, "{odd:?}");
    }
}
