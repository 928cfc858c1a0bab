//! Sealed blocks: many segments of a journal in one, compressed. What a run has written lies in small segments, each flushed
//! for itself, which say much the same; put together they take a tenth of the room.
//!
//! Owns the form of a block and which segments go into one; when that is done is the journal's, and doing it the writer's.
//! A block stands under the key of its first segment, so that a journal reads the same before and after.

use std::io::{self, Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::blobs;
use super::segment;

/// The first byte of a block. Neither JSON text nor a reference begins with it.
const COMPRESSED: u8 = b'Z';
/// Behind it, how many entries there are, little-endian; then their lines, as gzip.
const HEAD: usize = 1 + size_of::<u64>();
/// A block holds segments of about so many bytes together. The compression looks back 32 KB; longer blocks gain little.
pub(super) const BLOCK: usize = 64 << 10;

/// Part of a journal that may be put into blocks: everything of a run from this entry on.
#[derive(Clone, Copy, Debug)]
pub(super) struct JournalRange {
    /// The run, as keys have it.
    pub(super) run: super::key::RunKey,
    /// The first entry.
    pub(super) from_seq: u64,
}

/// What changes in the database: blocks in place of the segments that are in them. A block is not made of what is in one
/// already, of large values, or of what compression does not make smaller.
pub(super) fn compress(segments: &[(sled::IVec, sled::IVec)]) -> sled::Batch {
    let mut batch = sled::Batch::default();
    let mut open = Block::default();
    for (key, stored) in segments {
        if is_compressed(stored) || blobs::is_reference(stored) {
            open.close(&mut batch);
            continue;
        }
        open.keys.push(key);
        open.text.extend_from_slice(stored);
        if open.text.len() >= BLOCK {
            open.close(&mut batch);
        }
    }
    open.close(&mut batch);
    batch
}

/// A block in the making.
#[derive(Default)]
struct Block<'a> {
    keys: Vec<&'a sled::IVec>,
    text: Vec<u8>,
}

impl Block<'_> {
    fn close(&mut self, batch: &mut sled::Batch) {
        let Self { keys, text } = std::mem::take(self);
        let Some((first, others)) = keys.split_first() else { return };
        // Memory takes everything that is written to it.
        let Ok(block) = compressed(&text) else { return };
        if block.len() >= text.len() {
            return;
        }
        batch.insert(*first, block);
        for key in others {
            batch.remove(*key);
        }
    }
}

/// Whether a stored value is a block.
pub(super) fn is_compressed(stored: &[u8]) -> bool {
    stored.first() == Some(&COMPRESSED)
}

/// How many entries a block holds; nothing of what is none.
pub(super) fn count(stored: &[u8]) -> Option<u64> {
    let (&first, rest) = stored.split_first()?;
    let count = rest.first_chunk()?;
    (first == COMPRESSED).then(|| u64::from_le_bytes(*count))
}

/// The lines of a block. `Err` says in words what is wrong with it.
pub(super) fn text(stored: &[u8]) -> Result<Vec<u8>, String> {
    let packed = stored.get(HEAD..).ok_or("its block is cut short")?;
    let mut text = Vec::new();
    GzDecoder::new(packed)
        .read_to_end(&mut text)
        .map_err(|error| format!("its block is garbled: {error}"))?;
    Ok(text)
}

/// Quickly rather than well: what is in a block is written on another thread, but the processor is the same.
fn compressed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut block = vec![COMPRESSED];
    block.extend_from_slice(&(segment::lines(text).count() as u64).to_le_bytes());
    let mut packing = GzEncoder::new(block, Compression::fast());
    packing.write_all(text)?;
    packing.finish()
}

#[cfg(test)]
mod tests;
