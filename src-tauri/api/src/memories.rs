//! `memories.*`: the long-term memory of a user: listing, searching, adding, changing, erasing and exporting what it has.

mod change;
mod export;
mod service;

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_core::id::{MemoryId, RunId};
use plait_core::user::UserName;
use plait_llm::long_term_memory::{MemoryKind, MemoryRecord, RecallRequest};
use plait_store::{MemoryBranch, MemoryList};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

pub use change::{AddMemory, EditMemory};
pub use export::{ExportMemories, ExportedMemories};
pub use service::MemoryService;

/// `memories.list`: a user's memories: the newest first or, for a search, the best first. `user.unknown`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListMemories {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// Only memories of these kinds; of all kinds when left out.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<MemoryKind>>")]
    pub kinds: Vec<MemoryKind>,
    /// Only memories with a word of this text.
    #[serde(default)]
    #[ts(optional)]
    pub search: Option<String>,
    /// The maximum number of memories; all when left out.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// Memories of a user.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct MemoryPage {
    pub user: UserName,
    pub memories: Vec<MemoryRecord>,
    /// How many memories were found, these included.
    #[ts(type = "number")]
    pub found: u64,
    /// How many memories the user has, by kind.
    #[ts(type = "Partial<Record<MemoryKind, number>>")]
    pub counts: BTreeMap<MemoryKind, u64>,
    /// What cannot be read of the file, if it is damaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub damage: Option<String>,
    /// What forked runs changed for themselves alone, the oldest first.
    #[serde(default)]
    pub branches: Vec<ForkedMemories>,
}

/// What a forked run changed of its user's memories. `conversations.keep` takes it over; removing the run removes it.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForkedMemories {
    pub run: RunId,
    /// What it stored.
    pub stored: Vec<MemoryRecord>,
    /// How many of the user's memories it erased or replaced.
    #[ts(type = "number")]
    pub erased: u64,
    /// What cannot be read of its file, if it is damaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub damage: Option<String>,
}

impl From<MemoryBranch> for ForkedMemories {
    fn from(MemoryBranch { run, list, erased }: MemoryBranch) -> Self {
        let MemoryList { memories: stored, damage } = Arc::unwrap_or_clone(list);
        Self { run, stored, erased, damage }
    }
}

impl Command for ListMemories {
    const NAME: &'static str = "memories.list";
    type Service = MemoryService;
    type Reply = MemoryPage;

    async fn run(self, service: &MemoryService) -> Result<MemoryPage, ErrorReply> {
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let request =
            RecallRequest { query: self.search.unwrap_or_default(), kinds: self.kinds, limit: u32::MAX };
        service.keys.redaction_with_stored_keys().await;
        let service = service.clone();
        run_blocking(move || {
            let user = service.users.resolve(self.user.as_ref())?;
            let list = service.memory.list(&user)?;
            let mut counts = BTreeMap::new();
            for memory in &list.memories {
                *counts.entry(memory.content.kind).or_default() += 1;
            }
            let mut memories = service.memory.search(&user, &request)?;
            let found = memories.len() as u64;
            memories.truncate(limit);
            let branches = service.memory.branches(&user)?;
            let branches = branches.into_iter().map(ForkedMemories::from).collect();
            Ok(MemoryPage { user, memories, found, counts, damage: list.damage.clone(), branches })
        })
        .await
    }
}

/// `memories.resolve`: the memory of the current user with an id that begins with `prefix`. `memory.unknown`, `memory.ambiguous`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ResolveMemory {
    pub prefix: String,
}

impl Command for ResolveMemory {
    const NAME: &'static str = "memories.resolve";
    type Service = MemoryService;
    type Reply = MemoryRecord;

    async fn run(self, service: &MemoryService) -> Result<MemoryRecord, ErrorReply> {
        let service = service.clone();
        run_blocking(move || service.find(None, &self.prefix)).await
    }
}

/// `memories.erase`: erases memories of a user. Nothing of their text is left in the user's file; the journals of the runs that
/// stored them keep what they recorded. `memory.damaged`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct EraseMemories {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// Their ids; all memories of the user when left out.
    #[serde(default)]
    #[ts(optional)]
    pub ids: Option<Vec<MemoryId>>,
}

/// What was erased.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ErasedMemories {
    #[ts(type = "number")]
    pub count: u64,
}

impl Command for EraseMemories {
    const NAME: &'static str = "memories.erase";
    type Service = MemoryService;
    type Reply = ErasedMemories;

    async fn run(self, service: &MemoryService) -> Result<ErasedMemories, ErrorReply> {
        let service = service.clone();
        run_blocking(move || {
            let user = service.users.resolve(self.user.as_ref())?;
            Ok(ErasedMemories { count: service.memory.erase(&user, self.ids.as_deref())? })
        })
        .await
    }
}
