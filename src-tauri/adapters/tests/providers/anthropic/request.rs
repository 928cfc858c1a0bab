//! What is sent, to the last key.

use plait_adapters::ProviderRegistry;
use plait_engine::context::{Message, Role};
use plait_engine::provider::{ModelRequest, Providers as _};
use serde_json::{Value, json};

use super::{KIND, saying, stream_of};
use crate::asked::{asks, message, picture, received, refuses, shared, tells, tool};
use crate::server::{Answer, Server, call, request};

fn hello() -> Answer {
    Answer::stream(stream_of(&saying("Hi", "end_turn")))
}

/// The body that goes out for a request.
pub(super) async fn sent(request: ModelRequest) -> Value {
    received(KIND, hello(), request).await.body
}

/// A block of text, marked or not.
fn text(text: &str, is_marked: bool) -> Value {
    let mut block = json!({"type": "text", "text": text});
    if is_marked {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    block
}

#[tokio::test]
async fn system_history_and_tools_with_their_marks() {
    let body = sent(ModelRequest {
        system: Some("Be brief.".into()),
        messages: shared([
            message(Role::User, "Hello"),
            Message { reasoning: Some("never sent".into()), ..message(Role::Assistant, "Hi.") },
            message(Role::System, "The person is in a hurry."),
            message(Role::User, "And another thing."),
            message(Role::User, " "),
            message(Role::User, "What is 6 × 7?"),
        ]),
        tools: vec![tool("calculator"), tool("slide_rule")],
        ..request()
    })
    .await;
    let spec = |name: &str| {
        json!({
            "name": name,
            "description": format!("Does {name}."),
            "input_schema": {"type": "object", "properties": {"x": {"type": "string"}}},
        })
    };
    let mut last_tool = spec("slide_rule");
    last_tool["cache_control"] = json!({"type": "ephemeral"});
    assert_eq!(
        body,
        json!({
            "model": "tiny",
            "max_tokens": 16_384,
            "stream": true,
            "system": [text("Be brief.", false), text("The person is in a hurry.", true)],
            "tools": [spec("calculator"), last_tool],
            "messages": [
                {"role": "user", "content": [text("Hello", false)]},
                {"role": "assistant", "content": [text("Hi.", false)]},
                // Two messages of one role are one; the history ends between them.
                {"role": "user", "content": [text("And another thing.", true), text("What is 6 × 7?", false)]},
            ],
        })
    );
}

#[tokio::test]
async fn the_first_message_of_all_is_sent_bare() {
    let body = sent(ModelRequest { messages: shared([message(Role::User, "Hello")]), ..request() }).await;
    assert_eq!(
        body,
        json!({
            "model": "tiny", "max_tokens": 16_384, "stream": true,
            "messages": [{"role": "user", "content": [text("Hello", false)]}],
        })
    );
}

#[tokio::test]
async fn no_more_marks_than_the_protocol_allows() {
    let state =
        json!({"anthropic": [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "tool_use"}]});
    let calls = [("a", "calculator", json!({}))];
    let body = sent(ModelRequest {
        system: Some("Be brief.".into()),
        messages: shared([
            message(Role::User, "Hello"),
            message(Role::Assistant, "Hi."),
            message(Role::User, "6*7?"),
            Message { provider_state: Some(state), ..asks("", &calls) },
            tells("a", "42"),
        ]),
        tools: vec![tool("calculator")],
        ..request()
    })
    .await;
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    let marked = |pointer: &str| body.pointer(pointer).and_then(|block| block.get("cache_control")).is_some();
    assert!(marked("/tools/0") && marked("/system/0"), "{body}");
    assert!(marked("/messages/1/content/0") && marked("/messages/4/content/0"), "{body}");
}

#[tokio::test]
async fn bounds_images_and_options() {
    let body = sent(ModelRequest {
        messages: shared([picture()]),
        temperature: Some(0.25),
        max_tokens: Some(100),
        options: json!({"top_k": 9, "temperature": 1, "thinking": {"type": "adaptive"}, "session": true}),
        ..request()
    })
    .await;
    assert_eq!(
        body,
        json!({
            "model": "tiny",
            "max_tokens": 100,
            "stream": true,
            "messages": [{"role": "user", "content": [
                text("What is this?", false),
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
            ]}],
            "temperature": 1,
            "top_k": 9,
            "thinking": {"type": "adaptive"},
        })
    );
}

#[tokio::test]
async fn the_bound_of_a_reply_that_nobody_set_is_one_the_model_takes() {
    for (model, expected) in [
        ("claude-opus-4-8", 16_384),
        ("claude-3-7-sonnet-20250219", 16_384),
        ("claude-3-5-haiku-20241022", 8_192),
        ("claude-3-haiku-20240307", 4_096),
        ("claude-2.1", 4_096),
    ] {
        let body = sent(ModelRequest { model: model.into(), ..request() }).await;
        assert_eq!(body["max_tokens"], json!(expected), "{model}");
    }
}

