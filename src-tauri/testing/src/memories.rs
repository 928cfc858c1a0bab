//! A long-term memory for tests.

use std::collections::BTreeMap;

use async_trait::async_trait;
use parking_lot::Mutex;

use plait_core::error::Fault;
use plait_core::id::MemoryId;
use plait_core::user::UserName;
use plait_llm::long_term_memory::{MemoryRecord, MemoryStore, Recall, RecallRequest};
use plait_run::codes;

/// Keeps memories. A query finds memories that contain it.
#[derive(Default)]
pub struct FakeMemoryStore {
    users: Mutex<BTreeMap<UserName, Vec<MemoryRecord>>>,
    /// How often memories were to be stored.
    writes: Mutex<u32>,
    is_full: Mutex<bool>,
}

impl FakeMemoryStore {
    /// The memories of a user, in the order in which they were stored.
    pub fn of(&self, user: &UserName) -> Vec<MemoryRecord> {
        self.users.lock().get(user).cloned().unwrap_or_default()
    }

    /// How often memories were to be stored.
    pub fn writes(&self) -> u32 {
        *self.writes.lock()
    }

    /// Whether storing fails from now on.
    pub fn set_full(&self, is_full: bool) {
        *self.is_full.lock() = is_full;
    }
}

#[async_trait]
impl MemoryStore for FakeMemoryStore {
    async fn recall(&self, user: &UserName, request: RecallRequest) -> Result<Recall, Fault> {
        let found: Vec<_> = self
            .of(user)
            .into_iter()
            .rev()
            .filter(|memory| {
                request.wants(memory.content.kind) && memory.content.text.contains(&request.query)
            })
            .collect();
        Ok(Recall::within_limits(request, found))
    }

    async fn remember(&self, user: &UserName, memories: Vec<MemoryRecord>) -> Result<(), Fault> {
        *self.writes.lock() += 1;
        if *self.is_full.lock() {
            return Err(Fault::new(codes::STORE_FULL, "The disk is full.").retryable());
        }
        let mut users = self.users.lock();
        let known = users.entry(user.clone()).or_default();
        for memory in memories {
            if known.iter().all(|one| one.id != memory.id) {
                known.push(memory);
            }
        }
        Ok(())
    }

    async fn forget(&self, user: &UserName, ids: Vec<MemoryId>) -> Result<u64, Fault> {
        let mut users = self.users.lock();
        let known = users.entry(user.clone()).or_default();
        let before = known.len();
        known.retain(|memory| !ids.contains(&memory.id));
        Ok((before - known.len()) as u64)
    }
}
