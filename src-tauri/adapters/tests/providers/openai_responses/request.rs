//! What is sent, to the last key.

use plait_engine::context::Message;
use plait_engine::provider::ModelRequest;
use serde_json::{Value, json};

use super::{KIND, says};
use crate::asked::{asks, closed_schema, everything, received, refuses, shared, tells, user};
use crate::server::{Answer, Server, call, provider, request};

/// The body that goes out for a request.
async fn sent(request: ModelRequest) -> Value {
    let received = received(KIND, says("r", "Hi"), request).await;
    assert_eq!(received.line, "POST /v1/responses");
    assert_eq!(received.headers["content-type"], "application/json");
    assert_eq!(received.headers["accept"], "text/event-stream");
    received.body
}

#[tokio::test]
async fn nothing_but_what_is_asked() {
    let body = sent(ModelRequest { messages: shared([user("Hello")]), ..request() }).await;
    let input = json!([{"role": "user", "content": "Hello"}]);
    assert_eq!(body, json!({"model": "tiny", "stream": true, "store": false, "input": input}));
}

#[tokio::test]
async fn everything_at_once() {
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
        sent(everything()).await,
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
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
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
async fn options() {
    let asked = |options: Value| ModelRequest {
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
    // As they are; those of the text beside its format; `session` is Plait's own and stays here.
    let text = json!({"format": format, "verbosity": "low"});
    let given = json!({"top_p": 0.5, "text": {"verbosity": "low"}, "session": false});
    assert_eq!(sent(asked(given)).await, body(json!({"top_p": 0.5, "text": text})));
    // Who sets how to reason gets the reasoning in a form that can be handed back.
    let effort = json!({"effort": "low"});
    let sealed = json!({"reasoning": effort, "include": ["reasoning.encrypted_content"]});
    assert_eq!(sent(asked(json!({"reasoning": effort}))).await, body(sealed));
    let own = json!({"reasoning": effort, "include": []});
    assert_eq!(sent(asked(own.clone())).await, body(own));

    let wrong = [
        json!([]),
        json!("x"),
        json!({"input": []}),
        json!({"stream": false}),
        json!({"store": true}),
        json!({"previous_response_id": "r"}),
        json!({"session": "yes"}),
    ];
    refuses(KIND, wrong).await;
}

/// Reasoning goes back where it stood, in front of the calls it led to; another protocol's does not.
#[tokio::test]
async fn reasoning_goes_back_in_the_rounds_of_tools() {
    let sealed =
        |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "c2VhbGVk"});
    let state = json!({"openAiResponses": [sealed("rs_1"), "call", sealed("rs_2"), "text", "call"]});
    let calls = [("a", "size", json!({})), ("b", "size", json!({}))];
    let round = |state: Value| {
        let asked = Message { provider_state: Some(state), ..asks("So:", &calls) };
        ModelRequest { messages: shared([user("?"), asked, tells("a", "1"), tells("b", "2")]), ..request() }
    };
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "size", "arguments": "{}"});
    let tool_result =
        |id: &str, output: &str| json!({"type": "function_call_output", "call_id": id, "output": output});
    let said = json!({"role": "assistant", "content": "So:"});
    let question = json!({"role": "user", "content": "?"});
    assert_eq!(
        sent(round(state)).await["input"],
        json!([
            question,
            sealed("rs_1"),
            call("a"),
            sealed("rs_2"),
            said,
            call("b"),
            tool_result("a", "1"),
            tool_result("b", "2")
        ])
    );
    for foreign in [json!({"anthropic": [sealed("x")]}), json!({"openAiResponses": 7}), json!("x")] {
        let plain =
            json!([question, said, call("a"), call("b"), tool_result("a", "1"), tool_result("b", "2")]);
        assert_eq!(sent(round(foreign)).await["input"], plain);
    }
}

#[tokio::test]
async fn key_and_models() {
    let listed = r#"{"object": "list", "data": [{"id": "b", "x": 1}, {"id": "a"}]}"#;
    let server = Server::saying([Answer::json(200, listed)]).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b"]);
    assert_eq!(server.received()[0].line, "GET /v1/models");
    let mut settings = server.settings(KIND);
    settings.key_env = Some("PLAIT_TEST_NO_SUCH_KEY, PLAIT_TEST_NOR_THIS".into());
    let fault = call(&*provider(settings), request()).await.0.expect_err("no key");
    assert_eq!(fault.code, "provider.unauthorized");
    assert!(fault.message.contains("PLAIT_TEST_NO_SUCH_KEY and PLAIT_TEST_NOR_THIS are not set"), "{fault}");
    assert_eq!(server.received().len(), 1, "nothing was sent");
}
