//! The long-term memories of users, and their branches of forked runs, in the open store.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::{MemoryId, RunId};
use plait_core::user::UserName;
use plait_llm::long_term_memory::MemoryRecord;

use super::Store;
use crate::{MemoryBranch, MemoryList};

impl Store {
    /// A user's long-term memories, and what of them cannot be read. Faults `store.newer`, `store.io`.
    pub fn memories(&self, user: &UserName) -> Result<Arc<MemoryList>, Fault> {
        let memories = &self.0.shared.memories;
        if self.is_read_only() {
            return memories.read(user, self.0.may_be_written_elsewhere());
        }
        memories.list(user)
    }

    /// Stores memories, each once: one whose id is known, or was erased, is left as it is. On disk when this returns. Faults
    /// `memory.full`, `memory.damaged`, `store.*`.
    pub fn add_memories(&self, user: &UserName, memories: Vec<MemoryRecord>) -> Result<(), Fault> {
        self.0.writer()?;
        self.0.shared.memories.add(user, memories)
    }

    /// What a forked run sees of its user's memories: those of the user, and what it changed, which is a branch of its own.
    pub fn memories_of_fork(&self, user: &UserName, run: &RunId) -> Result<Arc<MemoryList>, Fault> {
        self.0.writer()?;
        self.0.shared.memories.list_in(user, run)
    }

    /// Stores memories in the branch of a forked run. The faults are those of `add_memories`.
    pub fn add_memories_of_fork(
        &self,
        user: &UserName,
        run: &RunId,
        memories: Vec<MemoryRecord>,
    ) -> Result<(), Fault> {
        self.0.writer()?;
        self.0.shared.memories.add_in(user, run, memories)
    }

    /// Erases memories for a forked run alone. Returns how many it saw of them.
    pub fn erase_memories_of_fork(
        &self,
        user: &UserName,
        run: &RunId,
        ids: &[MemoryId],
    ) -> Result<u64, Fault> {
        self.0.writer()?;
        self.0.shared.memories.erase_in_branch(user, run, ids)
    }

    /// Begins the branch of a run that is forked from another fork with what that one's branch has. On disk when this returns.
    pub fn copy_memory_branch(&self, user: &UserName, from: &RunId, to: &RunId) -> Result<(), Fault> {
        self.0.writer()?;
        self.0.shared.memories.copy_branch(user, from, to)
    }

    /// The branches of a user's memories, oldest first.
    pub fn memory_branches(&self, user: &UserName) -> Result<Vec<MemoryBranch>, Fault> {
        let is_changing = self.is_read_only() && self.0.may_be_written_elsewhere();
        self.0.shared.memories.branches(user, is_changing)
    }

    /// Changes a memory; its old text is gone from the file. Faults `memory.unknown`, `memory.damaged`, `store.*`.
    pub fn replace_memory(&self, user: &UserName, memory: MemoryRecord) -> Result<(), Fault> {
        self.0.writer()?;
        self.0.shared.memories.replace(user, memory)
    }

    /// Erases memories; without ids, all. Returns how many there were. Their texts are gone from the file. Faults
    /// `memory.damaged`, `store.*`.
    pub fn erase_memories(&self, user: &UserName, ids: Option<&[MemoryId]>) -> Result<u64, Fault> {
        self.0.writer()?;
        self.0.shared.memories.erase(user, ids)
    }

    /// Removes the file with a user's memories, damaged or not.
    pub fn remove_memories(&self, user: &UserName) -> Result<(), Fault> {
        self.0.writer()?;
        self.0.shared.memories.remove(user)
    }
}