#[tokio::test]
async fn a_schema_in_the_protocols_own_way() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]});
    let body = sent(ModelRequest {
        response_schema: Some(schema),
        options: json!({"output_config": {"effort": "low"}}),
        tools: vec![tool("calculator")],
        ..request()
    })
    .await;
    assert_eq!(
        body["output_config"],
        json!({
            "effort": "low",
            "format": {"type": "json_schema", "schema": {
                "type": "object",
                "properties": {"a": {"type": "integer", "description": "(minimum: 1)"}},
                "required": ["a"],
                "additionalProperties": false,
            }},
        })
    );
    assert_eq!((body["tools"].as_array().map(Vec::len), body.get("tool_choice")), (Some(1), None));
}

#[tokio::test]
async fn a_schema_as_a_tool_where_there_is_no_other_way() {
    let open = json!({"type": "object", "required": ["a"]});
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let one = json!({"type": "tool", "name": "give_reply"});
    let any = json!({"type": "any"});
    for (model, schema, tools, thinking, name, choice) in [
        ("claude-opus-4-8", &open, vec![], None, "give_reply", Some(&one)),
        ("claude-3-haiku-20240307", &closed, vec![], None, "give_reply", Some(&one)),
        ("claude-sonnet-4-20250514", &closed, vec![tool("give_reply")], None, "give_reply_", Some(&any)),
        ("claude-opus-4-1", &closed, vec![], Some("enabled"), "give_reply", None),
        ("claude-opus-4-1", &closed, vec![], Some("disabled"), "give_reply", Some(&one)),
    ] {
        let mut asked = request();
        asked.model = model.into();
        asked.response_schema = Some(schema.clone());
        asked.tools = tools;
        if let Some(kind) = thinking {
            asked.options = json!({"thinking": {"type": kind}});
        }
        let body = sent(asked).await;
        let last = body["tools"].as_array().and_then(|tools| tools.last()).expect("a tool");
        assert_eq!((&last["name"], &last["input_schema"]), (&json!(name), schema), "{model}");
        assert_eq!(body.get("tool_choice"), choice, "{model}");
        assert_eq!(body.get("output_config"), None, "{model}");
    }
    // Newer ones of the same names have the protocol's own way.
    for model in ["claude-opus-4-5", "claude-sonnet-4-6", "claude-haiku-4-5", "claude-fable-5"] {
        let body =
            sent(ModelRequest { model: model.into(), response_schema: Some(closed.clone()), ..request() })
                .await;
        assert_eq!(body["output_config"]["format"]["schema"], closed, "{model}");
    }
}

#[tokio::test]
async fn options_that_are_plaits_own_are_refused_before_anything_is_sent() {
    let wrong = [
        json!([]),
        json!({"messages": []}),
        json!({"stream": false}),
        json!({"model": "other"}),
        json!({"system": "x"}),
        json!({"tools": []}),
    ];
    refuses(KIND, wrong).await;
}

#[tokio::test]
async fn path_headers_and_key() {
    let server = Server::saying([hello()]).await;
    let table = ProviderRegistry::new(&[("test".to_owned(), server.settings(KIND))].into()).expect("made");
    let provider = table.get("test").expect("there");
    call(&*provider, request()).await.0.expect("a reply");
    table.set_session_key("test", "secret").expect("taken");
    call(&*provider, request()).await.0.expect("a reply");
    let received = server.received();
    assert!(received.iter().all(|received| received.line == "POST /v1/messages"), "{received:?}");
    assert!(
        received.iter().all(|received| received.headers["anthropic-version"] == "2023-06-01"),
        "{received:?}"
    );
    assert_eq!(received[1].headers["content-type"], "application/json");
    let keys: Vec<_> =
        received.iter().map(|received| received.headers.get("x-api-key").map(String::as_str)).collect();
    assert_eq!(keys, [None, Some("secret")]);
    assert!(received.iter().all(|received| !received.headers.contains_key("authorization")), "{received:?}");
}

#[tokio::test]
async fn models_are_listed_to_the_last_page() {
    let page = |ids: [&str; 2], more: bool| {
        let data = ids.map(|id| json!({"type": "model", "id": id, "display_name": "x"}));
        json!({"data": data, "has_more": more, "first_id": ids[0], "last_id": ids[1]}).to_string()
    };
    let pages = [Answer::json(200, &page(["d", "c/1"], true)), Answer::json(200, &page(["b", "a"], false))];
    let server = Server::saying(pages).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b", "c/1", "d"]);
    let lines: Vec<_> = server.received().into_iter().map(|received| received.line).collect();
    assert_eq!(lines, ["GET /v1/models?limit=1000", "GET /v1/models?limit=1000&after_id=c%2F1"]);
    assert_eq!(server.received()[0].headers["anthropic-version"], "2023-06-01");
    // A list that never ends is not followed for ever.
    let server = Server::saying([Answer::json(200, &page(["a", "b"], true))]).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b"]);
    assert_eq!(server.received().len(), 20);
    let server = Server::saying([Answer::json(200, "[1]")]).await;
    assert_eq!(
        server.provider(KIND).models().await.expect_err("not a list").code,
        "provider.invalid_response"
    );
}
