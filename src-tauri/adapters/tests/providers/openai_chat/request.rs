//! The exact request bodies and headers.

use plait_adapters::ProviderRegistry;
use plait_llm::context::{Message, Role};
use plait_llm::provider::{ModelRequest, Providers as _};
use serde_json::{Value, json};

use super::{KIND, stream_of};
use crate::requests::{
    assert_options_refused, assistant, assistant_with_calls, capture_request, closed_schema,
    document_message, image_message, message, to_shared, tool, tool_message, user,
};
use crate::server::{Answer, Server, call, provider, request, settings};

fn hello() -> Answer {
    Answer::stream(stream_of(&[
        json!({"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}),
    ]))
}

fn with_reasoning(message: Message) -> Message {
    Message { reasoning: Some("never sent back".into()), ..message }
}

async fn sent_body(request: ModelRequest) -> Value {
    capture_request(KIND, hello(), request).await.body
}

#[tokio::test]
async fn system_history_and_tools_are_mapped() {
    let body = sent_body(ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared([
            user("Hello"),
            with_reasoning(assistant("Hi.")),
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
async fn tool_round_is_mapped_without_reasoning() {
    let calls = [("a", "calculator", json!({"expression": "6*7"})), ("b", "calculator", json!("{broken"))];
    let messages = [
        user("6*7?"),
        with_reasoning(assistant_with_calls("", &calls)),
        tool_message("a", "42"),
        tool_message("b", "no"),
        with_reasoning(assistant_with_calls("And now:", &[("c", "current_time", json!({}))])),
        tool_message("c", "noon"),
    ];
    let body = sent_body(ModelRequest { messages: to_shared(messages), ..request() }).await;
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
async fn limits_images_schema_and_options_are_mapped() {
    let body = sent_body(ModelRequest {
        messages: to_shared([image_message()]),
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
async fn reserved_options_are_refused_before_sending() {
    let wrong = [
        json!([]),
        json!("x"),
        json!({"messages": []}),
        json!({"stream": false}),
        json!({"model": "other"}),
        json!({"max_tokens": 9}),
        json!({"max_completion_tokens": 9}),
    ];
    assert_options_refused(KIND, wrong).await;
}

#[tokio::test]
async fn request_has_the_path_headers_and_key() {
    let server = Server::with_answers([hello()]).await;
    let mut settings = server.settings(KIND);
    // A trailing slash has no effect.
    settings.base_url = Some(format!("{}/v1/", server.origin));
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
async fn models_are_sorted() {
    let server = Server::with_answers([Answer::json(
        200,
        r#"{"object": "list", "data": [{"id": "b", "x": 1}, {"id": "a"}]}"#,
    )])
    .await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b"]);
    assert_eq!(server.received()[0].line, "GET /v1/models");
    let server = Server::with_answers([Answer::json(200, "[1]")]).await;
    assert_eq!(
        server.provider(KIND).models().await.expect_err("not a list").code,
        "provider.invalid_response"
    );
}

#[tokio::test]
async fn images_and_documents_are_mapped() {
    let body = sent_body(ModelRequest { messages: to_shared([document_message()]), ..request() }).await;
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": [
            {"type": "text", "text": "What do they say?"},
            {"type": "file", "file": {"filename": "report.pdf", "file_data": "data:application/pdf;base64,aGk="}},
            {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,aGk="}},
        ]}])
    );
}

#[test]
fn long_ids_of_tool_calls_are_shortened_for_openai_alone() {
    let long = "call_".repeat(20);
    let messages =
        [user("6*7?"), assistant_with_calls("", &[(&long, "size", json!({}))]), tool_message(&long, "42")];
    let request = ModelRequest { messages: to_shared(messages), ..request() };
    let ids = |root: &str| {
        let body = provider(settings(KIND, root)).http_request(&request).unwrap().unwrap().body;
        let id = |pointer| body["messages"].pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
        (id("/1/tool_calls/0/id"), id("/2/tool_call_id"))
    };
    let (call, result) = ids("https://api.openai.com");
    assert_eq!((call.len(), &call), (40, &result));
    assert_eq!(ids("https://gateway.example"), (long.clone(), long.clone()));
}
