//! Conversations that several processes continue in turn: their files, on their way between a data directory and a database.

use plait_core::error::Fault;
use plait_core::id::ConversationId;

use super::{Conversations, key_of, path_in, unknown};
use crate::fault;

impl Conversations {
    /// The bytes of the file of a conversation, all of which are written. Fault `conversation.unknown`.
    pub(crate) fn bytes(&self, id: &ConversationId) -> Result<Vec<u8>, Fault> {
        let key = key_of(id)?;
        let mut state = self.lock();
        let file = self.file(&mut state, key)?.ok_or_else(|| unknown(id.as_str()))?;
        file.sync(&*self.disk)?;
        std::fs::read(path_in(&self.folder, key)).map_err(|error| fault::of_io("read a conversation", &error))
    }

    /// Puts the file of a conversation in its place; the one that is there, if any, is replaced.
    pub(crate) fn put_copy(&self, id: &ConversationId, bytes: &[u8]) -> Result<(), Fault> {
        let key = key_of(id)?;
        {
            let mut state = self.lock();
            let path = path_in(&self.folder, key);
            self.disk
                .create_folder(&self.folder)
                .and_then(|()| self.disk.replace(&path, bytes))
                .map_err(|error| fault::of_io("write a conversation", &error))?;
            state.files.remove(&key);
            // Nothing of the file before counts.
            state.index.remove(&key);
        }
        self.reload(key)
    }

    /// Removes the file of a conversation that the database has. Nothing is left of it.
    pub(crate) fn remove_copy(&self, id: &ConversationId) -> Result<(), Fault> {
        let key = key_of(id)?;
        let mut state = self.lock();
        self.disk
            .remove(&path_in(&self.folder, key))
            .map_err(|error| fault::of_io("remove a conversation", &error))?;
        state.files.remove(&key);
        state.index.remove(&key);
        Ok(())
    }
}
