//! The open data directory: each method is a request to the part of the store that owns its subject.

mod attachment_store;
mod copies;
mod memories;
mod run_trees;
mod small_documents;
mod tree_copy;

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use plait_core::error::Fault;
use plait_core::id::{ConversationId, ReplyKey, RunId};
use plait_journal::{Entry, Event, RunEvent};
use plait_llm::context::SharedMessage;

use crate::attachments::unreferenced;
use crate::codes;
use crate::conversation::record::{ConversationMessage, ConversationRecord};
use crate::database_disk::DatabaseDisk;
use crate::disk::FileSystem;
use crate::record::RunRecord;
use crate::run_index::ambiguous;
use crate::store_core::StoreCore;
use crate::{
    ConversationFilter, ConversationFork, ForgottenReplies, JournalEntries, KeptMemories, NewConversation,
    ObservedChange, Progress, RunDatabase, RunFilter, RunJournal, RunSpending, StoredConversation,
    StoredLines, checksums, documents, forgotten_replies, tree, writer,
};
pub use run_trees::StoredTree;

/// The open store. Clones share it; it is synced and closed when the last one and the last journal are dropped.
#[derive(Clone)]
pub struct Store(pub(crate) Arc<StoreCore>);

/// What was kept of a forked run.
pub struct KeptRun {
    /// The conversation of what it said, if it went on in one.
    pub conversation: Option<ConversationRecord>,
    /// What of its user's memories was taken over now.
    pub memories: KeptMemories,
}

impl Store {
    /// Opens or creates the store in the data directory `home`. Faults: `store.locked` while another process writes it,
    /// `store.old_form`, `store.newer`, `store.full`, `store.io`.
    pub fn open(home: &Path) -> Result<Self, Fault> {
        Self::open_with_progress(home, &mut |_, _| ())
    }

    /// The same, reporting progress while journals are read, which takes long only if the index has to be rebuilt.
    pub fn open_with_progress(home: &Path, progress: Progress<'_>) -> Result<Self, Fault> {
        StoreCore::open(home, Arc::new(FileSystem), false, progress).map(Self)
    }

    /// Opens the store as [`Store::open`] does, with the truth of its runs in a database: what is flushed is stored there, and the files
    /// are copies.
    pub fn open_with_database(
        home: &Path,
        database: Arc<dyn RunDatabase>,
        progress: Progress<'_>,
    ) -> Result<Self, Fault> {
        StoreCore::open(home, Arc::new(DatabaseDisk::new(home, database)), false, progress).map(Self)
    }

    /// Opens the store for reading, also while another process writes it. What that process does later may not be seen.
    /// Changes of the store are refused (`store.locked`). Faults: `store.old_form`, `store.newer`, `store.io`.
    pub fn open_for_reading(home: &Path) -> Result<Self, Fault> {
        StoreCore::read(home, Arc::new(FileSystem), &mut |_, _| ()).map(Self)
    }

    /// Whether the store is open for reading alone.
    pub fn is_read_only(&self) -> bool {
        self.0.is_read_only()
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.0.shared.home
    }

    /// The journal of a run for appending, new or existing. Faults: `run.bad_id` (not a UUID),
    /// `run.busy` (the run already has a writer), `store.*`.
    pub fn journal(&self, run: &RunId) -> Result<RunJournal, Fault> {
        RunJournal::open(&self.0, run)
    }

    /// The entries of a run from `from_seq` on, including those appended but not yet flushed. A damaged or missing entry
    /// yields the fault `journal.corrupt` with its seq and ends the iteration; everything before it is returned.
    pub fn read_journal(&self, run: &RunId, from_seq: u64) -> Result<JournalEntries, Fault> {
        self.entries(run, from_seq, false)
    }

    /// The same, but what is behind a damaged entry is returned as well, after a fault for each gap.
    pub fn read_damaged_journal(&self, run: &RunId) -> Result<JournalEntries, Fault> {
        self.entries(run, 0, true)
    }

    /// The same as lines, read at once, each of which is decoded when its entry is wanted. Faults as those of [`Store::read_journal`].
    pub fn journal_lines(&self, run: &RunId) -> Result<StoredLines, Fault> {
        let shared = &self.0.shared;
        StoredLines::read(shared.read(tree::run_key(run)?, 0)?, Arc::clone(&shared.conversations))
    }

    fn entries(&self, run: &RunId, from_seq: u64, skips_damage: bool) -> Result<JournalEntries, Fault> {
        let reader = self.0.shared.read(tree::run_key(run)?, from_seq)?;
        Ok(JournalEntries::new(reader, Arc::clone(&self.0.shared.conversations), skips_damage))
    }

    /// The record of a run. Faults `run.unknown`, `run.bad_id`.
    pub fn run(&self, run: &RunId) -> Result<RunRecord, Fault> {
        self.0.run(run)
    }

    /// The run whose id begins with `prefix`. Faults `run.unknown`, `run.ambiguous`.
    pub fn find_run(&self, prefix: &str) -> Result<RunId, Fault> {
        let observed = self.0.shared.observed.find(&prefix.trim().to_lowercase());
        match (observed.as_slice(), self.0.shared.index().find(prefix)) {
            ([only], Err(fault)) if fault.code == codes::RUN_UNKNOWN => Ok(only.clone()),
            ([], found) => found,
            _ => Err(ambiguous(prefix)),
        }
    }

