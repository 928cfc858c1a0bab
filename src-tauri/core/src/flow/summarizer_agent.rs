//! The agent that writes summaries of conversations.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The agent that writes summaries, as the config of a `chat` node describes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SummarizerAgent {
    /// The provider. If empty, the loop's.
    #[serde(rename = "overrideProvider")]
    pub provider: Option<String>,
    /// The model. If empty, the loop's.
    #[serde(rename = "overrideModel")]
    pub model: Option<String>,
    /// Its instructions. If empty, built-in instructions.
    #[serde(rename = "prompt")]
    pub instructions: Option<String>,
    pub temperature: Option<f64>,
    /// Maximum tokens of a summary.
    pub max_tokens: Option<u32>,
    /// Provider-specific options.
    pub options: Map<String, Value>,
}
