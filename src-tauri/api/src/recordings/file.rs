//! The form of a recording's file: two lines of text, then the parts, one behind the other.
//!
//! ```text
//! plait-recording 1 <SHA-256 of the second line>
//! {"parts":[{"name":"runs/<id>.jsonl","bytes":812,"stored":301,"hash":"<SHA-256 of the stored bytes>"}, …]}
//! <the parts, compressed with zlib>
//! ```
//!
//! So each byte is covered by a hash, and a damaged one is reported with the name of its part. Does not know what the parts mean.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use plait_core::hash::content_hash;
use serde::{Deserialize, Serialize};

use crate::ErrorReply;
use crate::codes;

const MAGIC: &str = "plait-recording";
/// The version of the form and of what the parts mean.
const VERSION: u32 = 1;
/// The most bytes of the two lines.
const MAX_HEAD_BYTES: usize = 64 * 1024 * 1024;
/// The most bytes that all parts have together when they are unpacked.
const MAX_UNPACKED_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// The most bytes of a file.
pub(super) const MAX_FILE_BYTES: u64 = MAX_UNPACKED_BYTES;

#[derive(Serialize, Deserialize)]
struct Manifest {
    parts: Vec<PartEntry>,
}

#[derive(Serialize, Deserialize)]
struct PartEntry {
    name: String,
    /// Its size.
    bytes: u64,
    /// Its size in the file.
    stored: u64,
    /// The hash of what is in the file.
    hash: String,
}

/// A part with its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// The bytes of a file with these parts, and its hash: that of the list of parts.
pub(super) fn write(parts: &[Part]) -> Result<(Vec<u8>, String), ErrorReply> {
    let (mut entries, mut body) = (Vec::with_capacity(parts.len()), Vec::new());
    for Part { name, bytes } in parts {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        let stored = encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| {
            let message = format!("The part `{name}` of the recording can't be compressed: {error}.");
            ErrorReply::new(codes::RECORDING_NOT_WRITTEN, message)
        })?;
        let (bytes, hash) = (bytes.len() as u64, content_hash(&stored));
        entries.push(PartEntry { name: name.clone(), bytes, stored: stored.len() as u64, hash });
        body.extend(stored);
    }
    let list = serde_json::to_string(&Manifest { parts: entries }).map_err(|error| {
        let message = format!("The recording can't be written as JSON: {error}.");
        ErrorReply::new(codes::RECORDING_NOT_WRITTEN, message)
    })?;
    let hash = content_hash(list.as_bytes());
    let mut file = format!("{MAGIC} {VERSION} {hash}\n{list}\n").into_bytes();
    file.extend(body);
    Ok((file, hash))
}

/// A file whose bytes are those that were written. Its parts are not unpacked.
pub(super) struct CheckedFile<'f> {
    /// Equal for equal parts.
    pub(super) hash: String,
    parts: Vec<(PartEntry, &'f [u8])>,
}

/// Checks each byte of a file. `recording.unknown_form`, `recording.newer`, `recording.damaged` (names the part), `recording.too_large`.
pub(super) fn check(file: &[u8]) -> Result<CheckedFile<'_>, ErrorReply> {
    let (first, rest) = split_line(file).ok_or_else(unknown_form)?;
    let mut words = first.split(' ');
    let (magic, version, hash) = (words.next(), words.next(), words.next());
    if magic != Some(MAGIC) || words.next().is_some() {
        return Err(unknown_form());
    }
    let version: u32 = version.and_then(|version| version.parse().ok()).ok_or_else(unknown_form)?;
    if version > VERSION {
        let message =
            format!("The recording has the form {version}; this Plait reads forms up to {VERSION}.");
        return Err(ErrorReply::new(codes::RECORDING_NEWER, message).hint("Install a newer Plait."));
    }
    let (list, mut body) = split_line(rest).ok_or_else(|| damaged(LIST, "it is cut off"))?;
    let hash = hash.filter(|hash| version > 0 && *hash == content_hash(list.as_bytes()));
    let hash = hash.ok_or_else(|| damaged(LIST, "its checksum is another one"))?.to_owned();
    let manifest: Manifest =
        serde_json::from_str(list).map_err(|error| damaged(LIST, &format!("it can't be read ({error})")))?;
    check_sizes(&manifest, body.len() as u64)?;
    let mut parts = Vec::with_capacity(manifest.parts.len());
    let mut names = BTreeSet::new();
    for part in manifest.parts {
        if !names.insert(part.name.clone()) {
            return Err(damaged(&part.name, "it is there twice"));
        }
        let stored = usize::try_from(part.stored).unwrap_or(usize::MAX);
        let (bytes, rest) =
            body.split_at_checked(stored).ok_or_else(|| damaged(&part.name, "it is cut off"))?;
        body = rest;
        if content_hash(bytes) != part.hash {
            return Err(damaged(&part.name, "its checksum is another one"));
        }
        parts.push((part, bytes));
    }
    Ok(CheckedFile { hash, parts })
}

