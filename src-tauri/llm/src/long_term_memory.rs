//! Long-term memory: what a user's flows know of the user beyond one run: facts, episodes and procedures.
//!
//! Each user has a memory of their own. It is independent of contexts and of the workflow's memory ([`crate::memory`]): a node
//! or a tool stores something in it and finds it again. Owns the trait, what a memory is, its limits, and how memories become
//! a text for a prompt. Where they are stored and how they are ranked is up to the implementation.

mod content;
mod render;

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::error::Fault;
use plait_core::id::{MemoryId, NodeId, RunId};
use plait_core::origin::Origins;
use plait_core::user::UserName;

pub use content::{MAX_STEP_BYTES, MAX_STEPS, MAX_TEXT_BYTES, MemoryContent};
pub use render::{civil_date, render};

use crate::codes;

/// The tool by which models read a user's memory. It is personal, so models get it only if the flow names it.
pub const READ_TOOL: &str = "memory_read";
/// The most memories that one node or one tool call stores.
pub const MAX_REMEMBERED_AT_ONCE: usize = 32;
/// How many memories a recall returns, if the flow does not say.
pub const DEFAULT_RECALLED: u32 = 8;
/// The most memories that a recall returns.
pub const MAX_RECALLED: u32 = 50;
/// The most bytes of text that the memories of a recall have together. The first is returned at any size.
pub const MAX_RECALLED_BYTES: usize = 16 << 10;

/// What kind of knowledge a memory is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "camelCase")]
pub enum MemoryKind {
    /// A statement.
    #[default]
    Fact,
    /// What happened, with its date.
    Episode,
    /// How to do something: a name and steps.
    Procedure,
}

/// Where a memory comes from. Empty for one that a person wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemorySource {
    /// The flow's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub flow: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
}

/// A memory of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryRecord {
    pub id: MemoryId,
    #[serde(flatten)]
    #[ts(flatten)]
    pub content: MemoryContent,
    /// When it was stored, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at: u64,
    /// When a person changed it last, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub edited_at: Option<u64>,
    pub source: MemorySource,
    /// Where its text comes from. A recall takes that over.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
}

impl MemoryRecord {
    /// A memory that a run stores. Its id follows from `key`, which names the place in the run: storing it again changes
    /// nothing.
    pub fn of_run(key: &str, content: MemoryContent, source: MemorySource, at: u64) -> Self {
        let origins = Origins::NONE;
        Self { id: MemoryId::derived(key), content, at, edited_at: None, source, origins }
    }
}

/// What is looked for in a user's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecallRequest {
    /// The query, in plain words. If empty, the newest memories are wanted.
    pub query: String,
    /// Only memories of these kinds; of all kinds if there are none here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<MemoryKind>>")]
    pub kinds: Vec<MemoryKind>,
    /// The most memories, at most [`MAX_RECALLED`].
    pub limit: u32,
}

impl RecallRequest {
    pub fn wants(&self, kind: MemoryKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// What was found in a user's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Recall {
    #[serde(flatten)]
    #[ts(flatten)]
    pub request: RecallRequest,
    /// The memories: the best first or, without a query, the newest first.
    pub memories: Vec<MemoryRecord>,
    /// How many more fit the query, beyond the limits.
    #[ts(type = "number")]
    pub more: u64,
}

impl Recall {
    /// Where what was found comes from.
    pub fn origins(&self) -> Origins {
        Origins::union(self.memories.iter().map(|memory| &memory.origins))
    }

    /// The first of these memories, within the limits on their number and size.
    pub fn within_limits(request: RecallRequest, found: impl IntoIterator<Item = MemoryRecord>) -> Self {
        let limit = usize::try_from(request.limit.clamp(1, MAX_RECALLED)).unwrap_or(usize::MAX);
        let (mut memories, mut more, mut bytes) = (Vec::new(), 0, 0);
        for memory in found {
            bytes += memory.content.bytes();
            // What comes after one that does not fit is worse.
            if more > 0 || memories.len() >= limit || (bytes > MAX_RECALLED_BYTES && !memories.is_empty()) {
                more += 1;
            } else {
                memories.push(memory);
            }
        }
        Self { request, memories, more }
    }
}

/// The long-term memory of all users.
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// What the user's memory has about a query. Faults are `memory.*` and `store.*`.
    async fn recall(&self, user: &UserName, request: RecallRequest) -> Result<Recall, Fault>;
    /// Stores memories; they survive a crash when this returns. A known or erased memory is left as it is.
    /// `memory.full`, `memory.damaged`, `store.*`.
    async fn remember(&self, user: &UserName, memories: Vec<MemoryRecord>) -> Result<(), Fault>;
    /// Erases memories. Returns how many there were. `memory.damaged`, `store.*`.
    async fn forget(&self, user: &UserName, ids: Vec<MemoryId>) -> Result<u64, Fault>;
}

/// A host without long-term memory.
pub struct NoMemoryStore;

impl NoMemoryStore {
    /// The memory of hosts that have none.
    pub fn shared() -> Arc<dyn MemoryStore> {
        Arc::new(Self)
    }
}

#[async_trait]
impl MemoryStore for NoMemoryStore {
    async fn recall(&self, _: &UserName, request: RecallRequest) -> Result<Recall, Fault> {
        Ok(Recall { request, ..Recall::default() })
    }

    async fn remember(&self, _: &UserName, _: Vec<MemoryRecord>) -> Result<(), Fault> {
        Err(unavailable())
    }

    async fn forget(&self, _: &UserName, _: Vec<MemoryId>) -> Result<u64, Fault> {
        Err(unavailable())
    }
}

fn unavailable() -> Fault {
    Fault::new(codes::MEMORY_UNAVAILABLE, "There is no long-term memory here.")
}

#[cfg(test)]
mod tests;
