//! Messages of the Debug Adapter Protocol: how they are framed, and the three kinds of them.
//!
//! The shapes are those of the specification, version 1.70: <https://microsoft.github.io/debug-adapter-protocol/specification>. Only
//! what is used here is declared; what an editor sends beside it is ignored.

pub(crate) mod bodies;
pub(crate) mod requests;

use plait_api::ErrorReply;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

use crate::codes;

/// The longest message that is read, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// The longest line before a message, in bytes.
const MAX_HEADER_BYTES: u64 = 1_024;
/// How many lines may stand before a message.
const MAX_HEADERS: usize = 16;

/// What an editor sends.
#[derive(Debug, Deserialize)]
pub(crate) struct Incoming {
    pub(crate) seq: i64,
    #[serde(rename = "type")]
    pub(crate) kind: MessageKind,
    /// What is asked for, in requests.
    #[serde(default)]
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MessageKind {
    Request,
    Response,
    Event,
}

/// What is sent to the editor.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Outgoing {
    Response {
        request_seq: i64,
        success: bool,
        command: String,
        /// The error in short.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        #[serde(skip_serializing_if = "Value::is_null")]
        body: Value,
    },
    Event {
        event: &'static str,
        #[serde(skip_serializing_if = "Value::is_null")]
        body: Value,
    },
}

#[derive(Serialize)]
struct Numbered {
    seq: i64,
    #[serde(flatten)]
    message: Outgoing,
}

/// A request that waits for its response.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    seq: i64,
    command: String,
}

impl From<&Incoming> for Asked {
    fn from(request: &Incoming) -> Self {
        Self { seq: request.seq, command: request.command.clone() }
    }
}

/// Sends messages, in order.
#[derive(Clone)]
pub(crate) struct Outbox(mpsc::UnboundedSender<Outgoing>);

impl Outbox {
    /// An outbox, and what [`write_messages`] takes.
    pub(crate) fn new() -> (Self, Outgoings) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), Outgoings(receiver))
    }

    pub(crate) fn respond(&self, asked: &Asked, result: Result<Value, ErrorReply>) {
        let (success, message, body) = match result {
            Ok(body) => (true, None, body),
            Err(error) => (false, Some(error.code.to_string()), bodies::error(&error)),
        };
        self.send(Outgoing::Response {
            request_seq: asked.seq,
            success,
            command: asked.command.clone(),
            message,
            body,
        });
    }

    pub(crate) fn event(&self, event: &'static str, body: &impl Serialize) {
        // All bodies are plain structs.
        let body = serde_json::to_value(body).unwrap_or_default();
        self.send(Outgoing::Event { event, body });
    }

    fn send(&self, message: Outgoing) {
        // Without an editor, nobody reads it.
        drop(self.0.send(message));
    }
}

/// The messages that are still to be written.
pub(crate) struct Outgoings(mpsc::UnboundedReceiver<Outgoing>);

/// Writes messages until no outbox is left or the editor is gone.
pub(crate) async fn write_messages(
    mut messages: Outgoings,
    mut writer: impl AsyncWrite + Unpin,
) -> std::io::Result<()> {
    let mut seq = 0;
    while let Some(message) = messages.0.recv().await {
        seq += 1;
        let json = serde_json::to_vec(&Numbered { seq, message })?;
        writer.write_all(format!("Content-Length: {}\r\n\r\n", json.len()).as_bytes()).await?;
        writer.write_all(&json).await?;
        writer.flush().await?;
    }
    Ok(())
}

/// Reads the next message. `None` when the editor is gone; an inner error if the message is none, and the next one can be read.
/// `dap.protocol` if none can.
pub(crate) async fn read_message(
    reader: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<Result<Incoming, ErrorReply>>, ErrorReply> {
    let mut length = None;
    for _ in 0..MAX_HEADERS {
        let mut line = Vec::new();
        let read =
            reader.take(MAX_HEADER_BYTES).read_until(b'\n', &mut line).await.map_err(|error| gone(&error))?;
        if read == 0 {
            return Ok(None);
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(not_framed("A message has no header, or a line of it is too long."));
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            let Some(length) = length else { return Err(not_framed("A message has no `Content-Length`.")) };
            return read_body(reader, length).await;
        }
        match header(line) {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => match value.parse() {
                Ok(bytes) if bytes <= MAX_MESSAGE_BYTES => length = Some(bytes),
                _ => return Err(not_framed(format!("A message cannot have `{value}` bytes."))),
            },
            Some((name, _)) if name.eq_ignore_ascii_case("content-type") => {}
            // Among them what a web page can make a browser send.
            _ => return Err(not_framed("A message has a header that the protocol does not have.")),
        }
    }
    Err(not_framed("A message has too many headers."))
}

fn header(line: &[u8]) -> Option<(&str, &str)> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    Some((name.trim(), value.trim()))
}

async fn read_body(
    reader: &mut (impl AsyncBufRead + Unpin),
    length: usize,
) -> Result<Option<Result<Incoming, ErrorReply>>, ErrorReply> {
    let mut body = Vec::new();
    reader.take(length as u64).read_to_end(&mut body).await.map_err(|error| gone(&error))?;
    if body.len() < length {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&body).map_err(|error| {
        ErrorReply::new(codes::DAP_PROTOCOL, format!("A message is no request of the protocol: {error}."))
    })))
}

fn gone(error: &std::io::Error) -> ErrorReply {
    ErrorReply::new(codes::DAP_PROTOCOL, format!("The editor sends nothing that can be received: {error}."))
}

fn not_framed(message: impl Into<String>) -> ErrorReply {
    ErrorReply::new(codes::DAP_PROTOCOL, message)
}

#[cfg(test)]
mod tests;
