//! The exact request bodies and headers.

use plait_adapters::ProviderRegistry;
use plait_llm::context::{Content, Message, Part, Role};
use plait_llm::provider::{ModelRequest, Providers as _};
use serde_json::{Value, json};

use super::{KIND, text_events};
use crate::requests::{
    assert_options_refused, attachment, capture_request, document_message, image_message, message, to_shared,
    tool,
};
use crate::server::{Answer, Server, call, events, provider, request, settings};

fn hello() -> Answer {
    Answer::stream(events(&text_events("Hi", "STOP")))
}

pub(super) async fn sent_body(request: ModelRequest) -> Value {
    capture_request(KIND, hello(), request).await.body
}

#[tokio::test]
async fn system_history_and_tools_are_mapped() {
    let mut dialect = tool("slide_rule");
    dialect.parameters["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    let body = sent_body(ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared([
            message(Role::User, "Hello"),
            Message { reasoning: Some("never sent".into()), ..message(Role::Assistant, "Hi.") },
            message(Role::System, "The person is in a hurry."),
            message(Role::User, "And another thing."),
            message(Role::User, ""),
            message(Role::User, "What is 6 × 7?"),
        ]),
        tools: vec![tool("calculator"), dialect],
        ..request()
    })
    .await;
    let function = |name: &str| {
        json!({
            "name": name,
            "description": format!("Does {name}."),
            "parametersJsonSchema": {"type": "object", "properties": {"x": {"type": "string"}}},
        })
    };
    assert_eq!(
        body,
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}, {"text": "The person is in a hurry."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Hello"}]},
                {"role": "model", "parts": [{"text": "Hi."}]},
                {"role": "user", "parts": [{"text": "And another thing."}, {"text": "What is 6 × 7?"}]},
            ],
            "tools": [{"functionDeclarations": [function("calculator"), function("slide_rule")]}],
        })
    );
}

