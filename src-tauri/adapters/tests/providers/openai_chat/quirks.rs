//! Servers that differ from OpenAI's are data: what the quirks of a provider's settings change in what a server receives.

use std::collections::BTreeMap;

use plait_adapters::ProviderSettings;
use plait_adapters::keys::{KeyRetention, KeyStore};
use plait_adapters::providers::{
    ChatQuirks, ProviderPreset, ProviderRegistry, ReasoningField, StructuredOutput, TokenLimitField, presets,
};
use plait_adapters::retrieval::{Embedder as _, EmbeddingModel};
use plait_llm::context::Message;
use plait_llm::provider::{ModelReply, ModelRequest, Providers as _};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{KIND, stream_of};
use crate::requests::{assistant_with_calls, closed_schema, image_message, to_shared, tool_message, user};
use crate::server::{Answer, ReceivedRequest, Server, call, provider, request};

fn hello() -> Answer {
    Answer::stream(stream_of(&[
        json!({"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}),
    ]))
}

/// The request of a provider with these settings and a replaced base URL.
async fn received(settings: &ProviderSettings, request: ModelRequest) -> ReceivedRequest {
    let server = Server::with_answers([hello()]).await;
    let settings = ProviderSettings { key_env: None, ..at(settings, &server) };
    call(&*provider(settings), request).await.0.expect("a reply");
    server.received().remove(0)
}

fn at(settings: &ProviderSettings, server: &Server) -> ProviderSettings {
    ProviderSettings { base_url: server.settings(KIND).base_url, ..settings.clone() }
}

async fn sent_body(quirks: ChatQuirks, request: ModelRequest) -> Value {
    received(&ProviderSettings { quirks, ..ProviderSettings::of(KIND) }, request).await.body
}

fn tool_rounds() -> ModelRequest {
    let thought = |message: Message, text: &str| Message { reasoning: Some(text.into()), ..message };
    let messages = [
        user("6*7?"),
        thought(assistant_with_calls("", &[("a", "size", json!({}))]), "First the size."),
        tool_message("a", "42"),
        assistant_with_calls("", &[("b", "size", json!({}))]),
        tool_message("b", "43"),
    ];
    ModelRequest { messages: to_shared(messages), max_tokens: Some(100), ..request() }
}

#[tokio::test]
async fn reasoning_goes_back_in_the_field_of_the_server() {
    let quirks = |reasoning| ChatQuirks { reasoning: Some(reasoning), ..ChatQuirks::default() };
    let body = sent_body(quirks(ReasoningField::ReasoningContent), tool_rounds()).await;
    assert_eq!(body["messages"][1]["reasoning_content"], "First the size.");
    // The server rejects a tool round without the field.
    assert_eq!(body["messages"][3]["reasoning_content"], "");
    let body = sent_body(quirks(ReasoningField::Reasoning), tool_rounds()).await;
    assert_eq!(body["messages"][1]["reasoning"], "First the size.");
    assert_eq!(body["messages"][3].get("reasoning"), None);
    let body = sent_body(ChatQuirks::default(), tool_rounds()).await;
    assert!(!body.to_string().contains("reasoning"), "{body}");
}

#[tokio::test]
async fn reasoning_details_go_back_as_they_came() {
    let detail = |index: u64, fields: Value| {
        let mut detail = json!({"index": index, "format": "anthropic-claude-v1"});
        detail.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        json!({"choices": [{"index": 0, "delta": {"reasoning": "?", "reasoning_details": [detail]}}]})
    };
    let call = json!({"index": 0, "id": "a", "function": {"name": "size", "arguments": "{}"}});
    let answer = Answer::stream(stream_of(&[
        detail(0, json!({"type": "reasoning.text", "text": "First ", "signature": null})),
        detail(0, json!({"type": "reasoning.text", "text": "the size."})),
        detail(0, json!({"type": "reasoning.text", "signature": "sig"})),
        detail(1, json!({"type": "reasoning.encrypted", "data": "eA==", "id": "e1"})),
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}),
    ]));
    let server = Server::with_answers([answer]).await;
    let reply = call_reply(&server).await;
    let message = Message {
        reasoning: reply.reasoning,
        provider_state: reply.provider_state,
        ..assistant_with_calls("", &[("a", "size", json!({}))])
    };
    let rounds = || ModelRequest {
        messages: to_shared([user("6*7?"), message.clone(), tool_message("a", "42")]),
        ..request()
    };
    let quirks = ChatQuirks { reasoning: Some(ReasoningField::Reasoning), ..ChatQuirks::default() };
    let sent = sent_body(quirks, rounds()).await["messages"][1].clone();
    assert_eq!(
        sent["reasoning_details"],
        json!([
            {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1", "text": "First the size.", "signature": "sig"},
            {"type": "reasoning.encrypted", "index": 1, "format": "anthropic-claude-v1", "data": "eA==", "id": "e1"},
        ])
    );
    assert_eq!(sent.get("reasoning"), None, "the same would count twice");
    let body = sent_body(ChatQuirks::default(), rounds()).await;
    assert!(!body.to_string().contains("reasoning"), "other servers do not know it: {body}");
}

async fn call_reply(server: &Server) -> ModelReply {
    call(&*server.provider(KIND), request()).await.0.expect("a reply")
}

#[tokio::test]
async fn ids_of_calls_and_results_are_mapped_alike() {
    let quirks = ChatQuirks { short_tool_call_ids: Some(true), ..ChatQuirks::default() };
    let body = sent_body(quirks, tool_rounds()).await;
    let calls = [1, 3].map(|at| body["messages"][at]["tool_calls"][0]["id"].clone());
    let results = [2, 4].map(|at| body["messages"][at]["tool_call_id"].clone());
    assert_eq!(calls, results);
    assert_ne!(calls[0], calls[1]);
    for id in calls {
        let id = id.as_str().expect("a text");
        assert!(id.len() == 9 && id.chars().all(|char| char.is_ascii_alphanumeric()), "{id}");
    }
    let body = sent_body(ChatQuirks::default(), tool_rounds()).await;
    assert_eq!(body["messages"][1]["tool_calls"][0]["id"], "a");
}

#[tokio::test]
async fn messages_of_one_role_are_merged_where_roles_must_alternate() {
    let messages = || {
        to_shared([
            user("Hello."),
            user("Are you there?"),
            assistant_with_calls("Wait.", &[]),
            assistant_with_calls("", &[("a", "size", json!({})), ("b", "size", json!({}))]),
            tool_message("a", "42"),
            tool_message("b", "43"),
            user("Thanks."),
            image_message(),
        ])
    };
    let request = || ModelRequest { messages: messages(), max_tokens: Some(100), ..request() };
    let roles = |body: &Value| {
        let messages = body["messages"].as_array().expect("a list").clone();
        messages.iter().map(|one| one["role"].as_str().expect("a role").to_owned()).collect::<Vec<_>>()
    };
    let quirks = ChatQuirks { merge_roles: Some(true), ..ChatQuirks::default() };
    let body = sent_body(quirks, request()).await;
    assert_eq!(roles(&body), ["user", "assistant", "tool", "tool", "user"], "{body:#}");
    let sent = &body["messages"];
    assert_eq!(sent[0]["content"], "Hello.\n\nAre you there?");
    assert_eq!((&sent[1]["content"], &sent[1]["tool_calls"][1]["id"]), (&json!("Wait."), &json!("b")));
    assert_eq!((&sent[2]["tool_call_id"], &sent[3]["content"]), (&json!("a"), &json!("43")));
    let kinds: Vec<_> =
        sent[4]["content"].as_array().expect("parts").iter().map(|part| &part["type"]).collect();
    assert_eq!(kinds, ["text", "text", "image_url"]);
    let body = sent_body(ChatQuirks::default(), request()).await;
    assert_eq!(roles(&body).len(), 8, "{body:#}");
}

#[test]
fn reasoning_that_goes_back_is_known_to_count() {
    let settings = |reasoning| ProviderSettings {
        base_url: Some("http://127.0.0.1:9/v1".to_owned()),
        quirks: ChatQuirks { reasoning, ..ChatQuirks::default() },
        ..ProviderSettings::of(KIND)
    };
    assert!(provider(settings(Some(ReasoningField::ReasoningContent))).returns_reasoning());
    assert!(!provider(settings(None)).returns_reasoning());
}

#[tokio::test]
async fn token_limit_has_the_name_that_the_server_knows() {
    let quirks = |field| ChatQuirks { token_limit: Some(field), ..ChatQuirks::default() };
    let body = sent_body(quirks(TokenLimitField::MaxCompletionTokens), tool_rounds()).await;
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(100), None));
    let body = sent_body(quirks(TokenLimitField::MaxTokens), tool_rounds()).await;
    assert_eq!((&body["max_tokens"], body.get("max_completion_tokens")), (&json!(100), None));
}

