//! What a person sets about a provider. Never holds a key: only the name of the environment variable that does.

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
    /// How long to wait for the reply to begin, in milliseconds; without it, 120 s (local models load on the first call).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub header_timeout_ms: Option<u64>,
    /// How long the reply may fall silent, in milliseconds; without it, 60 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub read_timeout_ms: Option<u64>,
}
