//! What goes to the database at once. Owns putting writes together so that each stays whole: what one write brings is
//! in one batch.

use plait_engine::error::Fault;

use super::blobs::Blobs;
use super::piece::{self, Piece};
use super::writer::{Change, Write};

/// A batch in the making.
pub(super) struct Gathered<'a> {
    blobs: &'a Blobs,
    batch: sled::Batch,
    bytes: usize,
    /// The piece of a journal that may go on.
    at_hand: Option<Piece>,
}

impl<'a> Gathered<'a> {
    /// Nothing so far. Large values go to `blobs`.
    pub(super) fn new(blobs: &'a Blobs) -> Self {
        Self { blobs, batch: sled::Batch::default(), bytes: 0, at_hand: None }
    }

    /// How many bytes there are, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.at_hand.as_ref().map_or(0, |piece| piece.text.len())
    }

    /// Adds a write.
    pub(super) fn add(&mut self, write: Write) -> Result<(), Fault> {
        if let Some(lines) = &write.lines {
            for full in piece::add(&mut self.at_hand, lines) {
                self.insert_piece(full)?;
            }
        }
        self.change(&write.owner, write.changes)?;
        write.beside.map_or(Ok(()), |(owner, changes)| self.change(&owner, changes))
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
        if let Some(piece) = self.at_hand.take() {
            self.insert_piece(piece)?;
        }
        let any = std::mem::take(&mut self.bytes) > 0;
        Ok(any.then(|| std::mem::take(&mut self.batch)))
    }

    fn insert_piece(&mut self, piece: Piece) -> Result<(), Fault> {
        self.insert(piece.owner().as_str(), piece.key(), piece.text)
    }

    fn insert(&mut self, owner: &str, key: Vec<u8>, value: Vec<u8>) -> Result<(), Fault> {
        let stored = self.blobs.store(owner, value)?;
        self.bytes += key.len() + stored.len();
        self.batch.insert(key, stored);
        Ok(())
    }
}
