//! The store: run index, journals, flows as they ran, settings, recent flows and drafts, in one sled database with
//! large values as plain files beside it.
//!
//! One process owns a store at a time. All methods block, but only for memory or a few milliseconds of disk, except
//! [`Store::flush`] and a journal's `flush`, which are awaited. Refuses to run flows or to read their files.

mod blobs;
pub mod conversation;
mod database;
mod documents;
mod drafts;
mod entries;
mod fault;
mod gather;
mod index;
mod inner;
mod journal;
mod key;
mod open;
mod piece;
pub mod record;
mod sealed;
mod writer;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use plait_engine::error::Fault;
use plait_engine::id::{ConversationId, RunId};
use plait_engine::models::Correction;
use serde_json::{Map, Value};

use conversation::record::{ConversationMessage, ConversationRecord};
pub use conversation::{ConversationFilter, Forked, NewConversation, StoredPast};
pub use documents::RecentFlow;
pub use drafts::Draft;
pub use entries::Entries;
pub use index::{RunFilter, Which};
use inner::Inner;
pub use journal::RunJournal;
use record::RunRecord;

const SETTINGS: &str = "settings";
const CORRECTIONS: &str = "corrections";

/// The open store. Clones share it; it is flushed and closed when the last one and the last journal are dropped.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

impl Store {
    /// Opens (or makes) the store in the data directory `home`. Faults: `store.locked` while another process has it,
    /// `store.full`, `store.io`, `store.corrupt`.
    pub fn open(home: &Path) -> Result<Self, Fault> {
        let inner = Inner::open(home)?;
        index::finish_removals(&inner)?;
        Ok(Self(inner))
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.0.home
    }

    /// The journal of a run, to append to; a new one or one to go on with. Faults: `run.bad_id` (not a UUID),
    /// `run.busy` (it already has a writer), `store.*`.
    pub fn journal(&self, run: &RunId) -> Result<RunJournal, Fault> {
        RunJournal::open(&self.0, run)
    }

    /// The entries of a run from `from_seq` on, including those appended but not yet flushed. A damaged or missing entry
    /// comes as a fault `journal.corrupt` that names its seq, and is the last; what stands before it is given.
    pub fn read_journal(&self, run: &RunId, from_seq: u64) -> Result<Entries, Fault> {
        Entries::from(&self.0, key::run(run)?, from_seq)
    }

    /// The record of a run. Faults `run.unknown`, `run.bad_id`.
    pub fn run(&self, run: &RunId) -> Result<RunRecord, Fault> {
        index::run(&self.0, run)
    }

    /// The run whose id begins with `prefix`. Faults `run.unknown`, `run.ambiguous`.
    pub fn find_run(&self, prefix: &str) -> Result<RunId, Fault> {
        index::find(&self.0, prefix)
    }

