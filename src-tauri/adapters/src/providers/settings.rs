//! The settings of a provider. They never contain a key, only the name of the environment variable that holds it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::quirks::ChatQuirks;
use crate::keys::KeyOwner;

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ProviderKind {
    /// The built-in simulator.
    Offline,
    /// Chat completions: OpenAI's older protocol, which most other servers support.
    OpenAi,
    /// OpenAI's Responses API.
    OpenAiResponses,
    /// Ollama's own protocol.
    Ollama,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// Google's Interactions API: Gemini with conversations that Google can store.
    GeminiInteractions,
}

/// One provider's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderSettings {
    pub kind: ProviderKind,
    /// The base URL: for chat completions and Responses including `/v1`, otherwise without a version. Not for the simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_url: Option<String>,
    /// The environment variable that holds the key, if the provider takes one. In a comma-separated list, the first that is
    /// set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key_env: Option<String>,
    /// The provider whose key is used while this one has none of its own, if both have the same scheme, host and port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key_of: Option<String>,
    /// The header that carries the key, in place of the protocol's. In `authorization` the key follows `Bearer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key_header: Option<String>,
    /// Parameters in the query of every request, such as Azure's `api-version`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, String>>")]
    pub query: BTreeMap<String, String>,
    /// How its chat completions differ from OpenAI's (`openAi` only).
    #[serde(default, skip_serializing_if = "ChatQuirks::is_none")]
    #[ts(optional, as = "Option<ChatQuirks>")]
    pub quirks: ChatQuirks,
    /// Whether a text's beginning between `<think>` tags becomes the reasoning of the reply; on by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning_tags: Option<bool>,
    /// Timeout for connecting, in milliseconds; 10 seconds by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub connect_timeout_ms: Option<u64>,
    /// Timeout for the start of the response, in milliseconds; 5 minutes by default (local models load on the first call).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub header_timeout_ms: Option<u64>,
    /// Timeout between two chunks of the response, in milliseconds; 5 minutes by default (some models think for long).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub read_timeout_ms: Option<u64>,
    /// Whether the provider may store conversations (Responses and Interactions only), so that less has to be sent; off by
    /// default. A call's own `session` option takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sessions: Option<bool>,
}

impl ProviderSettings {
    /// Default settings of a protocol.
    pub fn of(kind: ProviderKind) -> Self {
        Self {
            kind,
            base_url: None,
            key_env: None,
            key_of: None,
            key_header: None,
            query: BTreeMap::new(),
            quirks: ChatQuirks::default(),
            reasoning_tags: None,
            connect_timeout_ms: None,
            header_timeout_ms: None,
            read_timeout_ms: None,
            sessions: None,
        }
    }

    /// The owner of the key of a provider with this name and these settings.
    pub fn key_owner(&self, name: &str) -> KeyOwner {
        KeyOwner::new(name, self.base_url.as_deref())
    }

    /// The provider that lends its key while this one has none. It has the same host: a key never goes to another host.
    pub fn shared_key_owner(&self) -> Option<KeyOwner> {
        Some(KeyOwner::new(self.key_of.as_deref()?, self.base_url.as_deref()))
    }
}

/// The built-in providers: the simulator, the vendors, and local servers at their default ports.
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
        (
            "openai-chat".to_owned(),
            ProviderSettings {
                key_of: Some("openai".to_owned()),
                ..with_key(ProviderKind::OpenAi, openai, openai_key)
            },
        ),
        ("anthropic".to_owned(), with_key(ProviderKind::Anthropic, anthropic, anthropic_key)),
        ("gemini".to_owned(), with_key(ProviderKind::Gemini, gemini, gemini_keys)),
        (
            "gemini-interactions".to_owned(),
            ProviderSettings {
                key_of: Some("gemini".to_owned()),
                ..with_key(ProviderKind::GeminiInteractions, gemini, gemini_keys)
            },
        ),
        ("ollama".to_owned(), at(ProviderKind::Ollama, "http://127.0.0.1:11434")),
        ("lmstudio".to_owned(), chat("http://127.0.0.1:1234/v1")),
        ("llamacpp".to_owned(), chat("http://127.0.0.1:8080/v1")),
        ("vllm".to_owned(), chat("http://127.0.0.1:8000/v1")),
    ])
}