    /// Runs, newest first.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, Fault> {
        Ok(self.0.runs(filter))
    }

    /// Whether the ledger has everything that was written into it. Fault `store.changed_outside` if something else cut or wrote it.
    pub fn check_ledger(&self) -> Result<(), Fault> {
        checksums::check_ledger(self.home())
    }

    /// What every run has spent, removed ones included. Usage and quotas are sums of it.
    pub fn spending(&self) -> Result<Vec<RunSpending>, Fault> {
        Ok(self.0.spending())
    }

    /// The child runs of a run, in the order they started.
    pub fn children(&self, run: &RunId) -> Result<Vec<RunRecord>, Fault> {
        self.0.children(run)
    }

    /// The runs of the tree with this root, the root first.
    pub fn tree(&self, root: &RunId) -> Result<Vec<RunRecord>, Fault> {
        self.0.tree(root)
    }

    /// The number of child runs of a run.
    pub fn count_children(&self, run: &RunId) -> Result<usize, Fault> {
        Ok(self.0.shared.index().count_children(&tree::run_key(run)?))
    }

    /// The places of the replies that were bought for requests with this key, oldest run first: the runs, and the seqs of the events. A
    /// crash may leave a place that holds something else, which its reader has to check. Empty where the store is open for reading, or
    /// has no index.
    pub fn find_replies(&self, key: &ReplyKey) -> Vec<(RunId, u64)> {
        let places = self.0.shared.derived_index.find_replies(key).into_iter();
        places.map(|(run, seq)| (tree::run_id(run), seq)).collect()
    }

    /// Forgets the replies that were bought until `at`, by one run with those below it or by all: other runs no longer take them. The
    /// journals keep them, so a fork of such a run still does. On disk when this returns. Fault `run.unknown`.
    pub fn forget_replies(&self, run: Option<&RunId>, at: u64) -> Result<(), Fault> {
        forgotten_replies::forget(&self.0, run, at)
    }

    /// The replies that a person has forgotten. Fault `store.corrupt` if nobody can say.
    pub fn forgotten_replies(&self) -> Result<ForgottenReplies, Fault> {
        ForgottenReplies::read(&self.0)
    }

    /// Removes a run and its child runs: record, journal, large values, and the flow document and the attachments if nothing else
    /// refers to them. Faults `run.unknown`, `run.busy`.
    pub fn remove_run(&self, run: &RunId) -> Result<(), Fault> {
        self.0.writer()?;
        // Those of a journal that can't be read stay.
        unreferenced::note(&self.0, &unreferenced::of_run(&self.0, run).unwrap_or_default());
        // First, so that a crash leaves no branch of a removed run.
        if !self.0.live().contains_key(&tree::run_key(run)?) {
            self.0.shared.memories.remove_branch(&self.run(run)?.user, run)?;
        }
        let hashes = self.0.remove(run)?;
        let removed = hashes.iter().try_for_each(|hash| documents::remove_unused_flow(&self.0, hash));
        unreferenced::remove(&self.0);
        removed
    }

    /// The conversations, most recently changed first.
    pub fn conversations(&self, filter: &ConversationFilter) -> Result<Vec<ConversationRecord>, Fault> {
        self.0.conversations().list(filter)
    }

    /// A conversation. Fault `conversation.unknown`.
    pub fn conversation(&self, id: &ConversationId) -> Result<ConversationRecord, Fault> {
        self.0.conversations().get(id)
    }

    /// The conversation whose id begins with `prefix`. Faults `conversation.unknown`, `conversation.ambiguous`.
    pub fn find_conversation(&self, prefix: &str) -> Result<ConversationId, Fault> {
        self.0.conversations().find(prefix)
    }

    /// Creates a conversation. On disk when this returns.
    pub fn create_conversation(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        self.0.writer()?;
        self.0.conversations().create(new)
    }

    /// Creates a conversation that begins with messages of a user and an assistant, which `run` brought. On disk when this returns.
    pub fn create_conversation_with(
        &self,
        new: NewConversation,
        run: &RunId,
        messages: Vec<SharedMessage>,
    ) -> Result<ConversationRecord, Fault> {
        self.0.writer()?;
        self.0.conversations().create_with(new, run, messages)
    }

    /// The user's latest conversation with the flow, or a new one. On disk when this returns.
    pub fn find_or_create_conversation(&self, new: NewConversation) -> Result<ConversationRecord, Fault> {
        self.0.writer()?;
        self.0.conversations().find_or_create(new)
    }

    /// Up to `limit` messages of a conversation, starting at position `from`.
    pub fn conversation_messages(
        &self,
        id: &ConversationId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<ConversationMessage>, Fault> {
        self.0.conversations().messages(id, from, limit)
    }

    /// The stored history of a conversation, for a run that continues it.
    pub fn past(&self, id: &ConversationId) -> Result<StoredConversation, Fault> {
        StoredConversation::open(self.0.conversations(), id)
    }

    /// Renames a conversation. Faults `conversation.unknown`, `conversation.no_title`.
    pub fn rename_conversation(
        &self,
        id: &ConversationId,
        title: &str,
        at: u64,
    ) -> Result<ConversationRecord, Fault> {
        self.0.writer()?;
        self.0.conversations().rename(id, title, at)
    }

    /// Forks a conversation at a message. Faults `conversation.unknown`, `conversation.no_message`.
    pub fn fork_conversation(
        &self,
        id: &ConversationId,
        message: u64,
        at: u64,
    ) -> Result<ConversationFork, Fault> {
        self.0.writer()?;
        self.0.conversations().fork(id, message, at)
    }

    /// Keeps what a forked run changed. What it said becomes a conversation: a copy of the one that it began in, as it was then, with the
    /// run's own turns. What it stored and erased of its user's memories is taken over. Each once for each run. Faults `run.not_a_fork`
    /// if the run is none that differs from the run that it was forked from, `run.busy` if it has not ended,
    /// `conversation.unknown`, `memory.full`, `memory.damaged`.
    pub fn keep_run(&self, run: &RunId, at: u64) -> Result<KeptRun, Fault> {
        self.0.writer()?;
        let record = self.run(run)?;
        if !record.status.is_final() {
            return Err(Fault::new(codes::RUN_BUSY, format!("Run {run} has not ended."))
                .hint("Wait for its end, or cancel it first."));
        }
        let entries = self.read_journal(run, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
        match entries.first().map(|entry| &entry.event) {
            Some(Event::Run(RunEvent::Started { conversation, from: Some(from), user, .. }))
                if from.differs() =>
            {
                let keep = |began| self.0.conversations().keep_run(&record, began, &entries, at);
                let conversation = conversation.as_deref().map(keep).transpose()?;
                let memories = self.0.shared.memories.keep_branch(user, run)?;
                Ok(KeptRun { conversation, memories })
            }
            _ => Err(Fault::new(codes::RUN_NOT_A_FORK, format!("Run {run} has nothing to keep.")).hint(
                "Only a fork that differs from its run can be kept: what other runs say and remember is kept anyway.",
            )),
        }
    }

    /// Deletes a conversation, and the attachments that nothing else refers to. Faults `conversation.unknown`, `conversation.busy`.
    pub fn remove_conversation(&self, id: &ConversationId) -> Result<(), Fault> {
        self.0.writer()?;
        let conversations = self.0.conversations();
        let path = conversations.path(id)?;
        unreferenced::note(&self.0, &unreferenced::of_conversation(&self.0, &path).unwrap_or_default());
        conversations.delete(id, || self.0.open_run_in(id))?;
        unreferenced::remove(&self.0);
        Ok(())
    }

    /// Keeps the attachments of a run until this process ends, even if the run is removed: another one is about to begin that takes
    /// over what it has. Faults `run.bad_id`, `store.*`.
    pub fn keep_attachments_of(&self, run: &RunId) -> Result<(), Fault> {
        unreferenced::keep_those_of(&self.0, run)
    }

    /// Stores a flow document before it runs, once per content, and returns its hash. On disk when this returns.
    pub fn put_flow(&self, text: &str) -> Result<String, Fault> {
        documents::put_flow(&self.0, text)
    }

    /// Keeps a flow document, if its file is there, until this process ends: another run is about to begin that has the same. Says whether
    /// it is there.
    pub fn keep_flow(&self, hash: &str) -> bool {
        documents::keep_flow(&self.0, hash)
    }

    /// The document of that hash. Fault `flow.unknown`.
    pub fn flow(&self, hash: &str) -> Result<String, Fault> {
        self.0.shared.observed.flow(hash).map_or_else(|| documents::flow(&self.0, hash), Ok)
    }

    /// Shows a run that is not stored, with these entries of the flow document `flow`, in place of what was shown of it: lists and
    /// readers have it like any other. Nothing writes to it (`run.busy`). Faults `run.bad_id`, `run.unknown`: the entries do not begin a run.
    pub fn observe_run(&self, run: &RunId, entries: &[Entry], flow: String) -> Result<ObservedChange, Fault> {
        self.0.shared.observed.put(run, entries, flow)
    }

    /// Shows an observed run no longer.
    pub fn forget_observed(&self, run: &RunId) -> Result<(), Fault> {
        self.0.shared.observed.remove(tree::run_key(run)?);
        Ok(())
    }

    /// Whether a run is shown that is not stored.
    pub fn is_observed(&self, run: &RunId) -> bool {
        tree::run_key(run).is_ok_and(|key| self.0.shared.observed.contains(key))
    }

    /// Resolves when everything written so far survives a crash.
    pub fn flush(&self) -> BoxFuture<'static, Result<(), Fault>> {
        // A store that is open for reading has nothing to flush.
        let Ok(writer) = self.0.writer() else { return Box::pin(async { Ok(()) }) };
        let wait = writer.flush(None);
        Box::pin(async move { writer::flush_result(wait.await) })
    }
}

#[cfg(test)]
mod tests;
