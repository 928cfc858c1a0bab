//! Tool rounds: content is sent back unchanged, and each result names its function.

use plait_llm::context::{Message, Role};
use plait_llm::provider::ModelRequest;
use serde_json::{Value, json};

use super::request::sent_body;
use crate::requests::{assistant_with_calls, message, to_shared, tool_message};
use crate::server::request;

#[tokio::test]
async fn tool_results_of_a_round_are_one_content() {
    let calls = [("a", "calculator", json!({"expression": "6*7"})), ("b", "current_time", json!("{broken"))];
    let messages = [
        message(Role::User, "6*7?"),
        assistant_with_calls("", &calls),
        tool_message("a", "42"),
        tool_message("b", "{\"error\": \"It is broken.\", \"code\": \"tool.failed\"}"),
        assistant_with_calls("And now:", &[("c", "calculator", json!({}))]),
        tool_message("c", "[1, 2]"),
        tool_message("nobody", "x"),
    ];
    let body = sent_body(ModelRequest { messages: to_shared(messages), ..request() }).await;
    let called = |name: &str, args: Value| json!({"functionCall": {"name": name, "args": args}});
    let tool_result =
        |name: &str, response: Value| json!({"functionResponse": {"name": name, "response": response}});
    assert_eq!(
        body["contents"],
        json!([
            {"role": "user", "parts": [{"text": "6*7?"}]},
            {"role": "model", "parts": [
                called("calculator", json!({"expression": "6*7"})),
                called("current_time", json!({"arguments": "{broken"})),
            ]},
            {"role": "user", "parts": [
                tool_result("calculator", json!({"output": "42"})),
                tool_result("current_time", json!({"error": "It is broken.", "code": "tool.failed"})),
            ]},
            {"role": "model", "parts": [{"text": "And now:"}, called("calculator", json!({}))]},
            {"role": "user", "parts": [
                tool_result("calculator", json!({"output": "[1, 2]"})),
                tool_result("nobody", json!({"output": "x"})),
            ]},
        ])
    );
}

#[tokio::test]
async fn signatures_and_ids_are_sent_back_at_their_position() {
    let state = |parts: Value| Some(json!({"gemini": parts}));
    let request_with = |provider_state: Option<Value>| {
        // Plait may have assigned other ids to the calls.
        let calls =
            [("call_0", "calculator", json!({"expression": "1+1"})), ("mine", "current_time", json!({}))];
        let assistant_calls = Message { provider_state, ..assistant_with_calls("Schön.", &calls) };
        let messages = [
            message(Role::User, "1+1?"),
            assistant_calls,
            tool_message("mine", "noon"),
            tool_message("call_0", "2"),
        ];
        ModelRequest { messages: to_shared(messages), ..request() }
    };
    let length = "Schön.".len();
    let parts = json!([
        {"text": length}, {"text": 0, "thoughtSignature": "dGV4dA=="},
        {"call": null, "thoughtSignature": "Y2FsbA+/"}, {"call": "fc_2"}, {"text": 0},
    ]);
    let body = sent_body(request_with(state(parts))).await;
    let first = json!({"name": "calculator", "args": {"expression": "1+1"}});
    let second = json!({"name": "current_time", "args": {}});
    let mut with_id = second.clone();
    with_id["id"] = json!("fc_2");
    assert_eq!(
        body["contents"][1],
        json!({"role": "model", "parts": [
            {"text": "Schön."},
            {"text": "", "thoughtSignature": "dGV4dA=="},
            {"functionCall": first, "thoughtSignature": "Y2FsbA+/"},
            {"functionCall": with_id},
        ]})
    );
    assert_eq!(
        body["contents"][2],
        json!({"role": "user", "parts": [
            {"functionResponse": {"id": "fc_2", "name": "current_time", "response": {"output": "noon"}}},
            {"functionResponse": {"name": "calculator", "response": {"output": "2"}}},
        ]})
    );
    // State of another protocol, or that does not fit the message, is dropped. The message is still sent.
    let plain = json!({"role": "model", "parts": [
        {"text": "Schön."}, {"functionCall": first}, {"functionCall": second},
    ]});
    for odd in [
        None,
        Some(json!({"anthropic": []})),
        state(json!([{"text": 3}, {"call": null}, {"call": null}])),
        state(json!([{"text": 4}, {"call": null}, {"call": null}])),
        state(json!([{"text": 999}, {"call": null}, {"call": null}])),
        state(json!([{"text": length}, {"text": u64::MAX}, {"call": null}, {"call": null}])),
        state(json!([{"text": length}, {"call": null}])),
        state(json!([{"text": length}, {"call": null}, {"call": null}, {"call": null}])),
        state(json!([{"weather": "fine"}])),
        state(json!("nonsense")),
    ] {
        assert_eq!(sent_body(request_with(odd.clone())).await["contents"][1], plain, "{odd:?}");
    }
}
