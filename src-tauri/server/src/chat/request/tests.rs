use serde_json::json;

use super::*;

fn parsed(body: Value) -> Result<Chat, ErrorReply> {
    parse(serde_json::from_value(body).unwrap())
}

#[test]
fn messages_become_a_conversation() {
    let chat = parsed(json!({ "model": "m", "temperature": 0.2, "n": 1, "messages": [
        { "role": "user", "content": "One" },
        { "role": "assistant", "content": "Two", "tool_calls": null },
        { "role": "user", "content": [{ "type": "text", "text": "Three" }] },
    ] }))
    .unwrap();
    assert_eq!(chat.message, "Three");
    assert_eq!(chat.said_before[1], SaidMessage { role: Speaker::Assistant, text: "Two".to_owned() });
    assert_eq!(chat.ignored, ["temperature"]);
}

#[test]
fn what_the_flow_decides_is_refused() {
    let user = json!([{ "role": "user", "content": "Hi" }]);
    for (field, value) in [
        ("tools", json!([{}])),
        ("n", json!(2)),
        ("response_format", json!({ "type": "json_object" })),
        ("messages", json!([{ "role": "system", "content": "x" }, { "role": "user", "content": "Hi" }])),
        ("messages", json!([{ "role": "user", "content": [{ "type": "image_url" }] }])),
    ] {
        let mut body = json!({ "model": "m", "messages": user });
        body[field] = value;
        assert_eq!(parsed(body.clone()).unwrap_err().code, "chat.unsupported", "{body}");
    }
    for messages in [
        json!([]),
        json!([{ "role": "user", "content": " " }]),
        json!([{ "role": "user" }]),
        json!([{ "role": "assistant", "content": "Hi" }]),
    ] {
        let body = json!({ "model": "m", "messages": messages });
        assert_eq!(parsed(body.clone()).unwrap_err().code, "chat.messages", "{body}");
    }
    parsed(json!({ "model": "m", "messages": user, "tools": [], "tool_choice": null })).unwrap();
}
