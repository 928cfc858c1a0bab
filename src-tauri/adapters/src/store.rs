//! The store: run index, journals, flows as they ran, settings, recent flows and drafts, in one sled database, with large
//! values in separate files.
//!
//! One process owns a store at a time. All methods block, but at most for a few milliseconds of disk access, except
//! [`Store::flush`] and a journal's `flush`, which are async. Does not run flows or read their files.

mod batch_builder;
mod blobs;
mod compressed_segment;
pub mod conversation;
mod database;
mod documents;
mod drafts;
mod fault;
mod journal;
mod journal_reader;
mod key;
mod open;
pub mod record;
mod run_index;
mod segment;
mod store_core;
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
pub use conversation::{ConversationFilter, ConversationFork, NewConversation, StoredConversation};
pub use documents::RecentFlow;
pub use drafts::Draft;
pub use journal::RunJournal;
pub use journal_reader::JournalEntries;
use record::RunRecord;
pub use run_index::{RunFilter, Which};
use store_core::StoreCore;

const SETTINGS: &str = "settings";
const CORRECTIONS: &str = "corrections";

/// The open store. Clones share it; it is flushed and closed when the last one and the last journal are dropped.
#[derive(Clone)]
pub struct Store(Arc<StoreCore>);

impl Store {
    /// Opens or creates the store in the data directory `home`. Faults: `store.locked` while another process uses it,
    /// `store.full`, `store.io`, `store.corrupt`.
    pub fn open(home: &Path) -> Result<Self, Fault> {
        let core = StoreCore::open(home)?;
        run_index::finish_removals(&core)?;
        Ok(Self(core))
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.0.home
    }

    /// The journal of a run for appending, new or existing. Faults: `run.bad_id` (not a UUID),
    /// `run.busy` (the run already has a writer), `store.*`.
    pub fn journal(&self, run: &RunId) -> Result<RunJournal, Fault> {
        RunJournal::open(&self.0, run)
    }

    /// The entries of a run from `from_seq` on, including those appended but not yet flushed. A damaged or missing entry
    /// yields the fault `journal.corrupt` with its seq and ends the iteration; everything before it is returned.
    pub fn read_journal(&self, run: &RunId, from_seq: u64) -> Result<JournalEntries, Fault> {
        JournalEntries::from(&self.0, key::run(run)?, from_seq)
    }

    /// The record of a run. Faults `run.unknown`, `run.bad_id`.
    pub fn run(&self, run: &RunId) -> Result<RunRecord, Fault> {
        run_index::run(&self.0, run)
    }

    /// The run whose id begins with `prefix`. Faults `run.unknown`, `run.ambiguous`.
    pub fn find_run(&self, prefix: &str) -> Result<RunId, Fault> {
        run_index::find(&self.0, prefix)
    }

    /// Runs, newest first.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, Fault> {
        run_index::runs(&self.0, filter)
    }

    /// The child runs of a run, in the order they started.
    pub fn children(&self, run: &RunId) -> Result<Vec<RunRecord>, Fault> {
        run_index::children(&self.0, run)
    }

    /// The number of child runs of a run.
    pub fn count_children(&self, run: &RunId) -> Result<usize, Fault> {
        run_index::count_children(&self.0, run)
    }

    /// Removes a run and its child runs: record, journal, large values, and the flow document if no other run used it. Faults
    /// `run.unknown`, `run.busy`.
    pub fn remove_run(&self, run: &RunId) -> Result<(), Fault> {
        run_index::remove(&self.0, run)
    }

    /// The conversations, most recently changed first.
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

    /// Creates a conversation. On disk when this returns.
    pub fn create_conversation(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        conversation::create(&self.0, new)
    }

    /// The user's latest conversation with the flow, or a new one. On disk when this returns.
    pub fn find_or_create_conversation(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        conversation::find_or_create(&self.0, new)
    }

    /// Up to `limit` messages of a conversation, starting at position `from`.
    pub fn conversation_messages(
        &self,
        id: &ConversationId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<ConversationMessage>, Fault> {
        conversation::messages(&self.0, id, from, limit)
    }

    /// The stored history of a conversation, for a run that continues it.
    pub fn past(&self, id: &ConversationId) -> Result<StoredConversation, Fault> {
        StoredConversation::open(&self.0, id)
    }

    /// Renames a conversation. Faults `conversation.unknown`, `conversation.no_title`.
    pub fn rename_conversation(
        &self,
        id: &ConversationId,
        title: &str,
        at: u64,
    ) -> Result<ConversationRecord, Fault> {
        conversation::rename(&self.0, id, title, at)
    }

    /// Forks a conversation at a message. Faults `conversation.unknown`, `conversation.no_message`.
    pub fn fork_conversation(
        &self,
        id: &ConversationId,
        message: u64,
        at: u64,
    ) -> Result<ConversationFork, Fault> {
        conversation::fork(&self.0, id, message, at)
    }

    /// Deletes a conversation. Faults `conversation.unknown`, `conversation.busy`.
    pub fn remove_conversation(&self, id: &ConversationId) -> Result<(), Fault> {
        conversation::remove(&self.0, id)
    }

    /// Stores a flow document before it runs, once per content, and returns its hash. On disk when this returns.
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

    /// The token calibration, by `provider/model`; empty at first.
    pub fn corrections(&self) -> Result<BTreeMap<String, Correction>, Fault> {
        documents::get(&self.0, CORRECTIONS)
    }

    /// Replaces the token calibration. Does not wait for the disk: after a crash the latest samples are collected again.
    pub fn put_corrections(&self, corrections: &BTreeMap<String, Correction>) -> Result<(), Fault> {
        documents::put_soon(&self.0, CORRECTIONS, corrections)
    }

    /// Recently opened flows, the latest first.
    pub fn recent_flows(&self) -> Result<Vec<RecentFlow>, Fault> {
        documents::recent(&self.0)
    }

    /// Moves a flow to the front of the recent flows; keeps the latest 50.
    pub fn touch_recent(&self, flow: &RecentFlow) -> Result<(), Fault> {
        documents::change_recent(&self.0, &flow.path, Some(flow))
    }

    /// Removes a flow from the recent flows.
    pub fn forget_recent(&self, path: &str) -> Result<(), Fault> {
        documents::change_recent(&self.0, path, None)
    }

    /// Stores a draft, replacing any with the same key. On disk when this returns.
    pub fn put_draft(&self, draft: &Draft) -> Result<(), Fault> {
        drafts::put(&self.0.home, draft)
    }

    /// All drafts, the latest first.
    pub fn drafts(&self) -> Result<Vec<Draft>, Fault> {
        drafts::all(&self.0.home)
    }

    /// Removes a draft; no fault if there is none.
    pub fn remove_draft(&self, key: &str) -> Result<(), Fault> {
        drafts::remove(&self.0.home, key)
    }

    /// Resolves when everything written so far survives a crash.
    pub fn flush(&self) -> BoxFuture<'static, Result<(), Fault>> {
        let wait = self.0.writer.flush(None);
        Box::pin(async move { store_core::flush_result(wait.await) })
    }
}