#[tokio::test]
async fn schema_is_sent_as_the_server_takes_it() {
    let ask = || ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared([user("a?")]),
        response_schema: Some(closed_schema()),
        ..request()
    };
    let strict = sent_body(ChatQuirks::default(), ask()).await;
    assert_eq!(strict["response_format"]["json_schema"]["strict"], true);
    let no_strict = ChatQuirks { strict: Some(false), ..ChatQuirks::default() };
    let body = sent_body(no_strict, ask()).await;
    assert_eq!(
        body["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "reply", "schema": closed_schema()}})
    );
    for (output, format) in [
        (StructuredOutput::JsonObject, Some(json!({"type": "json_object"}))),
        (StructuredOutput::Instructions, None),
    ] {
        let quirks = ChatQuirks { structured_output: Some(output), ..ChatQuirks::default() };
        let body = sent_body(quirks, ask()).await;
        assert_eq!(body.get("response_format"), format.as_ref(), "{output:?}");
        let system = body["messages"][0]["content"].as_str().expect("text");
        assert!(system.starts_with("Be brief.\n\n") && system.contains("JSON Schema"), "{system}");
        assert!(system.contains(&closed_schema().to_string()), "{system}");
        assert_eq!(body["messages"][1]["role"], "user", "one system message: {body}");
    }
}

