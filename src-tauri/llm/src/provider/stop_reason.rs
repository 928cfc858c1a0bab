//! Why a model stopped, and what that means for its reply: each protocol's decoder maps what its servers say to a
//! [`StopReason`], and everything else goes by [`StopReason::outcome`].

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::error::Fault;

use crate::codes;

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The reply is complete.
    #[default]
    End,
    ToolCalls,
    /// It reached the maximum number of tokens.
    MaxTokens,
    /// Prompt and reply together reached the end of the model's window.
    WindowFull,
    /// The provider withheld the reply.
    ContentFilter,
    /// It called a tool in a form that its provider could not read.
    MalformedToolCall,
    /// It wrote in a language that its provider does not support.
    UnsupportedLanguage,
    /// The provider paused the turn, and would go on with it in another request.
    Paused,
    /// The server gave up before the reply was whole.
    Interrupted,
    /// Any other reason, as the provider names it. Whether the reply is whole is unknown.
    Other(String),
}

/// What a stop reason means for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopOutcome {
    /// It is complete.
    Whole,
    /// Its end is missing. A text can be used, marked as truncated; a tool call or a structured reply can't.
    Truncated,
    /// It was withheld, and can't be used.
    Withheld,
    /// It can't be used: nobody knows how much of it is missing.
    Unusable,
}

impl StopReason {
    /// What it means for the reply.
    pub fn outcome(&self) -> StopOutcome {
        match self {
            Self::End | Self::ToolCalls => StopOutcome::Whole,
            Self::MaxTokens | Self::WindowFull => StopOutcome::Truncated,
            Self::ContentFilter => StopOutcome::Withheld,
            Self::MalformedToolCall
            | Self::UnsupportedLanguage
            | Self::Paused
            | Self::Interrupted
            | Self::Other(_) => StopOutcome::Unusable,
        }
    }

    /// Whether the end of the reply is missing.
    pub fn is_truncated(&self) -> bool {
        self.outcome() == StopOutcome::Truncated
    }

    /// The fault for a reply that can't be used with any content: `chat.content_filtered` or `chat.incomplete`.
    pub fn fault(&self) -> Option<Fault> {
        let (what, hint, may_pass) = match self {
            Self::End | Self::ToolCalls | Self::MaxTokens | Self::WindowFull => return None,
            Self::ContentFilter => {
                let fault = Fault::new(codes::CHAT_CONTENT_FILTERED, "The provider withheld the reply.");
                return Some(fault.hint("Rephrase the message or the instructions."));
            }
            Self::MalformedToolCall => (
                "The model called a tool in a form that its provider could not read.".to_owned(),
                "Run it again. If it keeps happening, simplify the parameters of the tools, or use another model.",
                true,
            ),
            Self::UnsupportedLanguage => (
                "The model wrote in a language that its provider does not support.".to_owned(),
                "Ask for a reply in another language, or use another model.",
                false,
            ),
            Self::Paused => (
                "The provider paused the turn before the reply was whole.".to_owned(),
                "Run it again without tools that the provider itself runs.",
                false,
            ),
            Self::Interrupted => (
                "The server gave up before the reply was whole.".to_owned(),
                "Run it again, or give the node more retries. If it keeps happening, check the server's log.",
                true,
            ),
            Self::Other(reason) => (
                format!("The model stopped for the reason `{reason}`, so its reply may not be whole."),
                "Run it again, or use another model.",
                true,
            ),
        };
        let mut fault = Fault::new(codes::CHAT_INCOMPLETE, what).hint(hint);
        fault.retryable = may_pass;
        Some(fault)
    }

    /// What went wrong with a text that must be whole, such as a summary, to follow its subject in a sentence.
    pub fn problem(&self) -> Option<&'static str> {
        match self.outcome() {
            StopOutcome::Whole => None,
            StopOutcome::Truncated => Some("did not finish: it reached its limit of tokens"),
            StopOutcome::Withheld => Some("was blocked by its provider"),
            StopOutcome::Unusable => Some("stopped before its reply was whole"),
        }
    }
}
