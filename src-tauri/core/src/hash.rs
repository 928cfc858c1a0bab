//! Plait's content hash: SHA-256 in lower-case hex, the same as `sha256sum` prints.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};

use serde::Serialize;
use sha2::{Digest, Sha256};

/// The bytes of a JSON text that are buffered before they are hashed: a serializer writes few at a time.
const JSON_BUFFER: usize = 8 * 1024;

/// The hash of `bytes`: 64 hexadecimal digits.
pub fn content_hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The hash of bytes that come in parts.
#[derive(Clone, Default)]
pub struct ContentHasher(Sha256);

impl ContentHasher {
    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all bytes so far: that of [`content_hash`].
    pub fn hash(&self) -> String {
        hex(&self.0.clone().finalize())
    }
}

/// The hash of `value` as compact JSON: that of its bytes, which are at no time all in memory. An error if it cannot be written as
/// JSON.
pub fn json_hash(value: &impl Serialize) -> serde_json::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = BufWriter::with_capacity(JSON_BUFFER, &mut hasher);
    serde_json::to_writer(&mut buffer, value)?;
    buffer.flush().map_err(serde_json::Error::io)?;
    drop(buffer);
    Ok(hex(&hasher.finalize()))
}

fn hex(hash: &[u8]) -> String {
    let mut hex = String::with_capacity(2 * hash.len());
    for byte in hash {
        // Writing to a String does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests;
