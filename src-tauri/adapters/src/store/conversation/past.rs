//! A conversation's messages as a run asks for them.

use plait_engine::context::SharedMessage;
use plait_engine::context::conversation::{Past, Summary, SummaryRef};
use plait_engine::error::Fault;
use plait_engine::id::ConversationId;

use super::{ConversationKey, SharedInner, key_of, rows};

/// What the store keeps of one conversation.
pub struct StoredPast {
    inner: SharedInner,
    key: ConversationKey,
}

impl StoredPast {
    pub(in crate::store) fn open(inner: &SharedInner, id: &ConversationId) -> Result<Self, Fault> {
        let key = key_of(id)?;
        // What a run may ask for was queued before the run began.
        inner.writer.settle()?;
        Ok(Self { inner: SharedInner::clone(inner), key })
    }
}

impl Past for StoredPast {
    fn message(&self, place: u64) -> Result<SharedMessage, Fault> {
        Ok(rows::at(&self.inner, self.key, place)?.remembered().into())
    }

    fn summary(&self, summary: &SummaryRef) -> Result<Summary, Fault> {
        rows::summary(&self.inner, self.key, summary)
    }
}
