//! What passes between a pool and its workers: JSON behind its length.

use std::io;

use plait_core::error::Fault;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most bytes of one message. A larger value is refused before it is sent.
pub(super) const MAX_BYTES: usize = 256 << 20;
/// Bytes of the length, a little-endian `u32`, that stands before each message.
pub(super) const LENGTH_BYTES: usize = 4;

/// The answer of a worker.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Reply {
    Value(Value),
    Fault(Fault),
}

impl From<Result<Value, Fault>> for Reply {
    fn from(result: Result<Value, Fault>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(fault) => Self::Fault(fault),
        }
    }
}

impl From<Reply> for Result<Value, Fault> {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Value(value) => Ok(value),
            Reply::Fault(fault) => Err(fault),
        }
    }
}

/// A message with its length before it. An error if it has more than [`MAX_BYTES`].
pub(super) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; LENGTH_BYTES];
    serde_json::to_writer(&mut bytes, message)?;
    let length = bytes.len() - LENGTH_BYTES;
    let length = u32::try_from(length).ok().filter(|_| length <= MAX_BYTES);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::FileTooLarge, "the value is too large"))?;
    bytes[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// The length of the message that follows.
pub(super) fn decode_length(bytes: [u8; LENGTH_BYTES]) -> io::Result<usize> {
    match usize::try_from(u32::from_le_bytes(bytes)) {
        Ok(length) if length <= MAX_BYTES => Ok(length),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the message is too long")),
    }
}

/// The message in these bytes. Values of a flow nest 100 levels at most, which with the message around them is within
/// the limit of 127 that `serde_json` has.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(bytes)?)
}
