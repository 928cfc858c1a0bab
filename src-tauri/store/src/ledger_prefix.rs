//! The beginning of the ledger's file: its length and its SHA-256.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use plait_core::hash::ContentHasher;

/// How much is read at once, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// The beginning of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LedgerPrefix {
    length: u64,
    /// An older version did not record it.
    hash: Option<String>,
}

impl LedgerPrefix {
    pub(crate) fn new(length: u64, hasher: &ContentHasher) -> Self {
        Self { length, hash: Some(hasher.hash()) }
    }

    /// What [`Display`](fmt::Display) writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (length, hash) = text.split_once(':').map_or((text, None), |(length, hash)| (length, Some(hash)));
        Some(Self { length: length.parse().ok()?, hash: hash.map(str::to_owned) })
    }

    /// Whether the file begins with it. Errors of reading.
    pub(crate) fn is_kept(&self, path: &Path) -> io::Result<bool> {
        let (length, hasher) = hash_prefix(path, self.length)?;
        Ok(length == self.length && self.hash.as_ref().is_none_or(|hash| *hash == hasher.hash()))
    }
}

impl fmt::Display for LedgerPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hash {
            Some(hash) => write!(f, "{}:{hash}", self.length),
            None => self.length.fmt(f),
        }
    }
}

/// The first bytes of a file, at most `length`: how many there are, and their hash. A file that is not there is empty.
pub(crate) fn hash_prefix(path: &Path, length: u64) -> io::Result<(u64, ContentHasher)> {
    let mut hasher = ContentHasher::default();
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((0, hasher)),
        file => file?,
    };
    let (mut file, mut buffer, mut found) = (file.take(length), vec![0; CHUNK_BYTES], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((found, hasher)),
            read => {
                hasher.append(&buffer[..read]);
                found += read as u64;
            }
        }
    }
}
