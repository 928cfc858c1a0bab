//! The type of every error in a run: a stable code, a message, details, and the causes behind it.

mod cause;
mod code;
#[cfg(test)]
mod tests;

pub use cause::Cause;
pub use code::{CodeDomain, CodeEntry, ErrorCode};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// An error of a node or a run, as it is journaled and displayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message} [{code}]")]
pub struct Fault {
    pub code: ErrorCode,
    /// What happened and where, in one or two sentences.
    pub message: String,
    /// What the person can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hint: Option<String>,
    /// Whether a retry could fix it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub retryable: bool,
    /// The delay that the server requested before a retry, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub retry_after_ms: Option<u64>,
    /// Additional data; its shape depends on the code.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(optional, type = "unknown")]
    pub details: Value,
    /// The error that led to this one.
    #[source]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cause: Option<Box<Cause>>,
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
            cause: None,
        }
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Sets the details.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// Keeps the error that led to this fault, without the parts of its chain that the message quotes.
    #[must_use]
    pub fn caused_by(mut self, cause: Cause) -> Self {
        self.cause = cause.beyond(&self.message).map(Box::new);
        self
    }
}
