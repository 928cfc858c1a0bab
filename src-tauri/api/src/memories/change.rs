//! `memories.add` and `memories.edit`: what a person writes into a user's memory.

use plait_core::id::MemoryId;
use plait_core::origin::{Origin, Origins};
use plait_core::user::UserName;
use plait_llm::long_term_memory::{MemoryContent, MemoryRecord, MemorySource};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::MemoryService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `memories.add`: stores a memory that a person wrote. `memory.empty`, `memory.too_long`, `memory.full`, `memory.damaged`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct AddMemory {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// What it says.
    pub content: MemoryContent,
}

impl Command for AddMemory {
    const NAME: &'static str = "memories.add";
    type Service = MemoryService;
    type Reply = MemoryRecord;

    async fn run(self, service: &MemoryService) -> Result<MemoryRecord, ErrorReply> {
        let content = self.content.checked()?;
        service.keys.redaction_with_stored_keys().await;
        let memory = MemoryRecord {
            // A hash, so that the beginnings of ids differ.
            id: MemoryId::derived(&uuid::Uuid::now_v7().to_string()),
            content,
            at: service.clock.now_ms(),
            edited_at: None,
            source: MemorySource::default(),
            origins: Origins::of(Origin::Person),
        };
        let service = service.clone();
        run_blocking(move || {
            let user = service.users.resolve(self.user.as_ref())?;
            service.memory.add(&user, vec![memory.clone()])?;
            // Without the secrets that it had.
            Ok(service.memory.list(&user)?.find(memory.id.as_str())?.clone())
        })
        .await
    }
}

/// `memories.edit`: changes what a memory says. Its old text is gone from the user's file. `memory.unknown`, `memory.empty`,
/// `memory.too_long`, `memory.damaged`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct EditMemory {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    pub id: MemoryId,
    /// What it says from now on.
    pub content: MemoryContent,
}

impl Command for EditMemory {
    const NAME: &'static str = "memories.edit";
    type Service = MemoryService;
    type Reply = MemoryRecord;

    async fn run(self, service: &MemoryService) -> Result<MemoryRecord, ErrorReply> {
        let content = self.content.checked()?;
        service.keys.redaction_with_stored_keys().await;
        let edited_at = Some(service.clock.now_ms());
        let service = service.clone();
        run_blocking(move || {
            let user = service.users.resolve(self.user.as_ref())?;
            let mut memory = service.memory.list(&user)?.find(self.id.as_str())?.clone();
            // Some of the old text may be left.
            memory.origins.add(&Origins::of(Origin::Person));
            Ok(service.memory.replace(&user, MemoryRecord { content, edited_at, ..memory })?)
        })
        .await
    }
}
