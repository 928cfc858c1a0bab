//! What goes to the database at once. Owns putting writes together so that each stays whole: what one write brings is
//! in one batch.

use plait_engine::error::Fault;

use super::blobs::Blobs;
use super::segment::{self, Segment};
use super::writer::{Change, Write};

/// A batch in the making.
pub(super) struct BatchBuilder<'a> {
    blobs: &'a Blobs,
    batch: sled::Batch,
    bytes: usize,
    /// The segment of a journal that may go on.
    open_segment: Option<Segment>,
}

impl<'a> BatchBuilder<'a> {
    /// Nothing so far. Large values go to `blobs`.
    pub(super) fn new(blobs: &'a Blobs) -> Self {
        Self { blobs, batch: sled::Batch::default(), bytes: 0, open_segment: None }
    }

    /// How many bytes there are, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.open_segment.as_ref().map_or(0, |segment| segment.text.len())
    }

    /// Adds a write.
    pub(super) fn add(&mut self, write: Write) -> Result<(), Fault> {
        if let Some(lines) = &write.lines {
            for full in segment::add(&mut self.open_segment, lines) {
                self.insert_segment(full)?;
            }
        }
        self.change(&write.owner, write.changes)?;
        write.extra_changes.map_or(Ok(()), |(owner, changes)| self.change(&owner, changes))
    }

    fn change(&mut self, owner: &str, changes: Vec<Change>) -> Result<(), Fault> {
        for (key, value) in changes {
            if let Some(value) = value {
                self.insert(owner, key, value)?;
            } else {
                self.bytes += key.len();
                self.batch.remove(key);
            }
        }
        Ok(())
    }

    /// The batch, if there is anything in it. What is added later is in the next.
    pub(super) fn take(&mut self) -> Result<Option<sled::Batch>, Fault> {
        if let Some(segment) = self.open_segment.take() {
            self.insert_segment(segment)?;
        }
        let any = std::mem::take(&mut self.bytes) > 0;
        Ok(any.then(|| std::mem::take(&mut self.batch)))
    }

    fn insert_segment(&mut self, segment: Segment) -> Result<(), Fault> {
        self.insert(segment.owner().as_str(), segment.key(), segment.text)
    }

    fn insert(&mut self, owner: &str, key: Vec<u8>, value: Vec<u8>) -> Result<(), Fault> {
        let stored = self.blobs.store(owner, value)?;
        self.bytes += key.len() + stored.len();
        self.batch.insert(key, stored);
        Ok(())
    }
}
