//! Users' long-term memories: finding, storing and erasing them, with secrets removed. The files belong to the store.

mod ranking;

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::{MemoryId, RunId};
use plait_core::user::UserName;
use plait_llm::long_term_memory::{MemoryRecord, MemoryStore, Recall, RecallRequest};

use crate::codes;
use crate::redaction::Redaction;
use plait_store::{MemoryBranch, MemoryList, Store};
use ranking::RankingIndex;

/// The long-term memory of all users of a data directory. Clones share it.
#[derive(Clone)]
pub struct LongTermMemory {
    store: Store,
    redaction: Arc<Redaction>,
    /// The index of each user's memories as they were when it was searched last.
    indexes: Arc<Mutex<HashMap<UserName, IndexedList>>>,
}

type IndexedList = (Arc<MemoryList>, Arc<RankingIndex>);

impl LongTermMemory {
    /// The memories in `store`, without what `redaction` knows as secrets.
    pub fn new(store: Store, redaction: Arc<Redaction>) -> Self {
        Self { store, redaction, indexes: Arc::default() }
    }

    /// All memories of a user. Blocks.
    pub fn list(&self, user: &UserName) -> Result<Arc<MemoryList>, Fault> {
        self.store.memories(user)
    }

    /// The memories that a request wants, all of them: the best first or, without a query, the newest first. Blocks.
    pub fn search(&self, user: &UserName, request: &RecallRequest) -> Result<Vec<MemoryRecord>, Fault> {
        let list = self.store.memories(user)?;
        let index = || self.index(user, &list);
        Ok(self.find(&list, index, request))
    }

    /// What forked runs changed of a user's memories, each for itself. Blocks.
    pub fn branches(&self, user: &UserName) -> Result<Vec<MemoryBranch>, Fault> {
        let redacted = |mut branch: MemoryBranch| {
            let list = Arc::make_mut(&mut branch.list);
            list.memories = mem::take(&mut list.memories).into_iter().map(|one| self.redacted(one)).collect();
            branch
        };
        Ok(self.store.memory_branches(user)?.into_iter().map(redacted).collect())
    }

    /// The same memory for a forked run, which changes a branch of its own.
    pub fn branch(&self, run: RunId) -> MemoryOfFork {
        MemoryOfFork { memory: self.clone(), run }
    }

    fn find(
        &self,
        list: &MemoryList,
        index: impl FnOnce() -> Arc<RankingIndex>,
        request: &RecallRequest,
    ) -> Vec<MemoryRecord> {
        let order: Vec<usize> = if request.query.trim().is_empty() {
            let mut order: Vec<usize> = (0..list.memories.len()).rev().collect();
            order.sort_by_key(|place| std::cmp::Reverse(list.memories[*place].at));
            order
        } else {
            index().rank(&request.query)
        };
        let found = order.into_iter().filter_map(|place| list.memories.get(place));
        let wanted = found.filter(|memory| request.wants(memory.content.kind));
        wanted.map(|memory| self.redacted(memory.clone())).collect()
    }

    /// Stores memories, each once. On disk when this returns. Blocks.
    pub fn add(&self, user: &UserName, memories: Vec<MemoryRecord>) -> Result<(), Fault> {
        let memories = memories.into_iter().map(|memory| self.redacted(memory)).collect();
        self.store.add_memories(user, memories)
    }

    /// Changes a memory. `memory.unknown`. Blocks.
    pub fn replace(&self, user: &UserName, memory: MemoryRecord) -> Result<MemoryRecord, Fault> {
        let memory = self.redacted(memory);
        self.store.replace_memory(user, memory.clone())?;
        self.indexes.lock().remove(user);
        Ok(memory)
    }

    /// Erases memories; without ids, all. Returns how many there were. Blocks.
    pub fn erase(&self, user: &UserName, ids: Option<&[MemoryId]>) -> Result<u64, Fault> {
        let count = self.store.erase_memories(user, ids)?;
        self.indexes.lock().remove(user);
        Ok(count)
    }

    fn index(&self, user: &UserName, list: &Arc<MemoryList>) -> Arc<RankingIndex> {
        if let Some((indexed, index)) = self.indexes.lock().get(user)
            && Arc::ptr_eq(indexed, list)
        {
            return Arc::clone(index);
        }
        let index = Arc::new(RankingIndex::of(&list.memories));
        self.indexes.lock().insert(user.clone(), (Arc::clone(list), Arc::clone(&index)));
        index
    }

    /// The same without secrets: a key may have been entered since it was stored.
    fn redacted(&self, mut memory: MemoryRecord) -> MemoryRecord {
        let clean = |text: &mut String| *text = self.redaction.text(text).into_owned();
        clean(&mut memory.content.text);
        memory.content.steps.iter_mut().for_each(clean);
        memory
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let memory = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&memory)).await;
        done.unwrap_or_else(|error| {
            Err(Fault::new(codes::APP_INTERNAL, format!("The memory ended unexpectedly: {error}.")))
        })
    }
}

#[async_trait]
impl MemoryStore for LongTermMemory {
    async fn recall(&self, user: &UserName, request: RecallRequest) -> Result<Recall, Fault> {
        let user = user.clone();
        self.blocking(move |memory| {
            let found = memory.search(&user, &request)?;
            Ok(Recall::within_limits(request, found))
        })
        .await
    }

    async fn remember(&self, user: &UserName, memories: Vec<MemoryRecord>) -> Result<(), Fault> {
        let user = user.clone();
        self.blocking(move |memory| memory.add(&user, memories)).await
    }

    async fn forget(&self, user: &UserName, ids: Vec<MemoryId>) -> Result<u64, Fault> {
        let user = user.clone();
        self.blocking(move |memory| memory.erase(&user, Some(&ids))).await
    }
}

/// The memory of a forked run: it sees that of its user with what it changed, and changes a branch of its own.
pub struct MemoryOfFork {
    memory: LongTermMemory,
    run: RunId,
}

#[async_trait]
impl MemoryStore for MemoryOfFork {
    async fn recall(&self, user: &UserName, request: RecallRequest) -> Result<Recall, Fault> {
        let (user, run) = (user.clone(), self.run.clone());
        self.memory
            .blocking(move |memory| {
                let list = memory.store.memories_of_fork(&user, &run)?;
                // Not kept: it would be one more index for each fork.
                let found = memory.find(&list, || Arc::new(RankingIndex::of(&list.memories)), &request);
                Ok(Recall::within_limits(request, found))
            })
            .await
    }

    async fn remember(&self, user: &UserName, memories: Vec<MemoryRecord>) -> Result<(), Fault> {
        let (user, run) = (user.clone(), self.run.clone());
        self.memory
            .blocking(move |memory| {
                let memories = memories.into_iter().map(|one| memory.redacted(one)).collect();
                memory.store.add_memories_of_fork(&user, &run, memories)
            })
            .await
    }

    async fn forget(&self, user: &UserName, ids: Vec<MemoryId>) -> Result<u64, Fault> {
        let (user, run) = (user.clone(), self.run.clone());
        self.memory.blocking(move |memory| memory.store.erase_memories_of_fork(&user, &run, &ids)).await
    }
}

#[cfg(test)]
mod tests;
