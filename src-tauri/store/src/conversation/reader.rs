//! Reads the stored messages of a conversation for a run.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::ConversationId;
use plait_llm::context::SharedMessage;
use plait_llm::context::conversation::{ConversationReader, Summary, SummaryRef};
use plait_llm::memory::WorkflowMemory;

use super::{Conversations, id_of, key_of, unknown};
use crate::log_file::Key;

/// The stored history of one conversation.
pub struct StoredConversation {
    conversations: Arc<Conversations>,
    key: Key,
}

impl StoredConversation {
    pub(crate) fn open(conversations: &Arc<Conversations>, id: &ConversationId) -> Result<Self, Fault> {
        Ok(Self { conversations: Arc::clone(conversations), key: key_of(id)? })
    }

    /// The workflow's memory as the latest run left it; nothing if no run has any.
    pub fn memory(&self) -> Result<Option<Arc<WorkflowMemory>>, Fault> {
        self.conversations.memory(self.key)
    }
}

impl Conversations {
    pub(super) fn shared_message(&self, key: Key, place: u64) -> Result<SharedMessage, Fault> {
        let mut state = self.lock();
        let file = self.file(&mut state, key)?.ok_or_else(|| unknown(id_of(key).as_str()))?;
        Ok(file.message(place)?.into_message().into())
    }

    fn memory(&self, key: Key) -> Result<Option<Arc<WorkflowMemory>>, Fault> {
        let mut state = self.lock();
        let file = self.file(&mut state, key)?.ok_or_else(|| unknown(id_of(key).as_str()))?;
        let memory = file.memory();
        Ok((!memory.is_empty()).then(|| Arc::new(memory.for_next_run())))
    }

    pub(super) fn summary(&self, key: Key, summary: &SummaryRef) -> Result<Summary, Fault> {
        let mut state = self.lock();
        self.file(&mut state, key)?.ok_or_else(|| unknown(id_of(key).as_str()))?.summary(summary)
    }
}

impl ConversationReader for StoredConversation {
    fn message(&self, place: u64) -> Result<SharedMessage, Fault> {
        self.conversations.shared_message(self.key, place)
    }

    fn summary(&self, summary: &SummaryRef) -> Result<Summary, Fault> {
        self.conversations.summary(self.key, summary)
    }
}
