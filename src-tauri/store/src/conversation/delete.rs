//! Deletes a conversation permanently. A tombstone stays in its place, so that nothing is put back from the journals of its
//! runs. The runs keep their own messages, but no longer the messages they recalled.

use std::path::PathBuf;

use plait_core::error::Fault;
use plait_core::id::{ConversationId, RunId};

use super::file::deleted;
use super::{Conversations, IndexEntry, key_of, path_in, unknown};
use crate::codes;
use crate::fault;

impl Conversations {
    /// The file of a conversation. Fault `conversation.unknown` if it is no id.
    pub(crate) fn path(&self, id: &ConversationId) -> Result<PathBuf, Fault> {
        Ok(path_in(&self.folder, key_of(id)?))
    }

    /// Deletes a conversation. `open_run` gives a run in it that has not ended: when resumed, that run could no longer recall
    /// its messages. Faults `conversation.unknown`, `conversation.busy`. On disk when this returns.
    pub(crate) fn delete(
        &self,
        id: &ConversationId,
        open_run: impl FnOnce() -> Option<RunId>,
    ) -> Result<(), Fault> {
        let key = key_of(id)?;
        // Held to the end, so that no run can start in it meanwhile.
        let mut state = self.lock();
        state.record(key).ok_or_else(|| unknown(id.as_str()))?;
        if let Some(run) = open_run() {
            return Err(Fault::new(
                codes::CONVERSATION_BUSY,
                format!("Run `{run}` in this conversation has not ended."),
            )
            .hint("Wait until it ends or cancel it, then delete the conversation."));
        }
        let tombstone = deleted(key);
        self.disk
            .replace(&path_in(&self.folder, key), &tombstone)
            .map_err(|error| fault::of_io("delete the conversation", &error))?;
        state.files.remove(&key);
        state.index.put(key, IndexEntry { record: None, size: tombstone.len() as u64 });
        Ok(())
    }
}
