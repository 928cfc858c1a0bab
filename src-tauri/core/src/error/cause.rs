//! The chain of causes behind an error, in a form that can be journaled.

use std::error::Error;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ErrorCode, Fault};

/// An error that led to another: an error of a library or of the operating system, or the fault of a child run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct Cause {
    /// The code, if the cause is an error of Plait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<ErrorCode>,
    pub message: String,
    /// The error that led to this one.
    #[source]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cause: Option<Box<Cause>>,
}

/// The longest chain that is kept. Errors of HTTP clients have up to six causes.
const MAX_CAUSES: usize = 8;

impl Cause {
    /// The error with its own sources, at most [`MAX_CAUSES`] in all. A source whose text the error above it already ends
    /// with is left out, because many libraries repeat the source in their own text.
    pub fn of(error: &(dyn Error + 'static)) -> Self {
        let chain = std::iter::successors(Some(error), |&error| error.source()).take(MAX_CAUSES);
        let mut messages: Vec<String> = Vec::new();
        for message in chain.map(ToString::to_string) {
            if !messages.last().is_some_and(|above| above.ends_with(&message)) {
                messages.push(message);
            }
        }
        let mut causes = messages.into_iter().rev();
        let innermost = Self { code: None, message: causes.next().unwrap_or_default(), cause: None };
        causes.fold(innermost, |cause, message| Self { code: None, message, cause: Some(Box::new(cause)) })
    }

    /// The chain without the causes that `text` quotes; nothing if it quotes all of them. A cause with a code stays, as the
    /// text has no code.
    pub(super) fn beyond(self, text: &str) -> Option<Self> {
        let cause = self.cause.and_then(|cause| cause.beyond(text));
        if self.code.is_none() && text.contains(self.message.trim_end_matches('.')) {
            return cause;
        }
        Some(Self { cause: cause.map(Box::new), ..self })
    }

    /// The cause and the causes behind it, the innermost last.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |cause| cause.cause.as_deref())
    }
}

impl From<Fault> for Cause {
    fn from(fault: Fault) -> Self {
        Self { code: Some(fault.code), message: fault.message, cause: fault.cause }
    }
}
