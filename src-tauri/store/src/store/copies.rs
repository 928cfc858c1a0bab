//! What a process has copies of, while the truth is in a database.

use plait_core::error::Fault;
use plait_core::id::ConversationId;

use super::Store;
use crate::RunDatabase;

impl Store {
    /// The database that has the truth of the runs, if it is not the files.
    pub fn database(&self) -> Option<&dyn RunDatabase> {
        self.0.shared.disk.database()
    }

    /// The bytes of the file of a conversation. Faults `conversation.unknown`, `store.*`.
    pub fn conversation_bytes(&self, id: &ConversationId) -> Result<Vec<u8>, Fault> {
        self.0.conversations().bytes(id)
    }

    /// Puts the file of a conversation in its place; the one that is there, if any, is replaced. Faults `conversation.unknown` if it is
    /// no id, `store.*`.
    pub fn put_conversation(&self, id: &ConversationId, bytes: &[u8]) -> Result<(), Fault> {
        self.0.writer()?;
        self.0.conversations().put_copy(id, bytes)
    }

    /// Removes the file of a conversation without a trace: another process goes on with it. Faults as above.
    pub fn remove_conversation_copy(&self, id: &ConversationId) -> Result<(), Fault> {
        self.0.writer()?;
        self.0.conversations().remove_copy(id)
    }
}
