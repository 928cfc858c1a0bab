//! The options of the offline provider: script and speed. Owns their format and validation.

use plait_core::error::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ECHO, PROMPT, SCRIPT};
use crate::codes;

/// Options of the offline provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OfflineOptions {
    /// For the model `script`: its replies, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<ScriptedReply>,
    /// What happens after the last reply of the script.
    #[serde(default)]
    pub repeat: Repeat,
    /// The streaming speed; 0, the default, for as fast as possible.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub tokens_per_second: f64,
    /// The default delay before a reply, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

/// What happens after the last reply of a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Repeat {
    /// Repeat the last reply.
    #[default]
    Last,
    /// Start over.
    Cycle,
    /// Fail with `provider.script_over`.
    Fail,
}

/// One reply of the script. After a reply with tool calls, the next one follows in the same turn; one without ends the turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptedReply {
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The reasoning, streamed before the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tool calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ScriptedCall>,
    /// The delay before the reply, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// The failure in place of the rest of the reply, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<ScriptedFailure>,
}

/// A tool call of a scripted reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool's name.
    pub name: String,
    /// The arguments; an empty object by default.
    #[serde(default = "empty_arguments")]
    pub arguments: Value,
}

fn empty_arguments() -> Value {
    Value::Object(Map::new())
}

/// The failure of a scripted reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptedFailure {
    /// The error's code, for example `provider.unreachable`.
    pub code: ErrorCode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How many characters of the text are streamed before it.
    #[serde(default)]
    pub after_chars: usize,
    /// How many attempts fail; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// The requested delay before a retry, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ScriptedFailure {
    /// Whether this attempt, counted from 1, fails.
    pub(super) fn applies(&self, attempt: u32) -> bool {
        self.times.is_none_or(|times| attempt <= times)
    }

    /// The fault; retryable if real faults with this code are.
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
    /// Parses the options. Faults: `provider.not_found` (no such model), `provider.bad_options`.
    pub(super) fn read(model: &str, options: &Value) -> Result<Self, Fault> {
        if ![ECHO, PROMPT, SCRIPT].contains(&model) {
            return Err(Fault::new(
                codes::PROVIDER_NOT_FOUND,
                format!("The offline provider has no model `{model}`."),
            )
            .hint(format!("Its models are `{ECHO}`, `{PROMPT}` and `{SCRIPT}`.")));
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
    Fault::new(codes::PROVIDER_BAD_OPTIONS, format!("The options of the offline provider are wrong: {why}."))
        .hint("For example {\"replies\": [{\"text\": \"Hello.\"}], \"tokensPerSecond\": 30}.")
}
