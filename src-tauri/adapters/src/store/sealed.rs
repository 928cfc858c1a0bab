//! Sealed blocks: many pieces of a journal in one, compressed. What a run has written lies in small pieces, each flushed
//! for itself, which say much the same; put together they take a tenth of the room.
//!
//! Owns the form of a block and which pieces go into one; when that is done is the journal's, and doing it the writer's.
//! A block stands under the key of its first piece, so that a journal reads the same before and after.

use std::io::{self, Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::blobs;
use super::piece;

/// The first byte of a block. Neither JSON text nor a reference begins with it.
const SEALED: u8 = b'Z';
/// Behind it, how many entries there are, little-endian; then their lines, as gzip.
const HEAD: usize = 1 + size_of::<u64>();
/// A block holds pieces of about so many bytes together. The compression looks back 32 KB; longer blocks gain little.
pub(super) const BLOCK: usize = 64 << 10;

/// Part of a journal that may be put into blocks: everything of a run from this entry on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// The run, as keys have it.
    pub(super) run: super::key::RunKey,
    /// The first entry.
    pub(super) from_seq: u64,
}

/// What changes in the database: blocks in place of the pieces that are in them. A block is not made of what is in one
/// already, of large values, or of what compression does not make smaller.
pub(super) fn seal(pieces: &[(sled::IVec, sled::IVec)]) -> sled::Batch {
    let mut batch = sled::Batch::default();
    let mut open = Block::default();
    for (key, stored) in pieces {
        if is_sealed(stored) || blobs::is_reference(stored) {
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
pub(super) fn is_sealed(stored: &[u8]) -> bool {
    stored.first() == Some(&SEALED)
}

/// How many entries a block holds; nothing of what is none.
pub(super) fn count(stored: &[u8]) -> Option<u64> {
    let (&first, rest) = stored.split_first()?;
    let count = rest.first_chunk()?;
    (first == SEALED).then(|| u64::from_le_bytes(*count))
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
    let mut block = vec![SEALED];
    block.extend_from_slice(&(piece::lines(text).count() as u64).to_le_bytes());
    let mut packing = GzEncoder::new(block, Compression::fast());
    packing.write_all(text)?;
    packing.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(texts: &[&str]) -> Vec<(sled::IVec, sled::IVec)> {
        (0_u8..)
            .zip(texts)
            .map(|(at, text)| (sled::IVec::from(&[at]), sled::IVec::from(text.as_bytes())))
            .collect()
    }

    /// What a database holds that had these pieces and was sealed.
    fn kept(pieces: &[(sled::IVec, sled::IVec)]) -> Vec<(u8, Vec<u8>)> {
        let db = sled::Config::new().temporary(true).open().expect("opened");
        for (key, stored) in pieces {
            db.insert(key, stored).expect("inserted");
        }
        db.apply_batch(seal(pieces)).expect("sealed");
        db.iter().map(|pair| pair.map(|(key, stored)| (key[0], stored.to_vec())).expect("read")).collect()
    }

    #[test]
    fn pieces_that_follow_one_another_become_one_block() {
        let long = "{\"type\":\"node.started\"}\n".repeat(9);
        let kept = kept(&pieces(&[&long, "{\"a\":1}\n{\"a\":2}\n", &long]));
        let [(0, block)] = kept.as_slice() else { panic!("{kept:?}") };
        assert_eq!(count(block), Some(20));
        assert_eq!(
            text(block).expect("whole"),
            format!("{long}{{\"a\":1}}\n{{\"a\":2}}\n{long}").into_bytes()
        );
        assert!(block.len() < long.len());
    }

    #[test]
    fn large_values_stay_where_they_are_and_part_blocks() {
        let (long, reference) = ("{\"type\":\"node.started\"}\n".repeat(9), format!("@{}", "0".repeat(64)));
        let kept = kept(&pieces(&[&long, &long, &reference, &long]));
        assert_eq!(kept.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(kept[1].1, reference.into_bytes());
        assert_eq!(
            kept.iter().map(|(_, stored)| count(stored)).collect::<Vec<_>>(),
            [Some(18), None, Some(9)]
        );
    }

    #[test]
    fn what_does_not_get_smaller_stays_as_it_is() {
        let tiny = pieces(&["{}\n"]);
        assert_eq!(kept(&tiny), [(0, b"{}\n".to_vec())]);
        let long = "{\"type\":\"node.started\"}\n".repeat(9);
        let sealed = kept(&pieces(&[&long]));
        let again: Vec<_> = sealed
            .iter()
            .map(|(key, stored)| (sled::IVec::from(&[*key]), stored.as_slice().into()))
            .collect();
        assert_eq!(kept(&again), sealed, "a block is not put into another");
    }

    #[test]
    fn a_damaged_block_is_told() {
        let block = compressed("{\"type\":\"node.started\"}\n".repeat(9).as_bytes()).expect("packed");
        assert!(text(&block[..HEAD - 2]).is_err());
        assert!(text(&block[..block.len() - 3]).is_err());
        let mut other = block.clone();
        let middle = other.len() - 12;
        other[middle] ^= 1;
        assert!(text(&other).is_err() || text(&other) == text(&block));
        assert_eq!(count(b"{}"), None);
    }
}
