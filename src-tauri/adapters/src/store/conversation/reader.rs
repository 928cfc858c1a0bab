//! Reads the stored messages of a conversation for a run.

use plait_engine::context::SharedMessage;
use plait_engine::context::conversation::{ConversationReader, Summary, SummaryRef};
use plait_engine::error::Fault;
use plait_engine::id::ConversationId;

use super::{ConversationKey, SharedCore, key_of, rows};

/// The stored history of one conversation.
pub struct StoredConversation {
    core: SharedCore,
    key: ConversationKey,
}

impl StoredConversation {
    pub(in crate::store) fn open(core: &SharedCore, id: &ConversationId) -> Result<Self, Fault> {
        let key = key_of(id)?;
        // Everything a run may read was queued before the run started.
        core.writer.settle()?;
        Ok(Self { core: SharedCore::clone(core), key })
    }
}

impl ConversationReader for StoredConversation {
    fn message(&self, place: u64) -> Result<SharedMessage, Fault> {
        Ok(rows::at(&self.core, self.key, place)?.into_message().into())
    }

    fn summary(&self, summary: &SummaryRef) -> Result<Summary, Fault> {
        rows::summary(&self.core, self.key, summary)
    }
}
