//! The options of the offline provider: its script and its speed. Owns their format and validation.

use plait_engine::error::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ECHO, SCRIPT};

/// Options of the offline provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OfflineOptions {
    /// For the model `script`: what it answers, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<ScriptedReply>,
    /// What it does when the script is over.
    #[serde(default)]
    pub repeat: Repeat,
    /// How fast it speaks; 0 for as fast as possible, which is also the default.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub tokens_per_second: f64,
    /// How long it thinks before it speaks, in milliseconds, where a reply does not say otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

/// What to do when the script is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Repeat {
    /// Give the last answer again.
    #[default]
    Last,
    /// Begin again.
    Cycle,
    /// Fail with `provider.script_over`.
    Fail,
}

/// One reply of the script. One with tool calls is followed by the next when their results are in; one without ends the
/// turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptedReply {
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The reasoning, streamed before the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tools it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ScriptedCall>,
    /// How long it thinks first, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// How it fails, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<ScriptedFailure>,
}

/// A tool call of a scripted reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool's name.
    pub name: String,
    /// The arguments; an empty object without them.
    #[serde(default = "no_arguments")]
    pub arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(Map::new())
}

/// How a scripted reply fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptedFailure {
    /// The error's code, for example `provider.unreachable`.
    pub code: ErrorCode,
    /// What it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How many characters of the text are streamed before.
    #[serde(default)]
    pub after_chars: usize,
    /// Only the first so many tries fail; without it, all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// How long it asks to wait before the next try, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ScriptedFailure {
    /// Whether the try of that number, from 1, fails.
    pub(super) fn applies(&self, attempt: u32) -> bool {
        self.times.is_none_or(|times| attempt <= times)
    }

    /// The fault, retryable where the real one of that code is.
    pub(super) fn fault(&self) -> Fault {
        let message = self
            .message
            .clone()
            .unwrap_or_else(|| "The script of the offline provider fails here.".to_owned());
        let mut fault = Fault::new(self.code.clone(), message);
        fault.retryable = crate::providers::is_retryable(&self.code);
        fault.retry_after_ms = self.retry_after_ms;
        fault
    }
}

impl OfflineOptions {
    /// Reads them. Faults `provider.not_found` (no such model) and `provider.bad_options`.
    pub(super) fn read(model: &str, options: &Value) -> Result<Self, Fault> {
        if model != ECHO && model != SCRIPT {
            return Err(Fault::new(
                ErrorCode::ProviderNotFound,
                format!("The offline provider has no model `{model}`."),
            )
            .hint(format!("Its models are `{ECHO}` and `{SCRIPT}`.")));
        }
        let options = match options {
            Value::Null => Self::default(),
            given => Self::deserialize(given).map_err(|error| bad(&error.to_string()))?,
        };
        if !options.tokens_per_second.is_finite() || options.tokens_per_second < 0.0 {
            return Err(bad("`tokensPerSecond` must be 0 or more"));
        }
        match (model == SCRIPT, options.replies.is_empty()) {
            (true, true) => Err(bad(&format!("the model `{SCRIPT}` needs at least one of `replies`"))),
            (false, false) => Err(bad(&format!("`replies` are for the model `{SCRIPT}`, not for `{model}`"))),
            _ => Ok(options),
        }
    }
}

fn bad(why: &str) -> Fault {
    Fault::new(
        ErrorCode::ProviderBadOptions,
        format!("The options of the offline provider are wrong: {why}."),
    )
    .hint("For example {\"replies\": [{\"text\": \"Hello.\"}], \"tokensPerSecond\": 30}.")
}
