//! What the commands on conversations work with.

use std::sync::Arc;

use plait_adapters::KeyStore;
use plait_core::id::ConversationId;
use plait_run::host::Clock;
use plait_store::Store;

use crate::ErrorReply;
use crate::users::UserService;

/// The conversations of the data directory.
#[derive(Clone)]
pub struct ConversationService {
    pub(super) store: Store,
    pub(super) users: UserService,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) keys: KeyStore,
}

impl ConversationService {
    pub(crate) fn new(store: Store, users: UserService, clock: Arc<dyn Clock>, keys: KeyStore) -> Self {
        Self { store, users, clock, keys }
    }

    /// The same conversations, for another user.
    pub(crate) fn acting_for(&self, users: UserService) -> Self {
        Self { users, ..self.clone() }
    }

    /// The conversation with an id that begins with `prefix`. `conversation.unknown`, `conversation.ambiguous`.
    pub fn find(&self, prefix: &str) -> Result<ConversationId, ErrorReply> {
        Ok(self.store.find_conversation(prefix)?)
    }
}