#[tokio::test]
async fn stream_options_can_be_left_out() {
    let quirks = ChatQuirks { stream_options: Some(false), ..ChatQuirks::default() };
    let body = sent_body(quirks, tool_rounds()).await;
    assert_eq!((body.get("stream_options"), &body["stream"]), (None, &json!(true)));
}

/// A provider with query parameters and a header for its key, as Azure needs them, and its server.
async fn azure_like(answer: Answer) -> (Server, ProviderRegistry, tempfile::TempDir) {
    let server = Server::with_answers([answer]).await;
    let settings = ProviderSettings {
        key_header: Some("api-key".into()),
        query: BTreeMap::from([("api-version".into(), "2024-10-21 a&b".into())]),
        ..server.settings(KIND)
    };
    let home = tempfile::tempdir().expect("folder");
    let keys = KeyStore::in_file(home.path(), None);
    keys.set(&settings.key_owner("azure"), &SecretString::from("k-123"), KeyRetention::Session)
        .await
        .expect("set");
    let registry =
        ProviderRegistry::with_keys(&[("azure".to_owned(), settings)].into(), &keys).expect("valid");
    (server, registry, home)
}

#[tokio::test]
async fn query_and_key_header_are_sent_with_every_request() {
    let (server, registry, _home) = azure_like(hello()).await;
    let azure = registry.get("azure").expect("there");
    call(&*azure, request()).await.0.expect("a reply");
    let shown = azure.http_request(&request()).expect("shown").expect("HTTP");
    assert!(shown.url.ends_with("/v1/chat/completions?api-version=2024-10-21+a%26b"), "{}", shown.url);
    // The answer is no list and no embeddings; what was sent is what matters.
    let _ = azure.models().await;
    let model = EmbeddingModel { provider: "azure".into(), model: "small".into() };
    let _ = registry.embed(&model, &["text".to_owned()]).await;
    let received = server.received();
    let lines: Vec<&str> = received.iter().map(|request| request.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "POST /v1/chat/completions?api-version=2024-10-21+a%26b",
            "GET /v1/models?api-version=2024-10-21+a%26b",
            "POST /v1/embeddings?api-version=2024-10-21+a%26b",
        ]
    );
    for request in received {
        assert_eq!(request.headers["api-key"], "k-123");
        assert!(!request.headers.contains_key("authorization"), "{request:?}");
    }
}

