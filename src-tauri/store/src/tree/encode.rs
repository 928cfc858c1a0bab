//! Entries as they are stored.

use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::Entry;

use super::{ENTRIES, HAS_REFERENCES, VALUE};
use crate::codes;
use crate::conversation::reference;
use crate::large_value::{self, MAX_INLINE_BYTES, ValueHash};
use crate::log_file::{FrameHeader, Key, begin_frame, end_frame};

/// The entries of one append, as text.
pub(crate) struct EncodedEntries {
    /// One JSON text per line, with references in place of large values.
    pub(super) lines: Vec<u8>,
    pub(super) count: u32,
    pub(super) has_references: bool,
    /// The large values, each behind those that it refers to, and whether it refers to any.
    pub(super) values: Vec<(ValueHash, Vec<u8>, bool)>,
}

impl EncodedEntries {
    pub(crate) fn of(run: &RunId, entries: &[Entry]) -> Result<Self, Fault> {
        // Most entries take less, so that the text seldom has to move while it grows.
        let lines = Vec::with_capacity(entries.len() * 256);
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        let mut encoded = Self { lines, count, has_references: false, values: Vec::new() };
        for entry in entries {
            let start = encoded.lines.len();
            serde_json::to_writer(&mut encoded.lines, &*reference::without_messages(entry, run)).map_err(
                |error| {
                    let message = format!("An event can't be written as JSON: {error}.");
                    Fault::new(codes::JOURNAL_UNWRITABLE, message)
                },
            )?;
            if encoded.lines.len() - start > MAX_INLINE_BYTES {
                encoded.extract_values(start);
            }
            encoded.lines.push(b'\n');
        }
        Ok(encoded)
    }

    /// Appends the records of these entries to `out`, values first. `is_new` is asked of each value, with the place where its
    /// record would begin. Gives the header of the entries' record, and where that begins; none if a record would be too
    /// large.
    pub(crate) fn write(
        &self,
        out: &mut Vec<u8>,
        run: Key,
        first_seq: u64,
        mut is_new: impl FnMut(&ValueHash, usize) -> bool,
    ) -> Option<(FrameHeader, usize)> {
        for (hash, text, nested) in &self.values {
            if !is_new(hash, out.len()) {
                continue;
            }
            let start = begin_frame(out);
            out.extend_from_slice(hash);
            out.extend_from_slice(text);
            let mut header = FrameHeader::new(VALUE, run, first_seq, 0);
            header.flags = if *nested { HAS_REFERENCES } else { 0 };
            if !end_frame(out, start, header) {
                return None;
            }
        }
        let start = begin_frame(out);
        out.extend_from_slice(&self.lines);
        let mut header = FrameHeader::new(ENTRIES, run, first_seq, self.count);
        header.flags = if self.has_references { HAS_REFERENCES } else { 0 };
        end_frame(out, start, header).then_some((header, start))
    }

    /// Replaces the large values of the last line, which begins at `start`.
    fn extract_values(&mut self, start: usize) {
        let values = &mut self.values;
        let (line, has_references) = large_value::extract(&self.lines[start..], |hash, text, nested| {
            if values.iter().all(|(known, ..)| *known != hash) {
                values.push((hash, text.to_vec(), nested));
            }
        });
        self.has_references |= has_references;
        self.lines.truncate(start);
        self.lines.extend_from_slice(&line);
    }
}
