//! Runs with their truth in a database that several processes use, each of them for a while. The files of a data directory are copies
//! then: a journal is flushed when the database has its records.
//!
//! The records are those of the files, so a run moves between a data directory and a database byte for byte. Owns what a database has
//! to do; knows no database.

use std::sync::Arc;

use futures::future::{BoxFuture, ready};
use plait_core::error::Fault;
use plait_core::id::{AttachmentHash, ReplyKey, RunId};
use plait_journal::Entry;
use plait_journal::earlier_run::{EarlierReply, ReplyTurn};
use uuid::Uuid;

/// Has the truth of runs. All methods block, but for those that give futures.
pub trait RunDatabase: Send + Sync + 'static {
    /// Stores records that follow those of the tree, whose end is where the first of them begins: all of them or none. They survive
    /// when this returns. Fault `run.superseded` if this process may no longer write the tree.
    fn append(&self, root: &RunId, records: &[TreeRecord<'_>]) -> Result<(), Fault>;
    /// Stores the document of a flow that is about to run. Called for each run.
    fn put_flow(&self, hash: &str, text: &str) -> Result<(), Fault>;
    /// The document of a flow that ran.
    fn flow(&self, hash: &str) -> Result<Option<String>, Fault>;
    /// Stores an attachment.
    fn put_attachment(&self, hash: &AttachmentHash, bytes: &[u8]) -> Result<(), Fault>;
    /// The bytes of an attachment.
    fn attachment(&self, hash: &AttachmentHash) -> Result<Option<Vec<u8>>, Fault>;

    /// Learns of entries of a run, which records hold that are appended later. `user` is the person whom the run belongs to. A database
    /// that shares replies between processes takes them from there.
    fn follow(&self, _root: &RunId, _run: &RunId, _user: &str, _entries: &[Entry]) {}

    /// What a run does that lacks a reply: `take` is asked about each one that another run tree of the user bought. Waits until no other
    /// run tree buys one for the same key.
    fn reply_turn<'a>(
        &'a self,
        _wanted: WantedReply<'a>,
        _take: &'a mut (dyn FnMut(&EarlierReply) -> bool + Send),
    ) -> BoxFuture<'a, Result<ReplyTurn, Fault>> {
        Box::pin(ready(Ok(ReplyTurn::Buy(None))))
    }
}

/// A reply that a run lacks.
#[derive(Clone, Copy, Debug)]
pub struct WantedReply<'k> {
    /// The run tree that wants it.
    pub root: &'k RunId,
    /// The person whom it belongs to.
    pub user: &'k str,
    pub key: &'k ReplyKey,
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

impl TreeRecord<'_> {
    /// Where the next record begins.
    pub fn end(&self) -> u64 {
        self.position + self.bytes.len() as u64
    }
}

/// A database, as the parts of the store share it.
pub(crate) type SharedRunDatabase = Arc<dyn RunDatabase>;
