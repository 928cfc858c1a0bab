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
    /// OpenAI-compatible chat completions over HTTP.
    OpenAi,
}

/// One provider's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderSettings {
    /// The protocol.
    pub kind: ProviderKind,
    /// Where it is, up to and including `/v1`. Not for the simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_url: Option<String>,
    /// The environment variable that holds its key, if it takes one.
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
        }
    }
}

/// What is there without any settings: the simulator, OpenAI, and the servers people run at home, at their usual ports.
pub(super) fn built_in() -> BTreeMap<String, ProviderSettings> {
    let at = |url: &str| ProviderSettings {
        base_url: Some(url.to_owned()),
        ..ProviderSettings::of(ProviderKind::OpenAi)
    };
    let openai =
        ProviderSettings { key_env: Some("OPENAI_API_KEY".to_owned()), ..at("https://api.openai.com/v1") };
    BTreeMap::from([
        (super::OFFLINE.to_owned(), ProviderSettings::of(ProviderKind::Offline)),
        ("openai".to_owned(), openai),
        ("ollama".to_owned(), at("http://127.0.0.1:11434/v1")),
        ("lmstudio".to_owned(), at("http://127.0.0.1:1234/v1")),
        ("llamacpp".to_owned(), at("http://127.0.0.1:8080/v1")),
        ("vllm".to_owned(), at("http://127.0.0.1:8000/v1")),
    ])
}
