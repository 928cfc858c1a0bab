//! The exact request bodies and headers.

use plait_llm::context::Message;
use plait_llm::provider::ModelRequest;
use serde_json::{Value, json};

use super::{KIND, text_answer};
use crate::requests::{
    assert_options_refused, assistant_with_calls, capture_request, closed_schema, document_message,
    full_request, to_shared, tool_message, user,
};
use crate::server::{Answer, Server, call, provider, request, settings};

async fn sent_body(request: ModelRequest) -> Value {
    let received = capture_request(KIND, text_answer("r", "Hi"), request).await;
    assert_eq!(received.line, "POST /v1/responses");
    assert_eq!(received.headers["content-type"], "application/json");
    assert_eq!(received.headers["accept"], "text/event-stream");
    received.body
}

#[tokio::test]
async fn minimal_request_has_only_required_keys() {
    let body = sent_body(ModelRequest { messages: to_shared([user("Hello")]), ..request() }).await;
    let input = json!([{"role": "user", "content": "Hello"}]);
    assert_eq!(body, json!({"model": "tiny", "stream": true, "store": false, "input": input}));
}

#[tokio::test]
async fn full_request_is_mapped() {
    let tool = |name: &str| {
        json!({
            "type": "function", "name": name, "description": format!("Does {name}."), "strict": false,
            "parameters": {"type": "object", "properties": {"x": {"type": "string"}}},
        })
    };
    let call = |id: &str, name: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
    let tool_result =
        |id: &str, output: &str| json!({"type": "function_call_output", "call_id": id, "output": output});
    assert_eq!(
        sent_body(full_request()).await,
        json!({
            "model": "tiny",
            "stream": true,
            "store": false,
            "instructions": "Be brief.",
            "input": [
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi."},
                {"role": "system", "content": "The person is in a hurry."},
                {"role": "user", "content": [
                    {"type": "input_text", "text": "Größe?"},
                    {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,aGk="},
                    {"type": "input_text", "text": "Say."},
                ]},
                call("a", "size", "{\"x\":\"y\"}"),
                call("b", "tell", "{broken"),
                tool_result("a", "42"),
                tool_result("b", "no"),
                {"role": "assistant", "content": "And now:"},
                call("c", "tell", "{}"),
                tool_result("c", "noon"),
            ],
            "tools": [tool("size"), tool("tell")],
            "temperature": 0.25,
            "max_output_tokens": 100,
            "text": {"format": {"type": "json_schema", "name": "reply", "strict": true, "schema": closed_schema()}},
        })
    );
}

#[tokio::test]
async fn options_are_merged_into_the_body() {
    let request_with = |options: Value| ModelRequest {
        response_schema: Some(json!({"type": "object"})),
        options,
        ..request()
    };
    let format =
        json!({"type": "json_schema", "name": "reply", "strict": false, "schema": {"type": "object"}});
    let body = |more: Value| {
        let mut body =
            json!({"model": "tiny", "stream": true, "store": false, "input": [], "text": {"format": format}});
        body.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        body
    };
    // Options are unchanged; those of `text` are merged with its format; `session` is Plait's own and not sent.
    let text = json!({"format": format, "verbosity": "low"});
    let options = json!({"top_p": 0.5, "text": {"verbosity": "low"}, "session": false});
    assert_eq!(sent_body(request_with(options)).await, body(json!({"top_p": 0.5, "text": text})));
    // With a reasoning setting, the encrypted reasoning is requested, so that it can be sent back.
    let effort = json!({"effort": "low"});
    let encrypted = json!({"reasoning": effort, "include": ["reasoning.encrypted_content"]});
    assert_eq!(sent_body(request_with(json!({"reasoning": effort}))).await, body(encrypted));
    let own = json!({"reasoning": effort, "include": []});
    assert_eq!(sent_body(request_with(own.clone())).await, body(own));

    let wrong = [
        json!([]),
        json!("x"),
        json!({"input": []}),
        json!({"stream": false}),
        json!({"store": true}),
        json!({"previous_response_id": "r"}),
        json!({"session": "yes"}),
        json!({"max_output_tokens": 9}),
    ];
    assert_options_refused(KIND, wrong).await;
}

/// Reasoning is sent back at its position, before the calls that it led to. That of another protocol is not.
#[tokio::test]
async fn reasoning_is_sent_back_within_tool_rounds() {
    let encrypted =
        |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "c2VhbGVk"});
    let state = json!({"openAiResponses": [encrypted("rs_1"), "call", encrypted("rs_2"), "text", "call"]});
    let calls = [("a", "size", json!({})), ("b", "size", json!({}))];
    let round = |state: Value| {
        let assistant_calls = Message { provider_state: Some(state), ..assistant_with_calls("So:", &calls) };
        ModelRequest {
            messages: to_shared([user("?"), assistant_calls, tool_message("a", "1"), tool_message("b", "2")]),
            ..request()
        }
    };
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "size", "arguments": "{}"});
    let tool_result =
        |id: &str, output: &str| json!({"type": "function_call_output", "call_id": id, "output": output});
    let text_item = json!({"role": "assistant", "content": "So:"});
    let question = json!({"role": "user", "content": "?"});
    assert_eq!(
        sent_body(round(state)).await["input"],
        json!([
            question,
            encrypted("rs_1"),
            call("a"),
            encrypted("rs_2"),
            text_item,
            call("b"),
            tool_result("a", "1"),
            tool_result("b", "2")
        ])
    );
    for foreign in [json!({"anthropic": [encrypted("x")]}), json!({"openAiResponses": 7}), json!("x")] {
        let plain =
            json!([question, text_item, call("a"), call("b"), tool_result("a", "1"), tool_result("b", "2")]);
        assert_eq!(sent_body(round(foreign)).await["input"], plain);
    }
}

#[tokio::test]
async fn models_are_listed_and_missing_key_is_reported() {
    let listed = r#"{"object": "list", "data": [{"id": "b", "x": 1}, {"id": "a"}]}"#;
    let server = Server::with_answers([Answer::json(200, listed)]).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b"]);
    assert_eq!(server.received()[0].line, "GET /v1/models");
    let mut settings = server.settings(KIND);
    settings.key_env = Some("PLAIT_TEST_NO_SUCH_KEY, PLAIT_TEST_NOR_THIS".into());
    let fault = call(&*provider(settings), request()).await.0.expect_err("no key");
    assert_eq!(fault.code, "provider.unauthorized");
    assert!(fault.message.contains("PLAIT_TEST_NO_SUCH_KEY and PLAIT_TEST_NOR_THIS are not set"), "{fault}");
    assert_eq!(server.received().len(), 1, "nothing was sent");
}

#[tokio::test]
async fn images_and_documents_are_mapped() {
    let body = sent_body(ModelRequest { messages: to_shared([document_message()]), ..request() }).await;
    assert_eq!(
        body["input"],
        json!([{"role": "user", "content": [
            {"type": "input_text", "text": "What do they say?"},
            {"type": "input_file", "filename": "report.pdf", "file_data": "data:application/pdf;base64,aGk="},
            {"type": "input_image", "detail": "auto", "image_url": "data:image/jpeg;base64,aGk="},
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
        let id = |pointer| body["input"].pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
        (id("/1/call_id"), id("/2/call_id"))
    };
    let (call, result) = ids("https://api.openai.com");
    assert_eq!((call.len(), &call), (64, &result));
    assert_eq!(ids("https://gateway.example"), (long.clone(), long.clone()));
}
