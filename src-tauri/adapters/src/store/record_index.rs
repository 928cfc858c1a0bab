//! An index file: the latest record of each run, or of each conversation, appended whenever it changes. What it holds can be
//! rebuilt from the journals; it saves reading them. Other processes read it too.
//!
//! Owns loading, appending and compacting; refuses to know what a record says.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::disk::Disk;
use super::log_file::{
    FileHeader, FileKind, FrameHeader, Item, Key, LogAppender, OpenError, Scanner, begin_frame, end_frame,
};

const PUT: u8 = 1;
const REMOVE: u8 = 2;

/// A file with so many records more than it needs is written anew when it is opened.
const MAX_OUTDATED_RECORDS: usize = 2_000;

const HEADER: FileHeader = FileHeader { kind: FileKind::Index, sealed: false, id: [0; 16] };

/// Records by key, and the file they are appended to.
pub(super) struct RecordIndex<V> {
    path: PathBuf,
    records: BTreeMap<Key, V>,
    log: LogAppender,
    /// How many records the file holds, outdated ones included.
    appended: usize,
}

/// What was found when an index was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexState {
    Whole,
    /// There is none.
    Missing,
    /// Some of its records can't be read, or a newer version of this program wrote it.
    Damaged,
}

impl<V: Serialize + DeserializeOwned> RecordIndex<V> {
    /// Loads what can be read. Changes nothing.
    pub(super) fn load(path: PathBuf) -> io::Result<(Self, IndexState)> {
        let (mut texts, mut appended) = (BTreeMap::<Key, Vec<u8>>::new(), 0);
        let mut state = IndexState::Whole;
        let mut end = 0;
        match Scanner::open(&path) {
            Ok(mut scanner) => {
                while let Some(item) = scanner.next()? {
                    match item {
                        Item::Record { header, payload, .. } if header.kind == PUT => {
                            texts.insert(header.owner, payload.to_vec());
                        }
                        Item::Record { header, .. } => {
                            texts.remove(&header.owner);
                        }
                        Item::Damage(_) => state = IndexState::Damaged,
                    }
                    appended += 1;
                }
                end = scanner.end().end;
                if scanner.header().is_none_or(|header| header != HEADER) && state == IndexState::Whole {
                    state = IndexState::Missing;
                }
            }
            Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                state = IndexState::Missing;
            }
            Err(OpenError::Newer(_)) => state = IndexState::Damaged,
            Err(OpenError::Io(error)) => return Err(error),
        }
        let mut records = BTreeMap::new();
        for (key, text) in texts {
            match serde_json::from_slice(&text) {
                Ok(record) => drop(records.insert(key, record)),
                // Its checks hold, so another version wrote it.
                Err(_) => state = IndexState::Damaged,
            }
        }
        let log = match state {
            IndexState::Missing => LogAppender::create(path.clone(), HEADER),
            _ => LogAppender::open(path.clone(), end),
        };
        Ok((Self { path, records, log, appended }, state))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn records(&self) -> &BTreeMap<Key, V> {
        &self.records
    }

    pub(super) fn get(&self, key: &Key) -> Option<&V> {
        self.records.get(key)
    }

    /// Replaces a record. It is written with the next [`RecordIndex::write_out`].
    pub(super) fn put(&mut self, key: Key, record: V) {
        if let Ok(text) = serde_json::to_vec(&record) {
            self.append(PUT, key, &text);
        }
        self.records.insert(key, record);
    }

    /// Replaces a record in memory alone: the file need not know yet.
    pub(super) fn put_unwritten(&mut self, key: Key, record: V) {
        self.records.insert(key, record);
    }

    pub(super) fn remove(&mut self, key: &Key) {
        if self.records.remove(key).is_some() {
            self.append(REMOVE, *key, b"{}");
        }
    }

    fn append(&mut self, kind: u8, key: Key, text: &[u8]) {
        let start = begin_frame(&mut self.log.buffer);
        self.log.buffer.extend_from_slice(text);
        if end_frame(&mut self.log.buffer, start, FrameHeader::new(kind, key, 0, 1)) {
            self.appended += 1;
        }
    }

    /// Writes what changed. After an error it is written the next time.
    pub(super) fn write_out(&mut self, disk: &dyn Disk) -> io::Result<()> {
        self.log.write_out(disk)
    }

    /// Whether the file holds so many outdated records that it should be written anew.
    pub(super) fn is_outdated(&self) -> bool {
        self.appended > 2 * self.records.len() + MAX_OUTDATED_RECORDS
    }

    /// Writes the file anew, with one record each. Readers see the old file or the new one.
    pub(super) fn rewrite(&mut self, disk: &dyn Disk) -> io::Result<()> {
        let mut bytes = HEADER.bytes().to_vec();
        self.appended = 0;
        for (key, record) in &self.records {
            let start = begin_frame(&mut bytes);
            serde_json::to_writer(&mut bytes, record).map_err(io::Error::other)?;
            if end_frame(&mut bytes, start, FrameHeader::new(PUT, *key, 0, 1)) {
                self.appended += 1;
            }
        }
        disk.replace(&self.path, &bytes)?;
        self.log = LogAppender::open(self.path.clone(), bytes.len() as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
