//! How a request asks for a reply that follows a schema, as its provider names it, beside the request itself.

use plait_adapters::ProviderSettings;
use plait_adapters::providers::{ChatQuirks, ProviderKind, StructuredOutput};
use plait_llm::provider::{ModelRequest, SchemaForm};
use serde_json::{Value, json};

use crate::requests::{closed_schema, tool};
use crate::server::{provider, request, settings};

const HERE: &str = "http://127.0.0.1:9";

/// The form, and the body that is sent.
fn form(settings: ProviderSettings, model: &str, schema: Value) -> (Option<SchemaForm>, Value) {
    let request = ModelRequest { model: model.into(), response_schema: Some(schema), ..request() };
    let provider = provider(settings);
    let body = provider.http_request(&request).expect("a request").expect("HTTP").body;
    (provider.schema_form(&request), body)
}

#[test]
fn form_says_what_is_sent() {
    use ProviderKind::{Anthropic, Gemini, GeminiInteractions, Ollama, OpenAi, OpenAiResponses};
    use SchemaForm::{Enforced, Hint, Narrowed, Tool, Words};
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let mut bounded = closed_schema();
    bounded["properties"]["a"]["minLength"] = json!(3);
    let mut named = closed_schema();
    named["properties"] = json!({"minLength": {"type": "string"}});
    for (kind, model, schema, expected, pointer) in [
        (OpenAi, "tiny", closed_schema(), Enforced, "/response_format/json_schema/strict"),
        (OpenAi, "tiny", open.clone(), Hint, "/response_format/json_schema"),
        (OpenAi, "tiny", json!(true), Words, "/messages/0"),
        (OpenAiResponses, "tiny", closed_schema(), Enforced, "/text/format/strict"),
        (OpenAiResponses, "tiny", open.clone(), Hint, "/text/format"),
        (OpenAiResponses, "tiny", json!(true), Words, "/instructions"),
        (Anthropic, "claude-opus-4-8", closed_schema(), Enforced, "/output_config/format"),
        (Anthropic, "claude-opus-4-8", bounded.clone(), Narrowed, "/output_config/format"),
        (Anthropic, "claude-opus-4-8", open.clone(), Narrowed, "/output_config/format"),
        (Anthropic, "claude-3-haiku", closed_schema(), Tool, "/tools/0"),
        (Anthropic, "claude-opus-4-8", json!(true), Words, "/system"),
        (Gemini, "gemini-3-pro", closed_schema(), Enforced, "/generationConfig/responseJsonSchema"),
        (Gemini, "gemini-3-pro", bounded.clone(), Narrowed, "/generationConfig/responseJsonSchema"),
        (Gemini, "gemini-3-pro", named, Enforced, "/generationConfig/responseJsonSchema"),
        (Gemini, "gemini-3-pro", json!(true), Words, "/systemInstruction"),
        (GeminiInteractions, "gemini-3-pro", bounded, Narrowed, "/response_format/schema"),
        (GeminiInteractions, "gemini-3-pro", json!(true), Words, "/system_instruction"),
        (Ollama, "tiny", open, Enforced, "/format/properties"),
        (Ollama, "tiny", json!(true), Hint, "/format"),
    ] {
        let (said, body) = form(settings(kind, HERE), model, schema.clone());
        assert_eq!(said, Some(expected), "{kind:?} {schema}: {body}");
        assert!(
            body.pointer(pointer).is_some_and(|value| *value != json!(false)),
            "{kind:?} {schema}: {body}"
        );
    }
}

#[test]
fn form_of_a_server_with_quirks_and_of_no_schema() {
    let with = |structured_output| {
        let quirks = ChatQuirks { structured_output: Some(structured_output), ..ChatQuirks::default() };
        ProviderSettings { quirks, ..settings(ProviderKind::OpenAi, HERE) }
    };
    for quirk in [StructuredOutput::JsonObject, StructuredOutput::Instructions] {
        assert_eq!(form(with(quirk), "tiny", closed_schema()).0, Some(SchemaForm::Words), "{quirk:?}");
    }
    let plain = ModelRequest { tools: vec![tool("size")], ..request() };
    assert_eq!(provider(settings(ProviderKind::Anthropic, HERE)).schema_form(&plain), None);
    // Models that take no schema together with functions.
    let older =
        ModelRequest { model: "gemini-2.5-pro".into(), response_schema: Some(closed_schema()), ..plain };
    assert_eq!(provider(settings(ProviderKind::Gemini, HERE)).schema_form(&older), Some(SchemaForm::Words));
}
