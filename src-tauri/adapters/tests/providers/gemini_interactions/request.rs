//! The exact request bodies and headers.

use plait_llm::context::{Message, Role};
use plait_llm::provider::ModelRequest;
use serde_json::{Value, json};

use super::{KIND, text_answer};
use crate::requests::{
    assert_options_refused, assistant_with_calls, capture_request, closed_schema, document_message,
    full_request, message, to_shared, tool_message, user,
};
use crate::server::{provider, request, settings};

async fn sent_body(request: ModelRequest) -> Value {
    let received = capture_request(KIND, text_answer("r", "Hi"), request).await;
    assert_eq!(received.line, "POST /v1beta/interactions");
    assert_eq!(received.headers["accept"], "text/event-stream");
    received.body
}

fn user_input(text: &str) -> Value {
    json!({"type": "user_input", "content": [{"type": "text", "text": text}]})
}

#[tokio::test]
async fn minimal_request_has_only_required_keys() {
    let messages = to_shared([user("Hello"), message(Role::User, "")]);
    let body = sent_body(ModelRequest { model: "models/tiny".into(), messages, ..request() }).await;
    let input = json!([user_input("Hello")]);
    assert_eq!(body, json!({"model": "tiny", "stream": true, "store": false, "input": input}));
}

#[tokio::test]
async fn full_request_is_mapped() {
    let tool = |name: &str| {
        json!({
            "type": "function", "name": name, "description": format!("Does {name}."),
            "parameters": {"type": "object", "properties": {"x": {"type": "string"}}},
        })
    };
    let call = |id: &str, name: &str, arguments: Value| json!({"type": "function_call", "id": id, "name": name, "arguments": arguments});
    let result = |id: &str, name: &str, text: &str| json!({"type": "function_result", "call_id": id, "name": name, "result": text});
    let said = |text: &str| json!({"type": "model_output", "content": [{"type": "text", "text": text}]});
    assert_eq!(
        sent_body(full_request()).await,
        json!({
            "model": "tiny",
            "stream": true,
            "store": false,
            "system_instruction": "Be brief.\n\nThe person is in a hurry.",
            "input": [
                user_input("Hello"),
                said("Hi."),
                {"type": "user_input", "content": [
                    {"type": "text", "text": "Größe?"},
                    {"type": "image", "mime_type": "image/png", "data": "aGk="},
                    {"type": "text", "text": "Say."},
                ]},
                call("a", "size", json!({"x": "y"})),
                call("b", "tell", json!({"arguments": "{broken"})),
                result("a", "size", "42"),
                result("b", "tell", "no"),
                said("And now:"),
                call("c", "tell", json!({})),
                result("c", "tell", "noon"),
            ],
            "tools": [tool("size"), tool("tell")],
            "generation_config": {"temperature": 0.25, "max_output_tokens": 100},
            "response_format": {"type": "text", "mime_type": "application/json", "schema": closed_schema()},
        })
    );
}

#[tokio::test]
async fn documents_and_failed_tools_are_mapped() {
    let failed = Message { is_error: true, ..tool_message("a", "{\"code\": \"tool.failed\"}") };
    let calls = assistant_with_calls("", &[("a", "size", json!({}))]);
    let messages = to_shared([document_message(), calls, failed]);
    let body = sent_body(ModelRequest { messages, ..request() }).await;
    let document = body["input"][0]["content"].as_array().expect("parts").iter();
    let documents: Vec<_> = document.filter(|part| part["type"] == "document").collect();
    assert_eq!(documents.len(), 1, "{body}");
    assert_eq!(documents[0]["mime_type"], "application/pdf");
    assert_eq!(
        body["input"][2],
        json!({
            "type": "function_result", "call_id": "a", "name": "size",
            "result": "{\"code\": \"tool.failed\"}", "is_error": true,
        })
    );
}

#[tokio::test]
async fn thoughts_are_sent_back_at_their_position() {
    let thought =
        json!({"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "Hm."}]});
    let request_with = |provider_state: Value| {
        let calls = assistant_with_calls("Schön.", &[("a", "size", json!({})), ("b", "tell", json!({}))]);
        let asks = Message { provider_state: Some(provider_state), ..calls };
        ModelRequest { messages: to_shared([user("?"), asks, tool_message("a", "1")]), ..request() }
    };
    let types = |body: &Value| -> Vec<String> {
        let steps = body["input"].as_array().expect("steps").iter();
        steps.map(|step| step["type"].as_str().expect("a type").to_owned()).collect()
    };
    let state = json!({"geminiInteractions": [thought, "text", thought, "call", "call"]});
    let body = sent_body(request_with(state)).await;
    assert_eq!(
        types(&body),
        [
            "user_input",
            "thought",
            "model_output",
            "thought",
            "function_call",
            "function_call",
            "function_result"
        ]
    );
    assert_eq!(body["input"][1], thought);
    // The state of another protocol.
    let body = sent_body(request_with(json!({"gemini": [{"call": "x"}]}))).await;
    assert_eq!(
        types(&body),
        ["user_input", "model_output", "function_call", "function_call", "function_result"]
    );
}

#[tokio::test]
async fn options_are_merged_into_the_body() {
    let request_with = |options: Value| ModelRequest { max_tokens: Some(9), options, ..request() };
    let options = json!({
        "generation_config": {"thinking_level": "low"}, "service_tier": "flex", "session": false,
    });
    assert_eq!(
        sent_body(request_with(options)).await,
        json!({
            "model": "tiny", "stream": true, "store": false, "input": [], "service_tier": "flex",
            "generation_config": {"max_output_tokens": 9, "thinking_level": "low"},
        })
    );
    let wrong = [
        json!({"input": []}),
        json!({"store": true}),
        json!({"previous_interaction_id": "r"}),
        json!({"generation_config": {"max_output_tokens": 9}}),
        json!({"background": true}),
        json!({"session": 1}),
    ];
    assert_options_refused(KIND, wrong).await;
}

#[test]
fn gifs_are_refused() {
    let provider = provider(settings(KIND, "http://127.0.0.1:1"));
    assert!(!provider.takes_attachment("image/gif"));
    assert!(provider.takes_attachment("image/png"));
}
