//! Plait's content hash: SHA-256 in lower-case hex, the same as `sha256sum` prints.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The hash of `bytes`: 64 hexadecimal digits.
pub fn content_hash(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests;
