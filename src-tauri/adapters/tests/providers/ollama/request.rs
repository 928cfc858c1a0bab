//! The exact request bodies and headers.

use plait_llm::context::Message;
use plait_llm::provider::ModelRequest;
use serde_json::{Value, json};

use super::{KIND, stream};
use crate::requests::{
    assert_options_refused, assistant_with_calls, capture_request, closed_schema, full_request, to_shared,
    tool_message, user,
};
use crate::server::{Answer, Server, provider, request, settings};

fn hello() -> Answer {
    stream(&[json!({"message": {"role": "assistant", "content": "Hi"}, "done": true, "done_reason": "stop"})])
}

async fn sent_body(request: ModelRequest) -> Value {
    let received = capture_request(KIND, hello(), request).await;
    assert_eq!(received.line, "POST /api/chat");
    assert_eq!(received.headers["content-type"], "application/json");
    received.body
}

#[tokio::test]
async fn minimal_request_has_only_required_keys() {
    let body = sent_body(ModelRequest { messages: to_shared([user("Hello")]), ..request() }).await;
    let messages = json!([{"role": "user", "content": "Hello"}]);
    assert_eq!(body, json!({"model": "tiny", "stream": true, "messages": messages}));
}

#[tokio::test]
async fn full_request_is_mapped() {
    let tool = |name: &str| {
        let parameters = json!({"type": "object", "properties": {"x": {"type": "string"}}});
        json!({"type": "function", "function": {
            "name": name, "description": format!("Does {name}."), "parameters": parameters,
        }})
    };
    let call = |id: &str, name: &str, arguments: Value| json!({"id": id, "function": {"name": name, "arguments": arguments}});
    let tool_result = |id: &str, name: &str, content: &str| json!({"role": "tool", "tool_name": name, "tool_call_id": id, "content": content});
    assert_eq!(
        sent_body(full_request()).await,
        json!({
            "model": "tiny",
            "stream": true,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi."},
                {"role": "system", "content": "The person is in a hurry."},
                {"role": "user", "content": "Größe?\nSay.", "images": ["aGk="]},
                {"role": "assistant", "content": "", "tool_calls": [
                    call("a", "size", json!({"x": "y"})),
                    // Only an object is allowed there.
                    call("b", "tell", json!({"value": "{broken"})),
                ]},
                tool_result("a", "size", "42"),
                tool_result("b", "tell", "no"),
                {"role": "assistant", "content": "And now:", "tool_calls": [call("c", "tell", json!({}))]},
                tool_result("c", "tell", "noon"),
            ],
            "tools": [tool("size"), tool("tell")],
            "format": closed_schema(),
            "options": {"temperature": 0.25, "num_predict": 100},
        })
    );
}

#[tokio::test]
async fn reasoning_is_sent_back_with_tool_calls_only() {
    let assistant_calls =
        Message { reasoning: Some("Hm.".into()), ..assistant_with_calls("", &[("a", "size", json!({}))]) };
    let answered =
        Message { reasoning: Some("Never sent back.".into()), ..crate::requests::assistant("Hi.") };
    let messages = to_shared([user("?"), answered, user("Size?"), assistant_calls, tool_message("a", "1")]);
    let body = sent_body(ModelRequest { messages, ..request() }).await;
    assert_eq!(body["messages"][1], json!({"role": "assistant", "content": "Hi."}));
    let calls = json!([{"id": "a", "function": {"name": "size", "arguments": {}}}]);
    assert_eq!(
        body["messages"][3],
        json!({"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": calls})
    );
}

#[tokio::test]
async fn options_are_sorted_into_body_and_model_options() {
    let options = json!({
        "think": true, "keep_alive": "5m", "top_k": 40, "session": true, "options": {"seed": 7, "temperature": 0.5},
    });
    let body = sent_body(ModelRequest { temperature: Some(0.1), options, ..request() }).await;
    assert_eq!(
        body,
        json!({
            "model": "tiny", "stream": true, "messages": [], "think": true, "keep_alive": "5m",
            "options": {"temperature": 0.5, "top_k": 40, "seed": 7},
        })
    );
    let wrong = [
        json!([]),
        json!({"messages": []}),
        json!({"stream": false}),
        json!({"model": "x"}),
        json!({"num_predict": 9}),
        json!({"options": {"num_predict": 9}}),
    ];
    assert_options_refused(KIND, wrong).await;
}

/// The window doubles up to what the request needs, from Ollama's default up to the model's window.
#[tokio::test]
async fn context_window_is_sized_to_the_request() {
    for (window, tokens, max_tokens, expected) in [
        (128_000, 0, None, 4_096),
        (128_000, 10, None, 8_192),
        (128_000, 3_500, Some(100), 4_096),
        (128_000, 3_600, Some(100), 8_192),
        (128_000, 30_000, None, 65_536),
        (128_000, 100_000, None, 128_000),
        (128_000, 0, Some(u32::MAX), 128_000),
        (2_048, 0, None, 2_048),
        (32_768, 1_000_000, None, 32_768),
    ] {
        let user_message = Message { tokens, ..user("x") };
        let model_request = ModelRequest {
            window: Some(window),
            max_tokens,
            messages: to_shared([user_message]),
            ..request()
        };
        assert_eq!(
            sent_body(model_request).await["options"]["num_ctx"],
            expected,
            "{window} {tokens} {max_tokens:?}"
        );
    }
    let own = ModelRequest { window: Some(128_000), options: json!({"num_ctx": 9}), ..request() };
    assert_eq!(sent_body(own).await["options"], json!({"num_ctx": 9}));
}

#[tokio::test]
async fn models_are_listed() {
    let listed =
        r#"{"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 1}, {"name": "llama3.2:3b"}]}"#;
    let server = Server::with_answers([Answer::json(200, listed)]).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["llama3.2:3b", "qwen3:8b"]);
    assert_eq!(server.received()[0].line, "GET /api/tags");
    let server = Server::with_answers([Answer::json(200, "[1]")]).await;
    assert_eq!(
        server.provider(KIND).models().await.expect_err("not a list").code,
        "provider.invalid_response"
    );
}

#[test]
fn documents_are_refused() {
    let provider = provider(settings(KIND, "http://127.0.0.1:1"));
    assert!(!provider.takes_attachment("application/pdf"));
    assert!(provider.takes_attachment("image/png"));
}
