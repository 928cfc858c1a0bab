//! What is sent, to the last key.

use plait_adapters::ProviderRegistry;
use plait_engine::context::{Message, Role};
use plait_engine::provider::{ModelRequest, Providers as _};
use serde_json::{Value, json};

use super::{KIND, saying};
use crate::asked::{message, picture, received, refuses, shared, tool};
use crate::server::{Answer, Server, call, events, request};

fn hello() -> Answer {
    Answer::stream(events(&saying("Hi", "STOP")))
}

/// The body that goes out for a request.
pub(super) async fn sent(request: ModelRequest) -> Value {
    received(KIND, hello(), request).await.body
}

#[tokio::test]
async fn system_history_and_tools() {
    let mut dialect = tool("slide_rule");
    dialect.parameters["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    let body = sent(ModelRequest {
        system: Some("Be brief.".into()),
        messages: shared([
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
async fn bounds_images_schema_and_options() {
    let schema =
        json!({"$schema": "x", "type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}});
    let mut stripped = schema.clone();
    stripped.as_object_mut().expect("an object").remove("$schema");
    let body = sent(ModelRequest {
        messages: shared([picture()]),
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
async fn a_schema_beside_functions_goes_in_words_where_the_model_takes_one_of_both() {
    let schema = json!({"type": "object"});
    for (model, in_words) in [
        ("gemini-2.5-flash", true),
        ("models/gemini-2.0-flash", true),
        ("gemini-3-flash-preview", false),
        ("gemini-3.1-pro-preview", false),
    ] {
        let asked = ModelRequest {
            model: model.into(),
            system: Some("Be brief.".into()),
            response_schema: Some(schema.clone()),
            tools: vec![tool("calculator")],
            ..request()
        };
        let body = sent(asked.clone()).await;
        let words = body["systemInstruction"]["parts"].as_array().expect("parts");
        assert_eq!(words.len(), if in_words { 2 } else { 1 }, "{model}");
        assert_eq!(words.last().is_some_and(|last| last.to_string().contains("JSON Schema")), in_words);
        assert_eq!(body.get("generationConfig").is_none(), in_words, "{model}");
        // Without functions it is always a format.
        let body = sent(ModelRequest { tools: Vec::new(), ..asked }).await;
        assert_eq!(body["generationConfig"]["responseJsonSchema"], schema, "{model}");
        assert_eq!(body["systemInstruction"], json!({"parts": [{"text": "Be brief."}]}), "{model}");
    }
}

#[tokio::test]
async fn options_that_are_plaits_own_are_refused_before_anything_is_sent() {
    let wrong = [
        json!([]),
        json!({"contents": []}),
        json!({"model": "other"}),
        json!({"systemInstruction": {}}),
        json!({"tools": []}),
    ];
    refuses(KIND, wrong).await;
}

#[tokio::test]
async fn path_headers_and_key() {
    let server = Server::saying([hello()]).await;
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
async fn models_that_generate_are_listed_to_the_last_page() {
    let model = |name: &str, method: &str| json!({"name": name, "displayName": "x", "supportedGenerationMethods": [method, "countTokens"]});
    let first = json!({
        "models": [model("models/d", "generateContent"), model("models/embedding", "embedContent")],
        "nextPageToken": "a/b=",
    });
    let second = json!({"models": [
        model("models/b", "generateContent"), model("tunedModels/a", "generateContent"), {"name": "models/bare"},
    ]});
    let pages = [first.clone(), second].map(|page| Answer::json(200, &page.to_string()));
    let server = Server::saying(pages).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["b", "d", "tunedModels/a"]);
    let lines: Vec<_> = server.received().into_iter().map(|received| received.line).collect();
    assert_eq!(
        lines,
        ["GET /v1beta/models?pageSize=1000", "GET /v1beta/models?pageSize=1000&pageToken=a%2Fb%3D"]
    );
    // A list that never ends is not followed for ever.
    let server = Server::saying([Answer::json(200, &first.to_string())]).await;
    assert_eq!(server.provider(KIND).models().await.expect("listed"), ["d"]);
    assert_eq!(server.received().len(), 20);
    let server = Server::saying([Answer::json(200, "{\"models\": 7}")]).await;
    assert_eq!(
        server.provider(KIND).models().await.expect_err("not a list").code,
        "provider.invalid_response"
    );
}