#[tokio::test]
async fn models_are_read_from_a_bare_list() {
    let (_server, registry, _home) =
        azure_like(Answer::json(200, r#"[{"id": "b", "object": "model"}, {"id": "a"}]"#)).await;
    assert_eq!(registry.get("azure").expect("there").models().await.expect("a list"), ["a", "b"]);
}

#[test]
fn headers_and_parameters_that_cannot_be_sent_are_refused() {
    let base_url = Some("http://127.0.0.1:9/v1".to_owned());
    let settings = ProviderSettings { base_url, ..ProviderSettings::of(KIND) };
    let header = |name: &str| ProviderSettings { key_header: Some(name.into()), ..settings.clone() };
    let nameless = ProviderSettings { query: [(" ".into(), "1".into())].into(), ..settings.clone() };
    for wrong in [header("two words"), header("content-type"), header("Host"), nameless] {
        let fault = ProviderRegistry::check("mine", &wrong).expect_err("refused");
        assert_eq!(fault.code, "provider.bad_settings", "{wrong:?}");
        assert!(fault.message.contains("`mine`"), "{fault}");
    }
    for right in [header("api-key"), header("X-Api-Key"), header(" ")] {
        assert!(ProviderRegistry::check("mine", &right).is_ok(), "{right:?}");
    }
}

#[tokio::test]
async fn key_of_another_provider_is_used_at_the_same_host_only() {
    let (one, other) = (Server::with_answers([hello()]).await, Server::with_answers([hello()]).await);
    let shared = |server: &Server| ProviderSettings { key_of: Some("first".into()), ..server.settings(KIND) };
    let all = BTreeMap::from([
        ("first".to_owned(), one.settings(KIND)),
        ("second".to_owned(), shared(&one)),
        ("elsewhere".to_owned(), shared(&other)),
    ]);
    let registry = ProviderRegistry::new(&all).expect("valid");
    registry.set_session_key("first", "key-of-first").expect("set");
    for name in ["second", "elsewhere"] {
        call(&*registry.get(name).expect("there"), request()).await.0.expect("a reply");
    }
    assert_eq!(one.received()[0].headers["authorization"], "Bearer key-of-first");
    assert!(!other.received()[0].headers.contains_key("authorization"), "a key belongs to one host");
    // A key of its own comes first.
    registry.set_session_key("second", "key-of-second").expect("set");
    call(&*registry.get("second").expect("there"), request()).await.0.expect("a reply");
    assert_eq!(one.received()[1].headers["authorization"], "Bearer key-of-second");
}

#[test]
fn key_of_openai_serves_its_protocols() {
    let all = ProviderRegistry::built_in();
    let owner = all["openai"].key_owner("openai");
    assert_eq!(all["openai-chat"].shared_key_owner(), Some(owner));
}

/// Each vendor's quirks come from the table alone.
#[tokio::test]
async fn presets_change_what_is_sent() {
    let ask = || ModelRequest { response_schema: Some(closed_schema()), ..tool_rounds() };
    for preset in presets() {
        let ProviderPreset { name, settings, .. } = preset;
        let request = received(settings, ask()).await;
        let body = &request.body;
        let limit = match name.as_str() {
            "azure" | "groq" | "xai" | "bedrock" => "max_completion_tokens",
            _ => "max_tokens",
        };
        assert_eq!(body[limit], 100, "{name}: {body}");
        assert_eq!(body.get("stream_options").is_none(), name == "mistral", "{name}");
        let reasoning = body["messages"].as_array().expect("messages").iter().find_map(|message| {
            ["reasoning_content", "reasoning"].into_iter().find(|field| message.get(field).is_some())
        });
        let expected = match name.as_str() {
            "deepseek" | "fireworks" => Some("reasoning_content"),
            "openrouter" => Some("reasoning"),
            _ => None,
        };
        assert_eq!(reasoning, expected, "{name}: {body}");
        let format = &body["response_format"];
        assert_eq!(format["type"] == "json_object", name == "deepseek", "{name}");
        let mut messages = body["messages"].as_array().expect("messages").iter();
        let id = messages.find_map(|message| message["tool_calls"][0]["id"].as_str()).expect("an id");
        assert_eq!(id.len() == 9, name == "mistral", "{name}: {id}");
        let strict = matches!(name.as_str(), "openrouter" | "azure" | "mistral" | "xai" | "litellm");
        assert_eq!(format["json_schema"].get("strict").is_some(), strict, "{name}: {format}");
    }
}
