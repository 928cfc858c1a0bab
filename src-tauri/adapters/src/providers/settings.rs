//! What a person sets about a provider. Never holds a key: only the name of the environment variable that does.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which protocol a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ProviderKind {
    /// The built-in simulator.
    Offline,
    /// Chat completions: OpenAI's older protocol, which most other servers speak.
    OpenAi,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Ollama's own protocol.
    Ollama,
    /// Anthropic's Messages over HTTP.
    Anthropic,
    /// Google's Gemini over HTTP.
    Gemini,
}

/// One provider's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderSettings {
    /// The protocol.
    pub kind: ProviderKind,
    /// Where it is, for chat completions and Responses up to and including `/v1`, else without a version. Not for the simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_url: Option<String>,
    /// The environment variable that holds its key, if it takes one; of several with commas between them, the first that
    /// is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key_env: Option<String>,
    /// How long to wait for the connection, in milliseconds; without it, 10 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub connect_timeout_ms: Option<u64>,
    /// How long to wait for the reply to begin, in milliseconds; without it, 5 minutes (local models load on the first call).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub header_timeout_ms: Option<u64>,
    /// How long the reply may fall silent, in milliseconds; without it, 5 minutes (some models think long in silence).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub read_timeout_ms: Option<u64>,
    /// Whether it may keep conversations on its side where it can (Responses only), so that less has to be sent; without
    /// it, not. A call's own `session` option goes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sessions: Option<bool>,
}

impl ProviderSettings {
    /// Settings that say nothing but the protocol.
    pub fn of(kind: ProviderKind) -> Self {
        Self {
            kind,
            base_url: None,
            key_env: None,
            connect_timeout_ms: None,
            header_timeout_ms: None,
            read_timeout_ms: None,
            sessions: None,
        }
    }
}

/// What is there without any settings: the simulator, the vendors, and the servers people run at home, at their usual ports.
pub(super) fn built_in() -> BTreeMap<String, ProviderSettings> {
    let at =
        |kind, url: &str| ProviderSettings { base_url: Some(url.to_owned()), ..ProviderSettings::of(kind) };
    let with_key = |kind, url, variables: &str| ProviderSettings {
        key_env: Some(variables.to_owned()),
        ..at(kind, url)
    };
    let chat = |url| at(ProviderKind::OpenAi, url);
    let (openai, openai_key) = ("https://api.openai.com/v1", "OPENAI_API_KEY");
    let (anthropic, anthropic_key) = ("https://api.anthropic.com", "ANTHROPIC_API_KEY");
    let (gemini, gemini_keys) =
        ("https://generativelanguage.googleapis.com", "GEMINI_API_KEY, GOOGLE_API_KEY");
    BTreeMap::from([
        (super::OFFLINE.to_owned(), ProviderSettings::of(ProviderKind::Offline)),
        ("openai".to_owned(), with_key(ProviderKind::OpenAiResponses, openai, openai_key)),
        ("openai-chat".to_owned(), with_key(ProviderKind::OpenAi, openai, openai_key)),
        ("anthropic".to_owned(), with_key(ProviderKind::Anthropic, anthropic, anthropic_key)),
        ("gemini".to_owned(), with_key(ProviderKind::Gemini, gemini, gemini_keys)),
        ("ollama".to_owned(), at(ProviderKind::Ollama, "http://127.0.0.1:11434")),
        ("lmstudio".to_owned(), chat("http://127.0.0.1:1234/v1")),
        ("llamacpp".to_owned(), chat("http://127.0.0.1:8080/v1")),
        ("vllm".to_owned(), chat("http://127.0.0.1:8000/v1")),
    ])
}