impl CheckedFile<'_> {
    /// The parts. `recording.damaged`.
    pub(super) fn unpack(self) -> Result<Vec<Part>, ErrorReply> {
        let unpacked = self.parts.into_iter().map(|(PartEntry { name, bytes, .. }, stored)| {
            let bytes = unpack(stored, bytes).ok_or_else(|| damaged(&name, "it does not have its size"))?;
            Ok(Part { name, bytes })
        });
        unpacked.collect()
    }
}

/// What messages call the second line.
const LIST: &str = "the list of parts";

/// A part that can't be used. `part` is its name.
pub(crate) fn damaged(part: &str, why: &str) -> ErrorReply {
    let part = if part == LIST { part.to_owned() } else { format!("`{part}`") };
    ErrorReply::new(codes::RECORDING_DAMAGED, format!("The recording is damaged at {part}: {why}."))
        .hint("Nothing of it was used. Get the file again, or export the run again.")
}

fn unknown_form() -> ErrorReply {
    ErrorReply::new(codes::RECORDING_UNKNOWN_FORM, "This file is no recording of Plait.")
        .hint("Recordings are written by `plait runs export` and `plait run --record`.")
}

/// Refuses files that are cut off or continued, and those that would unpack to more than memory should hold.
fn check_sizes(manifest: &Manifest, body: u64) -> Result<(), ErrorReply> {
    let mut unpacked: u64 = 0;
    let mut end: u64 = 0;
    for part in &manifest.parts {
        end = end.saturating_add(part.stored);
        if end > body {
            return Err(damaged(&part.name, "it is cut off"));
        }
        unpacked = unpacked.saturating_add(part.bytes);
    }
    if end < body {
        return Err(damaged(LIST, "there is more behind the last part"));
    }
    if unpacked > MAX_UNPACKED_BYTES {
        return Err(too_large(unpacked));
    }
    Ok(())
}

/// `recording.too_large` for this many bytes.
pub(super) fn too_large(bytes: u64) -> ErrorReply {
    let message = format!("The recording has {bytes} bytes; at most {MAX_UNPACKED_BYTES} can be opened.");
    ErrorReply::new(codes::RECORDING_TOO_LARGE, message)
        .hint("Record fewer runs below the run, or fewer attachments.")
}

/// The bytes of a part, if there are as many as it says. Reads no more than that.
fn unpack(stored: &[u8], bytes: u64) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let mut decoder = ZlibDecoder::new(stored);
    decoder.by_ref().take(bytes.saturating_add(1)).read_to_end(&mut unpacked).ok()?;
    (unpacked.len() as u64 == bytes && decoder.total_in() == stored.len() as u64).then_some(unpacked)
}

fn split_line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let head = &bytes[..bytes.len().min(MAX_HEAD_BYTES)];
    let end = head.iter().position(|byte| *byte == b'\n')?;
    let line = str::from_utf8(&bytes[..end]).ok()?;
    Some((line, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests;