    /// Runs, newest first.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, Fault> {
        index::runs(&self.0, filter)
    }

    /// The runs that a run began, in the order they began.
    pub fn children(&self, run: &RunId) -> Result<Vec<RunRecord>, Fault> {
        index::children(&self.0, run)
    }

    /// How many runs a run began.
    pub fn count_children(&self, run: &RunId) -> Result<usize, Fault> {
        index::count_children(&self.0, run)
    }

    /// Forgets a run, and the runs it began: record, journal, large values, and its flow document if no other run had it. Faults
    /// `run.unknown`, `run.busy`.
    pub fn remove_run(&self, run: &RunId) -> Result<(), Fault> {
        index::remove(&self.0, run)
    }

    /// The conversations there are, the one that changed last first.
    pub fn conversations(&self, filter: &ConversationFilter) -> Result<Vec<ConversationRecord>, Fault> {
        conversation::list(&self.0, filter)
    }

    /// A conversation. Fault `conversation.unknown`.
    pub fn conversation(&self, id: &ConversationId) -> Result<ConversationRecord, Fault> {
        conversation::get(&self.0, id)
    }

    /// The conversation whose id begins with `prefix`. Faults `conversation.unknown`, `conversation.ambiguous`.
    pub fn find_conversation(&self, prefix: &str) -> Result<ConversationId, Fault> {
        conversation::find(&self.0, prefix)
    }

    /// Makes a conversation. On disk when this returns.
    pub fn make_conversation(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        conversation::make(&self.0, new)
    }

    /// The conversation that this person last had with this flow, or a new one. On disk when this returns.
    pub fn find_or_make_conversation(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        conversation::find_or_make(&self.0, new)
    }

    /// The messages of a conversation from a place on, at most so many.
    pub fn conversation_messages(
        &self,
        id: &ConversationId,
        from: u64,
        most: usize,
    ) -> Result<Vec<ConversationMessage>, Fault> {
        conversation::messages(&self.0, id, from, most)
    }

    /// What was said in a conversation, for a run that goes on in it.
    pub fn past(&self, id: &ConversationId) -> Result<StoredPast, Fault> {
        StoredPast::open(&self.0, id)
    }

    /// Gives a conversation another title. Faults `conversation.unknown`, `conversation.no_title`.
    pub fn rename_conversation(
        &self,
        id: &ConversationId,
        title: &str,
        at: u64,
    ) -> Result<ConversationRecord, Fault> {
        conversation::rename(&self.0, id, title, at)
    }

    /// Forks a conversation at a message. Faults `conversation.unknown`, `conversation.no_message`.
    pub fn fork_conversation(&self, id: &ConversationId, message: u64, at: u64) -> Result<Forked, Fault> {
        conversation::fork(&self.0, id, message, at)
    }

    /// Deletes a conversation. Faults `conversation.unknown`, `conversation.busy`.
    pub fn remove_conversation(&self, id: &ConversationId) -> Result<(), Fault> {
        conversation::remove(&self.0, id)
    }

    /// Keeps a flow document as it is about to run, once per content, and gives its hash. On disk when this returns.
    pub fn put_flow(&self, text: &str) -> Result<String, Fault> {
        documents::put_flow(&self.0, text)
    }

    /// The document of that hash. Fault `flow.unknown`.
    pub fn flow(&self, hash: &str) -> Result<String, Fault> {
        documents::flow(&self.0, hash)
    }

    /// The settings; empty at first.
    pub fn settings(&self) -> Result<Map<String, Value>, Fault> {
        documents::get(&self.0, SETTINGS)
    }

    /// Replaces the settings. On disk when this returns.
    pub fn put_settings(&self, settings: &Map<String, Value>) -> Result<(), Fault> {
        documents::put(&self.0, SETTINGS, settings)
    }

    /// What was learnt of counts, by `provider/model`; empty at first.
    pub fn corrections(&self) -> Result<BTreeMap<String, Correction>, Fault> {
        documents::get(&self.0, CORRECTIONS)
    }

    /// Replaces what was learnt of counts. Not waited for: after a crash the last of it is learnt anew.
    pub fn put_corrections(&self, corrections: &BTreeMap<String, Correction>) -> Result<(), Fault> {
        documents::put_soon(&self.0, CORRECTIONS, corrections)
    }

    /// Flows opened before, the latest first.
    pub fn recent_flows(&self) -> Result<Vec<RecentFlow>, Fault> {
        documents::recent(&self.0)
    }

    /// Puts a flow at the head of the recent ones; the oldest of more than 50 drop out.
    pub fn touch_recent(&self, flow: &RecentFlow) -> Result<(), Fault> {
        documents::change_recent(&self.0, &flow.path, Some(flow))
    }

    /// Takes a flow off the recent ones.
    pub fn forget_recent(&self, path: &str) -> Result<(), Fault> {
        documents::change_recent(&self.0, path, None)
    }

    /// Keeps a draft, in place of any of the same key. On disk when this returns.
    pub fn put_draft(&self, draft: &Draft) -> Result<(), Fault> {
        drafts::put(&self.0.home, draft)
    }

    /// All drafts, the latest first.
    pub fn drafts(&self) -> Result<Vec<Draft>, Fault> {
        drafts::all(&self.0.home)
    }

    /// Drops a draft; no fault if there is none.
    pub fn remove_draft(&self, key: &str) -> Result<(), Fault> {
        drafts::remove(&self.0.home, key)
    }

    /// Resolves when everything given to the store so far survives a crash.
    pub fn flush(&self) -> BoxFuture<'static, Result<(), Fault>> {
        let wait = self.0.writer.flush(None);
        Box::pin(async move { inner::answer(wait.await) })
    }
}
