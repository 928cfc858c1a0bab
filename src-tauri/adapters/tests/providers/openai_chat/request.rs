//! What is sent, to the last key.

use plait_adapters::ProviderRegistry;
use plait_engine::context::{Message, Role};
use plait_engine::provider::{ModelRequest, Providers as _};
use serde_json::{Value, json};

use super::{KIND, stream_of};
use crate::asked::{
    asks, closed_schema, message, picture, received, refuses, says, shared, tells, tool, user,
};
use crate::server::{Answer, Server, call, request};

fn hello() -> Answer {
    Answer::stream(stream_of(&[
        json!({"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}),
    ]))
}

fn having_thought(message: Message) -> Message {
    Message { reasoning: Some("never sent back".into()), ..message }
}

/// The body that goes out for a request.
async fn sent(request: ModelRequest) -> Value {
    received(KIND, hello(), request).await.body
}

#[tokio::test]
async fn system_history_and_tools() {
    let body = sent(ModelRequest {
        system: Some("Be brief.".into()),
        messages: shared([
            user("Hello"),
            having_thought(says("Hi.")),
            message(Role::System, "The person is in a hurry."),
            user("What is 6 × 7?"),
        ]),
        tools: vec![tool("calculator")],
        ..request()
    })
    .await;
    assert_eq!(
        body,
        json!({
            "model": "tiny",
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi."},
                {"role": "system", "content": "The person is in a hurry."},
                {"role": "user", "content": "What is 6 × 7?"},
            ],
            "tools": [{"type": "function", "function": {
                "name": "calculator",
                "description": "Does calculator.",
                "parameters": {"type": "object", "properties": {"x": {"type": "string"}}},
            }}],
        })
    );
}

#[tokio::test]
async fn a_tool_round_trip() {
    let calls = [("a", "calculator", json!({"expression": "6*7"})), ("b", "calculator", json!("{broken"))];
    let messages = [
        user("6*7?"),
        having_thought(asks("", &calls)),
        tells("a", "42"),
        tells("b", "no"),
        having_thought(asks("And now:", &[("c", "current_time", json!({}))])),
        tells("c", "noon"),
    ];
    let body = sent(ModelRequest { messages: shared(messages), ..request() }).await;
    let function = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": "6*7?"},
            {"role": "assistant", "content": null, "tool_calls": [
                function("a", "calculator", "{\"expression\":\"6*7\"}"),
                function("b", "calculator", "{broken"),
            ]},
            {"role": "tool", "tool_call_id": "a", "content": "42"},
            {"role": "tool", "tool_call_id": "b", "content": "no"},
            {"role": "assistant", "content": "And now:", "tool_calls": [function("c", "current_time", "{}")]},
            {"role": "tool", "tool_call_id": "c", "content": "noon"},
        ])
    );
}

#[tokio::test]
async fn bounds_images_schema_and_options() {
    let body = sent(ModelRequest {
        messages: shared([picture()]),
        temperature: Some(0.25),
        max_tokens: Some(100),
        response_schema: Some(closed_schema()),
        options: json!({"top_p": 0.9, "seed": 7, "temperature": 0.5}),
        ..request()
    })
    .await;
    assert_eq!(
        body,
        json!({
            "model": "tiny",
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
            ]}],
            "temperature": 0.5,
            "max_tokens": 100,
            "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": closed_schema(), "strict": true}},
            "top_p": 0.9,
            "seed": 7,
        })
    );
}

#[tokio::test]
async fn options_that_are_plaits_own_are_refused_before_anything_is_sent() {
    let wrong =
        [json!([]), json!("x"), json!({"messages": []}), json!({"stream": false}), json!({"model": "other"})];
    refuses(KIND, wrong).await;
}

#[tokio::test]
async fn path_headers_and_key() {
    let server = Server::saying([hello()]).await;
    let mut settings = server.settings(KIND);
    // A slash at the end changes nothing.
    settings.base_url = Some(format!("{}/v1/", server.root));
    let table = ProviderRegistry::new(&[("test".to_owned(), settings.clone())].into()).expect("made");
    let provider = table.get("test").expect("there");
    call(&*provider, request()).await.0.expect("a reply");
    table.set_session_key("test", "secret").expect("taken");
    call(&*provider, request()).await.0.expect("a reply");
    table.set_session_key("test", "").expect("taken back");
    call(&*provider, request()).await.0.expect("a reply");
    let received = server.received();
    assert!(received.iter().all(|received| received.line == "POST /v1/chat/completions"), "{received:?}");
    assert_eq!(received[0].headers["content-type"], "application/json");
    assert_eq!(received[0].headers["accept"], "text/event-stream");
    let keys: Vec<_> =
        received.iter().map(|received| received.headers.get("authorization").map(String::as_str)).collect();
    assert_eq!(keys, [None, Some("Bearer secret"), None]);

    // A missing key is reported before anything is sent.
    settings.key_env = Some("PLAIT_TEST_NO_SUCH_KEY".into());
    let fault = call(&*crate::server::provider(settings), request()).await.0.expect_err("no key");
    assert_eq!(fault.code, "provider.unauthorized");
    assert!(fault.message.contains("PLAIT_TEST_NO_SUCH_KEY"), "{fault}");
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn models_are_listed() {
    let server = Server::saying([Answer::json(
        200,
        r#"{"object": "list", "data": [{"id": "b", "x": 1}, {"id": "a"}]}"#,
    )])
    .await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b"]);
    assert_eq!(server.received()[0].line, "GET /v1/models");
    let server = Server::saying([Answer::json(200, "[1]")]).await;
    assert_eq!(
        server.provider(KIND).models().await.expect_err("not a list").code,
        "provider.invalid_response"
    );
}
