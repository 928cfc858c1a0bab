//! What the commands on memories work with.

use std::sync::Arc;

use plait_adapters::{KeyStore, LongTermMemory};
use plait_core::user::UserName;
use plait_llm::long_term_memory::MemoryRecord;
use plait_run::host::Clock;

use crate::ErrorReply;
use crate::users::UserService;

/// The long-term memory of all users. Cheap to clone.
#[derive(Clone)]
pub struct MemoryService {
    pub(super) memory: LongTermMemory,
    pub(super) users: UserService,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) keys: KeyStore,
}

impl MemoryService {
    pub(crate) fn new(
        memory: LongTermMemory,
        users: UserService,
        clock: Arc<dyn Clock>,
        keys: KeyStore,
    ) -> Self {
        Self { memory, users, clock, keys }
    }

    /// The same memories, for another user.
    pub(crate) fn acting_for(&self, users: UserService) -> Self {
        Self { users, ..self.clone() }
    }

    /// The memory with an id that begins with `prefix`, of a user or the current one. `memory.unknown`,
    /// `memory.ambiguous`, `user.unknown`.
    pub fn find(&self, user: Option<&UserName>, prefix: &str) -> Result<MemoryRecord, ErrorReply> {
        let user = self.users.resolve(user)?;
        Ok(self.memory.list(&user)?.find(prefix)?.clone())
    }
}
