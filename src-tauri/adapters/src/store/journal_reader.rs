//! Reading the journal of a run, some segments at a time. Owns telling a damaged entry from the end.

use std::collections::VecDeque;
use std::sync::Arc;

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::journal::Entry;

use super::conversation::reference;
use super::key::{self, RunKey};
use super::store_core::StoreCore;
use super::{compressed_segment, segment};

/// How many segments are fetched at once. No iterator of the database is kept between, so that it can be opened again
/// after an error while somebody reads.
const FETCHED: usize = 16;

/// The entries of a journal, in order, as far as it went when each part of it was fetched. After a fault it is over.
pub struct JournalEntries {
    core: Arc<StoreCore>,
    key: RunKey,
    next_seq: u64,
    segments: VecDeque<(u64, sled::IVec)>,
    /// The segment that is being read.
    opened: std::vec::IntoIter<Result<Entry, Fault>>,
    over: bool,
}

impl JournalEntries {
    pub(super) fn from(core: &Arc<StoreCore>, key: RunKey, from_seq: u64) -> Result<Self, Fault> {
        core.writer.settle()?;
        Ok(Self {
            core: Arc::clone(core),
            key,
            next_seq: from_seq,
            segments: VecDeque::new(),
            opened: Vec::new().into_iter(),
            over: false,
        })
    }

    /// The next entry, or a fault, or nothing at the end.
    fn read(&mut self) -> Result<Option<Entry>, Fault> {
        loop {
            if let Some(entry) = self.opened.next() {
                self.next_seq += 1;
                return entry.map(Some);
            }
            if self.segments.is_empty() {
                self.fetch()?;
            }
            let Some((seq, stored)) = self.segments.pop_front() else { return Ok(None) };
            if seq + segment::count(&stored) > self.next_seq {
                self.open(seq, &stored)?;
            } else if self.segments.is_empty() {
                // The last segment there is, and it was read before.
                return Ok(None);
            }
        }
    }

    fn fetch(&mut self) -> Result<(), Fault> {
        self.segments = self.core.database.read(|db| {
            // The next entry may stand amid a segment: where one begins to read, and where segments were sealed meanwhile.
            let up_to = key::entry(self.key, 0)..=key::entry(self.key, self.next_seq);
            let around = db.range(up_to).next_back().transpose()?;
            let begin = around.map_or_else(|| key::entry(self.key, self.next_seq), |(key, _)| key.to_vec());
            db.range(begin..=key::entry(self.key, u64::MAX))
                .take(FETCHED)
                .map(|pair| pair.map(|(key, value)| (key::seq_of(&key).unwrap_or_default(), value)))
                .collect()
        })?;
        Ok(())
    }

    /// Takes the entries out of a segment, up to one that is damaged.
    fn open(&mut self, first_seq: u64, stored: &[u8]) -> Result<(), Fault> {
        if first_seq > self.next_seq {
            return Err(self.corrupt(self.next_seq, "it is missing"));
        }
        let run = key::run_id(self.key);
        let text = if compressed_segment::is_compressed(stored) {
            compressed_segment::text(stored)
        } else {
            self.core.blobs.load(run.as_str(), stored)
        }
        .map_err(|why| self.corrupt(first_seq, &why))?;
        let wanted = (first_seq..).zip(segment::lines(&text)).skip_while(|(seq, _)| *seq < self.next_seq);
        let mut entries = Vec::new();
        for (seq, line) in wanted {
            let entry = self.decode(seq, line);
            let damaged = entry.is_err();
            entries.push(entry);
            if damaged {
                break;
            }
        }
        if entries.is_empty() {
            return Err(self.corrupt(self.next_seq, "its segment ends before it"));
        }
        self.opened = entries.into_iter();
        Ok(())
    }

    fn decode(&self, seq: u64, line: &[u8]) -> Result<Entry, Fault> {
        let mut entry: Entry =
            serde_json::from_slice(line).map_err(|error| self.corrupt(seq, &error.to_string()))?;
        if entry.seq != Some(seq) {
            return Err(self.corrupt(seq, "it carries another seq"));
        }
        reference::expand(&self.core, &mut entry)?;
        Ok(entry)
    }

    fn corrupt(&self, seq: u64, why: &str) -> Fault {
        let run = key::run_id(self.key);
        Fault::new(
            ErrorCode::JournalCorrupt,
            format!("Entry {seq} of the journal of run `{run}` is damaged: {why}."),
        )
        .hint("Everything before it can still be read. Start the flow again, or from a node, to go on.")
        .details(serde_json::json!({ "run": run, "seq": seq }))
    }
}

impl Iterator for JournalEntries {
    type Item = Result<Entry, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let read = self.read();
        self.over = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

/// The seq after the last entry of a journal.
pub(super) fn next_seq(core: &StoreCore, key: RunKey) -> Result<u64, Fault> {
    let range = key::entry(key, 0)..=key::entry(key, u64::MAX);
    let last = core.database.read(|db| db.range(range).next_back().transpose())?;
    Ok(last.and_then(|(key, stored)| Some(key::seq_of(&key)? + segment::count(&stored))).unwrap_or_default())
}
