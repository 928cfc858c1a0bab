//! A journal as lines, read at once and decoded one by one: for readers that want few of its entries.

use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_journal::{Entry, JournalLines};

use crate::conversation::{Conversations, reference};
use crate::journal_reader::{EntryDecoder, EntryReader, StoredLine};

/// The lines of a journal as far as it went when they were read, without those that can't be read.
pub struct StoredLines {
    text: Vec<u8>,
    lines: Vec<StoredLine>,
    decoder: Mutex<EntryDecoder>,
    conversations: Arc<Conversations>,
}

impl StoredLines {
    pub(crate) fn read(reader: EntryReader, conversations: Arc<Conversations>) -> Result<Self, Fault> {
        let (text, lines, decoder) = reader.into_lines()?;
        Ok(Self { text, lines, decoder: Mutex::new(decoder), conversations })
    }
}

impl JournalLines for StoredLines {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, index: usize) -> &[u8] {
        self.lines.get(index).and_then(|line| self.text.get(line.bytes.clone())).unwrap_or_default()
    }

    fn entry(&self, index: usize) -> Option<Entry> {
        let StoredLine { seq, has_references, .. } = self.lines.get(index)?;
        let mut entry = self.decoder.lock().decode(*seq, self.line(index), *has_references).ok()?;
        reference::expand(&self.conversations, &mut entry).ok()?;
        Some(entry)
    }
}
