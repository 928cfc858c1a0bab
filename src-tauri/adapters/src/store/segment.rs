//! Pieces of journals: what the database holds of them. A segment is a range of entries that were written together, one
//! JSON text a line, under the seq of the first.
//!
//! What a run has written for a while goes from small segments into sealed blocks, which take less room. A key for each entry would cost the database more than the rest of a run together. Owns the form of segments; refuses
//! to know what entries mean.

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::RunId;
use plait_engine::journal::Entry;

use super::blobs;
use super::compressed_segment;
use super::conversation::reference;
use super::key::{self, RunKey};

/// A segment takes no more entries than fit in so many bytes. A larger entry stands alone, so that it alone goes to a file.
const FULL: usize = 16 << 10;

/// `JournalEntries` of one append, each a line.
pub(super) struct Lines {
    run: RunKey,
    first_seq: u64,
    text: Vec<u8>,
}

impl Lines {
    /// The lines of `entries`, of which the first has `first_seq`.
    pub(super) fn of(run: RunKey, first_seq: u64, entries: &[Entry]) -> Result<Self, Fault> {
        // Most entries take less, so that the text seldom has to move while it grows.
        let mut text = Vec::with_capacity(entries.len() * 256);
        for entry in entries {
            serde_json::to_writer(&mut text, &*reference::without_messages(entry)).map_err(|error| {
                Fault::new(
                    ErrorCode::JournalUnwritable,
                    format!("An event can't be written as JSON: {error}."),
                )
            })?;
            text.push(b'\n');
        }
        Ok(Self { run, first_seq, text })
    }

    /// How many bytes they take.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }
}

/// A segment that may take more entries.
pub(super) struct Segment {
    run: RunKey,
    first_seq: u64,
    next_seq: u64,
    /// Its lines.
    pub(super) text: Vec<u8>,
}

impl Segment {
    /// Whose folder it goes to if it is large.
    pub(super) fn owner(&self) -> RunId {
        key::run_id(self.run)
    }

    /// The key it is kept under.
    pub(super) fn key(&self) -> Vec<u8> {
        key::entry(self.run, self.first_seq)
    }
}

/// Adds lines to the segment at hand, or to new ones where they do not fit or do not go on from it. Gives the segments that
/// are full by that.
pub(super) fn add(open_segment: &mut Option<Segment>, lines: &Lines) -> Vec<Segment> {
    let mut full = Vec::new();
    for (line, seq) in lines.text.split_inclusive(|&byte| byte == b'\n').zip(lines.first_seq..) {
        let fits = |segment: &Segment| {
            segment.run == lines.run && segment.next_seq == seq && segment.text.len() + line.len() <= FULL
        };
        if !open_segment.as_ref().is_some_and(fits) {
            full.extend(open_segment.take());
        }
        let segment = open_segment.get_or_insert_with(|| Segment {
            run: lines.run,
            first_seq: seq,
            next_seq: seq,
            text: Vec::with_capacity(line.len()),
        });
        segment.text.extend_from_slice(line);
        segment.next_seq += 1;
    }
    full
}

/// The lines of a segment, without what ends them.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// How many entries a stored segment holds. One that stands in a file holds one.
pub(super) fn count(stored: &[u8]) -> u64 {
    if blobs::is_reference(stored) {
        1
    } else {
        compressed_segment::count(stored).unwrap_or_else(|| lines(stored).count() as u64)
    }
}

#[cfg(test)]
mod tests;
