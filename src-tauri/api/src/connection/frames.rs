//! What owner and client send each other: frames of JSON, each behind its length.
//!
//! The client begins with a [`Hello`], which the owner answers with a [`Greeting`]. From then on the client sends [`Request`]s, each with
//! a number of its own, and the owner answers each of them once with the same number. Nothing is sent that was not asked for, so neither
//! side has to keep what the other does not read.

use bytes::Bytes;
use plait_core::id::RunId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::codec::LengthDelimitedCodec;

use crate::ErrorReply;
use crate::codes;

/// The version of these frames. The commands themselves are those of the version of Plait.
pub(super) const PROTOCOL: u32 = 1;

/// The largest frame. Attachments travel in base64, and a long journal in one piece.
pub(super) const MAX_FRAME_BYTES: usize = 256 << 20;

/// The largest frame before a client has said who it is.
pub(super) const MAX_HELLO_BYTES: usize = 16 << 10;

/// What a client says first.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) protocol: u32,
    /// The version of Plait.
    pub(super) plait: String,
    /// The user to work for, if not the current one.
    pub(super) user: Option<String>,
}

impl Hello {
    pub(super) fn of(user: Option<&str>) -> Self {
        let plait = env!("CARGO_PKG_VERSION").to_owned();
        Self { protocol: PROTOCOL, plait, user: user.map(str::to_owned) }
    }

    /// Refuses a client of another version: its commands may mean something else. `owner.other_version`.
    pub(super) fn check(&self) -> Result<(), ErrorReply> {
        let own = Self::of(None);
        if (self.protocol, &self.plait) == (own.protocol, &own.plait) {
            return Ok(());
        }
        let message = format!(
            "Plait {} has the data directory open, and this is Plait {} (protocols {} and {}).",
            own.plait, self.plait, own.protocol, self.protocol
        );
        Err(ErrorReply::new(codes::OWNER_OTHER_VERSION, message)
            .hint("Close the other Plait first, or use the same version."))
    }
}

/// How the owner answers a [`Hello`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Greeting {
    Welcome,
    Refused(ErrorReply),
}

/// What a client asks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) id: u64,
    pub(super) ask: Ask,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Ask {
    /// Executes a command of the api, to its end.
    Call { name: String, args: Value },
    /// Watches a run; answered when the watch has begun.
    Watch { run: RunId, from: u64 },
    /// The next entries of the watch with this number; `null` at its end.
    Next { watch: u64 },
    /// When a run tree is idle; answered as [`crate::runs::RunService::idle_tree`].
    Idle { run: RunId },
    /// When a run is not driven any more.
    Settled { run: RunId },
    /// The answer to this request, or this watch, is not wanted any more. Not answered.
    Drop { request: u64 },
}

/// What the owner sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Response {
    Reply {
        id: u64,
        value: Value,
    },
    Failed {
        id: u64,
        error: ErrorReply,
    },
    /// The owner ends. What was not answered before was not begun.
    Closed,
}

/// A codec whose frames have at most this size.
pub(super) fn codec(max_bytes: usize) -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder().max_frame_length(max_bytes).new_codec()
}

/// `owner.too_large` for what does not fit into a frame, `command.reply` for what is not JSON.
pub(super) fn encode(value: &impl Serialize) -> Result<Bytes, ErrorReply> {
    let bytes = serde_json::to_vec(value).map_err(|error| not_json(&error))?;
    if bytes.len() > MAX_FRAME_BYTES {
        return Err(ErrorReply::new(
            codes::OWNER_TOO_LARGE,
            format!("A message of {} MB is too large to be sent between processes.", bytes.len() >> 20),
        )
        .hint("Close the other Plait, and run the command again."));
    }
    Ok(bytes.into())
}

/// `owner.unreadable`.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ErrorReply> {
    serde_json::from_slice(bytes).map_err(|error| unreadable(&error))
}

/// `command.reply`.
pub(super) fn to_value(value: &impl Serialize) -> Result<Value, ErrorReply> {
    serde_json::to_value(value).map_err(|error| not_json(&error))
}

/// `owner.unreadable`.
pub(super) fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, ErrorReply> {
    serde_json::from_value(value).map_err(|error| unreadable(&error))
}

/// The error for what the other side sent.
pub(super) fn unreadable(problem: &dyn std::fmt::Display) -> ErrorReply {
    ErrorReply::new(
        codes::OWNER_UNREADABLE,
        format!("What came from the other process can't be read: {problem}."),
    )
    .hint("Close the other Plait first. If no Plait is open, another program listens on its socket: remove `owner/owner.sock` in the data directory.")
}

fn not_json(error: &serde_json::Error) -> ErrorReply {
    ErrorReply::new(
        codes::COMMAND_REPLY,
        format!("A message between processes could not be written: {error}."),
    )
}
