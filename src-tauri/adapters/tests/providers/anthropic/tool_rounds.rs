//! Tool rounds: what the model gave goes back as it came, with its results, marked for the next round.

use plait_engine::context::{Message, Role};
use plait_engine::provider::ModelRequest;
use serde_json::{Value, json};

use super::request::sent;
use crate::asked::{asks, message, shared, tells};
use crate::server::request;

#[tokio::test]
async fn results_of_one_round_are_one_message() {
    let calls = [("a", "calculator", json!({"expression": "6*7"})), ("b", "calculator", json!("{broken"))];
    let messages = [
        message(Role::User, "6*7?"),
        asks("", &calls),
        tells("a", "42"),
        tells("b", ""),
        asks("And now:", &[("c", "calculator", json!({}))]),
        tells("c", "noon"),
    ];
    let body = sent(ModelRequest { messages: shared(messages), ..request() }).await;
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

/// Anthropic takes no mark on one.
#[tokio::test]
async fn no_mark_stands_on_a_thought() {
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "s"});
    let state = json!({"anthropic": [{"type": "tool_use"}, thought]});
    let asks = Message { provider_state: Some(state), ..asks("", &[("a", "calculator", json!({}))]) };
    let messages = shared([message(Role::User, "6*7?"), asks, message(Role::User, "Well?")]);
    let body = sent(ModelRequest { messages, ..request() }).await;
    let tool_use = json!({"type": "tool_use", "id": "a", "name": "calculator", "input": {}});
    assert_eq!(body["messages"][1]["content"], json!([tool_use, thought]));
}

#[tokio::test]
async fn thoughts_go_back_where_they_stood() {
    let thought = json!({"type": "thinking", "thinking": "Größe…", "signature": "EqQB+/="});
    let hidden = json!({"type": "redacted_thinking", "data": "hidden=="});
    let state = |blocks: Value| Some(json!({"anthropic": blocks}));
    let asked = |provider_state: Option<Value>| {
        // Plait may have given the call another id.
        let calls = [("mine", "calculator", json!({"expression": "1+1"}))];
        let asks = Message { provider_state, ..asks("Schön. Und nun:", &calls) };
        let messages = shared([message(Role::User, "1+1?"), asks, tells("mine", "2")]);
        ModelRequest { messages, ..request() }
    };
    let tool_use =
        json!({"type": "tool_use", "id": "mine", "name": "calculator", "input": {"expression": "1+1"}});
    let first = "Schön.".len();
    let rest = " Und nun:".len();
    let kept = json!([
        thought, {"type": "text", "bytes": first}, hidden, {"type": "text", "bytes": rest}, {"type": "tool_use"},
    ]);
    assert_eq!(
        sent(asked(state(kept))).await["messages"][1],
        json!({"role": "assistant", "content": [
            thought, {"type": "text", "text": "Schön."}, hidden, {"type": "text", "text": " Und nun:"}, tool_use,
        ]})
    );
    // What is another protocol's, or does not fit the message any more, stays away; the message does not.
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
        assert_eq!(sent(asked(odd.clone())).await["messages"][1], plain, "{odd:?}");
    }
}
