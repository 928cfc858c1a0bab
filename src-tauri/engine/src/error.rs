//! The one shape of every error in a run: a stable code, a message, and details.

mod code;
#[cfg(test)]
mod tests;

pub use code::{CodeDomain, CodeEntry, ErrorCode};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// An error of a node or of a run, as the journal keeps it and people see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message} [{code}]")]
pub struct Fault {
    /// Which error it is.
    pub code: ErrorCode,
    /// What happened and where, in one or two sentences.
    pub message: String,
    /// What the person can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hint: Option<String>,
    /// Whether trying again could help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub retryable: bool,
    /// How long the other side asked to wait before the next try, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub retry_after_ms: Option<u64>,
    /// Anything more, by code.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(optional, type = "unknown")]
    pub details: Value,
}

impl Fault {
    /// A fault that a retry cannot fix.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            retryable: false,
            retry_after_ms: None,
            details: Value::Null,
        }
    }

    /// The same fault, saying what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same fault, marked as worth another try.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// The same fault with details.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}
