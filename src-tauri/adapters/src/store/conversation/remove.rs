//! Deletes a conversation permanently. Its runs keep their own messages in their journals, but no longer the messages they
//! recalled.

use std::sync::Arc;

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::{head, key_of};
use crate::store::key::{self, Space};
use crate::store::run_index::{self, RunFilter};
use crate::store::store_core::StoreCore;
use crate::store::writer::Write;

/// Deletes a conversation. Fault `conversation.busy` while a run in it has not ended: when resumed, it could no longer recall
/// its messages. On disk when this returns.
pub(in crate::store) fn remove(core: &Arc<StoreCore>, id: &ConversationId) -> Result<(), Fault> {
    let key = key_of(id)?;
    // Held to the end, so that no run can start in it meanwhile.
    let mut heads = core.conversations();
    head(core, &mut heads, key)?;
    let runs = run_index::runs(core, &RunFilter::default())?;
    let open = runs.iter().find(|run| run.conversation.as_ref() == Some(id) && !run.status.is_final());
    if let Some(run) = open {
        return Err(Fault::new(
            ErrorCode::ConversationBusy,
            format!("Run `{}` in this conversation has not ended.", run.run),
        )
        .hint("Wait until it ends or cancel it, then delete the conversation."));
    }
    let mut doomed = vec![key::of(Space::Conversation, &key)];
    for space in [Space::Message, Space::Summary] {
        let prefix = key::of(space, &key);
        let keys: Vec<sled::IVec> = core.database.read(|db| db.scan_prefix(prefix).keys().collect())?;
        doomed.extend(keys.into_iter().map(|key| key.to_vec()));
    }
    let changes = doomed.into_iter().map(|key| (key, None)).collect();
    core.writer.write(None, Write::of(id.as_str(), changes))?;
    heads.0.remove(&key);
    core.flush_blocking()?;
    drop(heads);
    core.blobs.remove(id.as_str())
}
