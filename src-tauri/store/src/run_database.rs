//! Runs with their truth in a database that several processes use, each of them for a while. The files of a data directory are copies
//! then: a journal is flushed when the database has its records.
//!
//! The records are those of the files, so a run moves between a data directory and a database byte for byte. Owns what a database has
//! to do, and how a file is cut into records; knows no database.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::{AttachmentHash, RunId};
use uuid::Uuid;

use crate::codes;
use crate::log_file::{FILE_HEADER_BYTES, read_frame};

/// Has the truth of runs. All methods block.
pub trait RunDatabase: Send + Sync + 'static {
    /// Stores records that follow those of the tree, whose end is where the first of them begins: all of them or none. They survive
    /// when this returns. Fault `run.superseded` if this process may no longer write the tree.
    fn append(&self, root: &RunId, records: &[TreeRecord<'_>]) -> Result<(), Fault>;
    /// Stores the document of a flow that is about to run.
    fn put_flow(&self, hash: &str, text: &str) -> Result<(), Fault>;
    /// The document of a flow that ran.
    fn flow(&self, hash: &str) -> Result<Option<String>, Fault>;
    /// Stores an attachment.
    fn put_attachment(&self, hash: &AttachmentHash, bytes: &[u8]) -> Result<(), Fault>;
    /// The bytes of an attachment.
    fn attachment(&self, hash: &AttachmentHash) -> Result<Option<Vec<u8>>, Fault>;
}

/// A record in the file of a run tree, or the header of the file, which is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeRecord<'b> {
    /// Where it begins in the file.
    pub position: u64,
    /// 0 for the header, else the kind that the file's form has for it.
    pub kind: u8,
    /// The run that it belongs to.
    pub run: Uuid,
    /// The seq of its first entry.
    pub seq: u64,
    /// How many entries it holds.
    pub count: u32,
    /// All of it, as the file has it.
    pub bytes: &'b [u8],
}

/// The kind of the header of a file.
const HEADER: u8 = 0;

impl<'b> TreeRecord<'b> {
    /// Cuts a part of a tree's file that begins at `position` into its records. Fault `journal.corrupt` if it is not made of whole
    /// records.
    pub fn split(root: &RunId, position: u64, part: &'b [u8]) -> Result<Vec<Self>, Fault> {
        let root_key = crate::tree::run_key(root)?;
        let (mut records, mut position, mut rest) = (Vec::new(), position, part);
        let damaged = |position: u64| {
            let message = format!("The records of run {root} are damaged at byte {position}.");
            Fault::new(codes::JOURNAL_CORRUPT, message).hint("`plait doctor` says what is lost.")
        };
        while !rest.is_empty() {
            let whole = if position == 0 {
                let run = Uuid::from_bytes(root_key);
                let header = rest.get(..FILE_HEADER_BYTES);
                header.map(|bytes| Self { position, kind: HEADER, run, seq: 0, count: 0, bytes })
            } else {
                read_frame(rest).and_then(|(header, _)| {
                    let bytes = rest.get(..usize::try_from(header.record_bytes()).ok()?)?;
                    let run = Uuid::from_bytes(header.owner);
                    Some(Self {
                        position,
                        kind: header.kind,
                        run,
                        seq: header.seq,
                        count: header.count,
                        bytes,
                    })
                })
            };
            let record = whole.ok_or_else(|| damaged(position))?;
            position += record.bytes.len() as u64;
            rest = &rest[record.bytes.len()..];
            records.push(record);
        }
        Ok(records)
    }

    /// Where the next record begins.
    pub fn end(&self) -> u64 {
        self.position + self.bytes.len() as u64
    }
}

/// A database, as the parts of the store share it.
pub(crate) type SharedRunDatabase = Arc<dyn RunDatabase>;
