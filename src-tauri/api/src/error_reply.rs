//! The error of a command.

use plait_core::diagnostic::Diagnostic;
use plait_core::error::{Cause, ErrorCode, Fault};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ts_rs::TS;

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message} [{code}]")]
pub struct ErrorReply {
    /// Stable code, `domain.reason`, for example `flow.not_found`.
    pub code: ErrorCode,
    /// What went wrong, and where.
    pub message: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hint: Option<String>,
    /// Details that depend on the code: `diagnostics` for `flow.*`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub details: Value,
    /// The error that led to this one.
    #[source]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cause: Option<Box<Cause>>,
}

impl ErrorReply {
    /// An error with a code and a message, which is a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, details: Value::Null, cause: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    #[must_use]
    pub fn diagnostics(self, diagnostics: &[Diagnostic]) -> Self {
        self.details(json!({ "diagnostics": diagnostics }))
    }
}

impl From<Fault> for ErrorReply {
    fn from(fault: Fault) -> Self {
        Self {
            code: fault.code,
            message: fault.message,
            hint: fault.hint,
            details: fault.details,
            cause: fault.cause,
        }
    }
}
