//! Copies of what a database has, for reading: run trees and conversations, in a data directory of their own that a host empties when it
//! starts. Commands that only read find there what they find at home. Nothing is driven there, and nothing is written back.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;
use plait_api::{ErrorReply, Options, Plait};
use plait_core::id::{ConversationId, RunId};
use plait_host_store::{Database, LeasedRuns};
use plait_journal::Entry;
use plait_store::Store;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::blocking::blocking;
use crate::codes;

/// How many run trees are kept, beside those that are in use.
const MAX_TREES: usize = 64;
/// How many events are read at once.
pub(crate) const MAX_ENTRIES: usize = 1_000;

/// The size of a copy, locked while it is brought up to date and read. It is kept as long as somebody else has it.
pub(crate) type CopySize = Arc<AsyncMutex<u64>>;

#[derive(Clone)]
pub(crate) struct RunCopies {
    plait: Plait,
    database: Database,
    trees: Arc<Mutex<LruCache<RunId, CopySize>>>,
    conversations: Arc<Mutex<HashMap<ConversationId, CopySize>>>,
}

impl RunCopies {
    /// In the data directory of these options, whose content is removed. The errors of opening it.
    pub(crate) fn open(options: Options, database: Database) -> Result<Self, ErrorReply> {
        let folder = &options.home;
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let message = format!("The folder `{}` cannot be emptied: {error}.", folder.display());
                return Err(ErrorReply::new(codes::STORE_IO, message).hint("Remove it."));
            }
            _ => {}
        }
        // Without a lease, so that nothing can be written.
        let leased = Arc::new(LeasedRuns::new(database.clone(), Handle::current()));
        let plait = Plait::open(Options { database: Some(leased), ..options })?;
        let trees = Arc::new(Mutex::new(LruCache::unbounded()));
        Ok(Self { plait, database, trees, conversations: Arc::default() })
    }

    pub(crate) fn plait(&self) -> &Plait {
        &self.plait
    }

    pub(crate) async fn close(&self) -> Result<(), ErrorReply> {
        self.plait.close().await
    }

    /// Executes a command that only reads, about runs of these trees.
    pub(crate) async fn execute(
        &self,
        roots: &BTreeSet<RunId>,
        command: &str,
        args: serde_json::Value,
    ) -> Result<serde_json::Value, ErrorReply> {
        let mut held = Vec::new();
        // In their order, so that two commands do not wait for each other.
        for root in roots {
            let mut size = self.copy(root).lock_owned().await;
            self.refresh(root, &mut size).await?;
            held.push(size);
        }
        plait_api::dispatch(&self.plait, command, args).await
    }

    /// The next entries of a run of this tree from a seq on, at most [`MAX_ENTRIES`]; none if there are no more yet.
    pub(crate) async fn entries(
        &self,
        root: &RunId,
        run: &RunId,
        from: u64,
    ) -> Result<Vec<Entry>, ErrorReply> {
        let copy = self.copy(root);
        let mut size = copy.lock().await;
        self.refresh(root, &mut size).await?;
        if *size == 0 {
            // It has not begun.
            return Ok(Vec::new());
        }
        let (store, run) = (self.plait.store().clone(), run.clone());
        blocking(move || {
            let entries = store.read_journal(&run, from)?.take(MAX_ENTRIES);
            entries.map(|entry| Ok(entry?)).collect()
        })
        .await
    }

    /// The runs of a tree that are a run or below it.
    pub(crate) async fn family(&self, root: &RunId, run: &RunId) -> Result<Vec<RunId>, ErrorReply> {
        let copy = self.copy(root);
        let mut size = copy.lock().await;
        self.refresh(root, &mut size).await?;
        let (store, run) = (self.plait.store().clone(), run.clone());
        blocking(move || Ok(store.tree(&run)?.into_iter().map(|record| record.run).collect())).await
    }

    /// Reads a tree as it is in the database now.
    pub(crate) async fn with_tree<T: Send + 'static>(
        &self,
        root: &RunId,
        read: impl FnOnce(&Store, &RunId) -> Result<T, ErrorReply> + Send + 'static,
    ) -> Result<T, ErrorReply> {
        let copy = self.copy(root);
        let mut size = copy.lock().await;
        self.refresh(root, &mut size).await?;
        let (store, root) = (self.plait.store().clone(), root.clone());
        blocking(move || read(&store, &root)).await
    }

    /// Removes the copy of a tree that the database does not have any more.
    pub(crate) async fn forget(&self, root: &RunId) {
        let size = self.copy(root).lock_owned().await;
        self.clone().remove(root.clone(), size).await;
    }

    /// Removes the copies of trees that are gone: another process has removed them.
    pub(crate) async fn forget_gone(&self) -> Result<(), ErrorReply> {
        let roots: Vec<RunId> = self.trees.lock().iter().map(|(root, _)| root.clone()).collect();
        let known = self.database.known_trees(&roots).await?;
        for gone in roots.iter().filter(|root| !known.contains(root)) {
            self.forget(gone).await;
        }
        Ok(())
    }

    /// Brings the copy of a conversation up to date, and gives its size, locked: who changes the copy makes it 0, so that it is made
    /// anew. Fault `conversation.unknown`.
    pub(crate) async fn copy_conversation(
        &self,
        id: &ConversationId,
    ) -> Result<OwnedMutexGuard<u64>, ErrorReply> {
        let mut known = self.conversation(id).lock_owned().await;
        if self.database.conversation_size(id).await? != Some(*known) {
            self.read_conversation(id, &mut known).await?;
        }
        Ok(known)
    }

    /// Brings the copies of all conversations up to date, and gives those that there are. Copies of others are removed.
    pub(crate) async fn copy_conversations(&self) -> Result<BTreeSet<ConversationId>, ErrorReply> {
        let sizes: BTreeMap<_, _> = self.database.conversation_sizes().await?.into_iter().collect();
        for (id, size) in &sizes {
            let mut known = self.conversation(id).lock_owned().await;
            if *known != *size {
                match self.read_conversation(id, &mut known).await {
                    // It was removed a moment ago.
                    Err(error) if error.code == codes::CONVERSATION_UNKNOWN => {}
                    read => read?,
                }
            }
        }
        let is_gone = |id: &&ConversationId| !sizes.contains_key(*id);
        let gone: Vec<ConversationId> = self.conversations.lock().keys().filter(is_gone).cloned().collect();
        for id in gone {
            self.forget_conversation(id).await?;
        }
        Ok(sizes.into_keys().collect())
    }

    /// Removes the copy of a conversation that the database does not have any more.
    pub(crate) async fn forget_conversation(&self, id: ConversationId) -> Result<(), ErrorReply> {
        let mut known = self.conversation(&id).lock_owned().await;
        if std::mem::take(&mut *known) > 0 {
            self.with_store(id.clone(), |store, id| Ok(store.remove_conversation_copy(id)?)).await?;
        }
        self.conversations.lock().remove(&id);
        Ok(())
    }

    fn conversation(&self, id: &ConversationId) -> CopySize {
        Arc::clone(self.conversations.lock().entry(id.clone()).or_default())
    }

    async fn read_conversation(&self, id: &ConversationId, known: &mut u64) -> Result<(), ErrorReply> {
        let bytes = self.database.conversation(id).await?;
        let size = bytes.len() as u64;
        self.with_store(id.clone(), move |store, id| Ok(store.put_conversation(id, &bytes)?)).await?;
        *known = size;
        Ok(())
    }

    /// The bytes of a conversation in the copies.
    pub(crate) async fn conversation_bytes(&self, id: &ConversationId) -> Result<Vec<u8>, ErrorReply> {
        let (store, id) = (self.plait.store().clone(), id.clone());
        blocking(move || Ok(store.conversation_bytes(&id)?)).await
    }

    /// The copy of a tree. Who holds on to it keeps it from being removed for others.
    pub(crate) fn copy(&self, root: &RunId) -> CopySize {
        let mut trees = self.trees.lock();
        if let Some(copy) = trees.get(root) {
            return Arc::clone(copy);
        }
        let copy = CopySize::default();
        trees.put(root.clone(), Arc::clone(&copy));
        if trees.len() > MAX_TREES
            && let Some((oldest, size)) = trees.iter().rev().find_map(unused)
        {
            tokio::spawn(self.clone().remove(oldest, size));
        }
        copy
    }

    /// Removes the copy of a tree that nobody used. Who wants it meanwhile waits, and has it copied again.
    async fn remove(self, root: RunId, mut size: OwnedMutexGuard<u64>) {
        *size = 0;
        // A file that stays is replaced by the next copy.
        let _ = self.with_store(root.clone(), |store, root| Ok(store.remove_run(root)?)).await;
        drop(size);
        let mut trees = self.trees.lock();
        if trees.peek(&root).is_some_and(|copy| Arc::strong_count(copy) == 1) {
            trees.pop(&root);
        }
    }

    async fn refresh(&self, root: &RunId, size: &mut u64) -> Result<(), ErrorReply> {
        let added = self.database.tree_from(root, *size).await?;
        if added.is_empty() {
            return Ok(());
        }
        let (before, after) = (*size, *size + added.len() as u64);
        if before == 0 {
            if let Some(conversation) = self.database.conversation_of(root).await? {
                self.copy_conversation(&conversation).await?;
            }
            self.with_store(root.clone(), move |store, root| Ok(store.put_tree(root, &added)?)).await?;
        } else {
            // One that was damaged here is copied again the next time.
            *size = 0;
            let extend = move |store: &Store, root: &RunId| Ok(store.extend_tree(root, before, &added)?);
            self.with_store(root.clone(), extend).await?;
        }
        *size = after;
        Ok(())
    }

    async fn with_store<I: Send + 'static>(
        &self,
        id: I,
        work: impl FnOnce(&Store, &I) -> Result<(), ErrorReply> + Send + 'static,
    ) -> Result<(), ErrorReply> {
        let store = self.plait.store().clone();
        blocking(move || work(&store, &id)).await
    }
}

/// A tree whose copy nobody else has, locked.
fn unused((root, copy): (&RunId, &CopySize)) -> Option<(RunId, OwnedMutexGuard<u64>)> {
    let is_unused = Arc::strong_count(copy) == 1;
    let size = is_unused.then(|| Arc::clone(copy).try_lock_owned().ok()).flatten()?;
    Some((root.clone(), size))
}
