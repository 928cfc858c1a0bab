//! The one content hash of Plait: SHA-256 in lower-case hex, so that `sha256sum` gives the same. Owns no storage.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The hash of `bytes`: 64 hexadecimal digits.
pub fn content_hash(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing into a String does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests;
