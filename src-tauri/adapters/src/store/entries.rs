//! Reading the journal of a run, a piece at a time. Owns telling a damaged entry from the end.

use std::collections::VecDeque;
use std::sync::Arc;

use plait_engine::error::Fault;
use plait_engine::run::Entry;

use super::inner::Inner;
use super::key::{self, RunKey};

/// How many entries are fetched at once. No iterator of the database is kept between, so that it can be opened again
/// after an error while somebody reads.
const PIECE: usize = 512;

/// The entries of a journal, in order, as far as it went when each piece of it was fetched. After a fault it is over.
pub struct Entries {
    inner: Arc<Inner>,
    key: RunKey,
    next_seq: u64,
    fetched: VecDeque<(u64, sled::IVec)>,
    over: bool,
}

impl Entries {
    pub(super) fn from(inner: &Arc<Inner>, key: RunKey, from_seq: u64) -> Result<Self, Fault> {
        inner.writer.settle()?;
        Ok(Self { inner: Arc::clone(inner), key, next_seq: from_seq, fetched: VecDeque::new(), over: false })
    }

    fn fetch(&mut self) -> Result<(), Fault> {
        let range = key::entry(self.key, self.next_seq)..=key::entry(self.key, u64::MAX);
        self.fetched = self.inner.database.read(|db| {
            db.range(range)
                .take(PIECE)
                .map(|pair| pair.map(|(key, value)| (key::seq_of(&key).unwrap_or_default(), value)))
                .collect()
        })?;
        Ok(())
    }

    fn decode(&self, seq: u64, stored: &[u8]) -> Result<Entry, Fault> {
        if seq != self.next_seq {
            return Err(self.corrupt("it is missing"));
        }
        let run = key::run_id(self.key);
        let bytes = self.inner.blobs.load(run.as_str(), stored).map_err(|why| self.corrupt(&why))?;
        let entry: Entry = serde_json::from_slice(&bytes).map_err(|error| self.corrupt(&error.to_string()))?;
        if entry.seq == Some(seq) { Ok(entry) } else { Err(self.corrupt("it carries another seq")) }
    }

    fn corrupt(&self, why: &str) -> Fault {
        let (seq, run) = (self.next_seq, key::run_id(self.key));
        Fault::new("journal.corrupt", format!("Entry {seq} of the journal of run `{run}` is damaged: {why}."))
            .hint("Everything before it can still be read. Start the flow again, or from a node, to go on.")
            .details(serde_json::json!({ "run": run, "seq": seq }))
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        if self.fetched.is_empty()
            && let Err(fault) = self.fetch()
        {
            self.over = true;
            return Some(Err(fault));
        }
        let Some((seq, stored)) = self.fetched.pop_front() else {
            self.over = true;
            return None;
        };
        let decoded = self.decode(seq, &stored);
        self.next_seq += 1;
        self.over = decoded.is_err();
        Some(decoded)
    }
}

/// The seq after the last entry of a journal.
pub(super) fn next_seq(inner: &Inner, key: RunKey) -> Result<u64, Fault> {
    let range = key::entry(key, 0)..=key::entry(key, u64::MAX);
    let last = inner.database.read(|db| db.range(range).next_back().transpose())?;
    Ok(last.and_then(|(key, _)| key::seq_of(&key)).map_or(0, |seq| seq + 1))
}