#[tokio::test]
async fn limits_images_schema_and_options_are_mapped() {
    let schema =
        json!({"$schema": "x", "type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}});
    let mut stripped = schema.clone();
    stripped.as_object_mut().expect("an object").remove("$schema");
    let body = sent_body(ModelRequest {
        messages: to_shared([image_message()]),
        temperature: Some(0.25),
        max_tokens: Some(100),
        response_schema: Some(schema),
        options: json!({
            "generationConfig": {"topP": 0.9, "temperature": 0.5, "thinkingConfig": {"includeThoughts": true}},
            "safetySettings": [],
            "session": true,
        }),
        ..request()
    })
    .await;
    assert_eq!(
        body,
        json!({
            "contents": [{"role": "user", "parts": [
                {"text": "What is this?"},
                {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            ]}],
            "generationConfig": {
                "temperature": 0.5,
                "maxOutputTokens": 100,
                "responseMimeType": "application/json",
                "responseJsonSchema": stripped,
                "topP": 0.9,
                "thinkingConfig": {"includeThoughts": true},
            },
            "safetySettings": [],
        })
    );
}

#[tokio::test]
async fn schema_with_functions_is_sent_as_text_to_older_models() {
    let schema = json!({"type": "object"});
    for (model, as_text) in [
        ("gemini-2.5-flash", true),
        ("models/gemini-2.0-flash", true),
        ("gemini-3-flash-preview", false),
        ("gemini-3.1-pro-preview", false),
    ] {
        let model_request = ModelRequest {
            model: model.into(),
            system: Some("Be brief.".into()),
            response_schema: Some(schema.clone()),
            tools: vec![tool("calculator")],
            ..request()
        };
        let body = sent_body(model_request.clone()).await;
        let words = body["systemInstruction"]["parts"].as_array().expect("parts");
        assert_eq!(words.len(), if as_text { 2 } else { 1 }, "{model}");
        assert_eq!(words.last().is_some_and(|last| last.to_string().contains("JSON Schema")), as_text);
        assert_eq!(body.get("generationConfig").is_none(), as_text, "{model}");
        // Without functions the schema is always a format.
        let body = sent_body(ModelRequest { tools: Vec::new(), ..model_request }).await;
        assert_eq!(body["generationConfig"]["responseJsonSchema"], schema, "{model}");
        assert_eq!(body["systemInstruction"], json!({"parts": [{"text": "Be brief."}]}), "{model}");
    }
}

#[tokio::test]
async fn reserved_options_are_refused_before_sending() {
    let wrong = [
        json!([]),
        json!({"contents": []}),
        json!({"model": "other"}),
        json!({"systemInstruction": {}}),
        json!({"tools": []}),
        json!({"generationConfig": {"maxOutputTokens": 9}}),
        json!({"generationConfig": {"max_output_tokens": 9}}),
        json!({"generation_config": {}}),
        json!({"system_instruction": {}}),
    ];
    assert_options_refused(KIND, wrong).await;
}

#[tokio::test]
async fn request_has_the_path_headers_and_key() {
    let server = Server::with_answers([hello()]).await;
    let table = ProviderRegistry::new(&[("test".to_owned(), server.settings(KIND))].into()).expect("made");
    let provider = table.get("test").expect("there");
    table.set_session_key("test", "secret").expect("taken");
    for model in ["tiny", "models/tiny", "tunedModels/mine", "odd ?#name"] {
        call(&*provider, ModelRequest { model: model.into(), ..request() }).await.0.expect("a reply");
    }
    let lines: Vec<_> = server.received().into_iter().map(|received| received.line).collect();
    assert_eq!(
        lines,
        [
            "POST /v1beta/models/tiny:streamGenerateContent?alt=sse",
            "POST /v1beta/models/tiny:streamGenerateContent?alt=sse",
            "POST /v1beta/tunedModels/mine:streamGenerateContent?alt=sse",
            "POST /v1beta/models/odd%20%3F%23name:streamGenerateContent?alt=sse",
        ]
    );
    let received = server.received().remove(0);
    assert_eq!(received.headers["x-goog-api-key"], "secret");
    assert_eq!(received.headers["content-type"], "application/json");
    assert!(!received.headers.contains_key("authorization"), "{received:?}");
}

#[tokio::test]
async fn generating_models_of_all_pages_are_listed() {
    let model = |name: &str, method: &str| json!({"name": name, "displayName": "x", "supportedGenerationMethods": [method, "countTokens"]});
    let first = json!({
        "models": [model("models/d", "generateContent"), model("models/embedding", "embedContent")],
        "nextPageToken": "a/b=",
    });
    let second = json!({"models": [
        model("models/b", "generateContent"), model("tunedModels/a", "generateContent"), {"name": "models/bare"},
    ]});
    let pages = [first.clone(), second].map(|page| Answer::json(200, &page.to_string()));
    let server = Server::with_answers(pages).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["b", "d", "tunedModels/a"]);
    let lines: Vec<_> = server.received().into_iter().map(|received| received.line).collect();
    assert_eq!(
        lines,
        ["GET /v1beta/models?pageSize=1000", "GET /v1beta/models?pageSize=1000&pageToken=a%2Fb%3D"]
    );
    // The number of pages is bounded.
    let server = Server::with_answers([Answer::json(200, &first.to_string())]).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["d"]);
    assert_eq!(server.received().len(), 20);
    let server = Server::with_answers([Answer::json(200, "{\"models\": 7}")]).await;
    assert_eq!(
        server.provider(KIND).models().await.expect_err("not a list").code,
        "provider.invalid_response"
    );
}

#[tokio::test]
async fn images_and_documents_are_mapped() {
    let body = sent_body(ModelRequest { messages: to_shared([document_message()]), ..request() }).await;
    assert_eq!(
        body["contents"],
        json!([{"role": "user", "parts": [
            {"text": "What do they say?"},
            {"inlineData": {"mimeType": "application/pdf", "data": "aGk="}},
            {"inlineData": {"mimeType": "image/jpeg", "data": "aGk="}},
        ]}])
    );
}

/// A reply's own images go back to it in their place.
#[tokio::test]
async fn images_of_an_earlier_reply_are_sent_back() {
    let parts = vec![Part::Text { text: "Here:".into() }, attachment("image/png", "image-1.png")];
    let reply = message(Role::Assistant, Content::Parts(parts));
    let messages = to_shared([message(Role::User, "Draw."), reply, message(Role::User, "Bigger.")]);
    let body = sent_body(ModelRequest { messages, ..request() }).await;
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "aGk="}});
    assert_eq!(body["contents"][1], json!({"role": "model", "parts": [{"text": "Here:"}, image]}));
}

#[test]
fn gifs_are_refused() {
    let provider = provider(settings(KIND, "http://127.0.0.1:1"));
    assert!(!provider.takes_attachment("image/gif"));
    assert!(provider.takes_attachment("image/png"));
}
