//! The exact request bodies and headers.

use plait_adapters::ProviderRegistry;
use plait_llm::context::{Message, Role};
use plait_llm::provider::{ModelRequest, Providers as _};
use serde_json::{Value, json};

use super::{KIND, stream_of, text_events};
use crate::requests::{
    assert_options_refused, assistant_with_calls, capture_request, document_message, image_message, message,
    to_shared, tool, tool_message,
};
use crate::server::{Answer, Server, call, request};

fn hello() -> Answer {
    Answer::stream(stream_of(&text_events("Hi", "end_turn")))
}

pub(super) async fn sent_body(request: ModelRequest) -> Value {
    capture_request(KIND, hello(), request).await.body
}

/// A block of text, with a cache mark or without.
fn text(text: &str, is_marked: bool) -> Value {
    let mut block = json!({"type": "text", "text": text});
    if is_marked {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    block
}

#[tokio::test]
async fn system_history_and_tools_have_cache_marks() {
    let body = sent_body(ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared([
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
async fn first_message_has_no_cache_mark() {
    let body =
        sent_body(ModelRequest { messages: to_shared([message(Role::User, "Hello")]), ..request() }).await;
    assert_eq!(
        body,
        json!({
            "model": "tiny", "max_tokens": 16_384, "stream": true,
            "messages": [{"role": "user", "content": [text("Hello", false)]}],
        })
    );
}

#[tokio::test]
async fn cache_marks_stay_within_the_limit_of_four() {
    let state =
        json!({"anthropic": [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "tool_use"}]});
    let calls = [("a", "calculator", json!({}))];
    let body = sent_body(ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared([
            message(Role::User, "Hello"),
            message(Role::Assistant, "Hi."),
            message(Role::User, "6*7?"),
            Message { provider_state: Some(state), ..assistant_with_calls("", &calls) },
            tool_message("a", "42"),
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
async fn limits_images_and_options_are_mapped() {
    let body = sent_body(ModelRequest {
        model: "claude-opus-4-6".into(),
        messages: to_shared([image_message()]),
        temperature: Some(0.25),
        max_tokens: Some(100),
        options: json!({"top_k": 9, "temperature": 1, "thinking": {"type": "adaptive"}, "session": true}),
        ..request()
    })
    .await;
    assert_eq!(
        body,
        json!({
            "model": "claude-opus-4-6",
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
async fn default_max_tokens_is_valid_for_the_model() {
    for (model, expected) in [
        ("claude-opus-4-8", 16_384),
        ("claude-3-7-sonnet-20250219", 16_384),
        ("claude-3-5-haiku-20241022", 8_192),
        ("claude-3-haiku-20240307", 4_096),
        ("claude-2.1", 4_096),
    ] {
        let body = sent_body(ModelRequest { model: model.into(), ..request() }).await;
        assert_eq!(body["max_tokens"], json!(expected), "{model}");
    }
}

#[tokio::test]
async fn schema_is_sent_as_output_config() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]});
    let body = sent_body(ModelRequest {
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
async fn schema_is_sent_as_a_tool_to_older_models() {
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
        let mut model_request = request();
        model_request.model = model.into();
        model_request.response_schema = Some(schema.clone());
        model_request.tools = tools;
        if let Some(kind) = thinking {
            model_request.options = match kind {
                "enabled" => json!({"thinking": {"type": kind, "budget_tokens": 1024}}),
                _ => json!({"thinking": {"type": kind}}),
            };
        }
        let body = sent_body(model_request).await;
        let last = body["tools"].as_array().and_then(|tools| tools.last()).expect("a tool");
        assert_eq!((&last["name"], &last["input_schema"]), (&json!(name), schema), "{model}");
        assert_eq!(body.get("tool_choice"), choice, "{model}");
        assert_eq!(body.get("output_config"), None, "{model}");
    }
    // Newer models of these families support `output_config`.
    for model in ["claude-opus-4-5", "claude-sonnet-4-6", "claude-haiku-4-5", "claude-fable-5"] {
        let body = sent_body(ModelRequest {
            model: model.into(),
            response_schema: Some(closed.clone()),
            ..request()
        })
        .await;
        assert_eq!(body["output_config"]["format"]["schema"], closed, "{model}");
    }
}

#[tokio::test]
async fn reserved_options_are_refused_before_sending() {
    let wrong = [
        json!([]),
        json!({"messages": []}),
        json!({"stream": false}),
        json!({"model": "other"}),
        json!({"system": "x"}),
        json!({"tools": []}),
        json!({"max_tokens": 9}),
    ];
    assert_options_refused(KIND, wrong).await;
}

#[tokio::test]
async fn request_has_the_path_headers_and_key() {
    let server = Server::with_answers([hello()]).await;
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
async fn models_of_all_pages_are_listed() {
    let page = |ids: [&str; 2], more: bool| {
        let data = ids.map(|id| json!({"type": "model", "id": id, "display_name": "x"}));
        json!({"data": data, "has_more": more, "first_id": ids[0], "last_id": ids[1]}).to_string()
    };
    let pages = [Answer::json(200, &page(["d", "c/1"], true)), Answer::json(200, &page(["b", "a"], false))];
    let server = Server::with_answers(pages).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b", "c/1", "d"]);
    let lines: Vec<_> = server.received().into_iter().map(|received| received.line).collect();
    assert_eq!(lines, ["GET /v1/models?limit=1000", "GET /v1/models?limit=1000&after_id=c%2F1"]);
    assert_eq!(server.received()[0].headers["anthropic-version"], "2023-06-01");
    // The number of pages is bounded.
    let server = Server::with_answers([Answer::json(200, &page(["a", "b"], true))]).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["a", "b"]);
    assert_eq!(server.received().len(), 20);
    let server = Server::with_answers([Answer::json(200, "[1]")]).await;
    assert_eq!(
        server.provider(KIND).models().await.expect_err("not a list").code,
        "provider.invalid_response"
    );
}

#[tokio::test]
async fn images_and_documents_are_mapped() {
    let body = sent_body(ModelRequest { messages: to_shared([document_message()]), ..request() }).await;
    let source = |media_type: &str| json!({"type": "base64", "media_type": media_type, "data": "aGk="});
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": [
            text("What do they say?", false),
            {"type": "document", "source": source("application/pdf"), "title": "report.pdf"},
            {"type": "image", "source": source("image/jpeg")},
        ]}])
    );
}
