//! Deleting a conversation, whole and for good. What its runs said in themselves stays in their journals; what they
//! remembered of it does not.

use std::sync::Arc;

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::{head, key_of};
use crate::store::index::{self, RunFilter};
use crate::store::inner::Inner;
use crate::store::key::{self, Space};
use crate::store::writer::Write;

/// Deletes it. A fault `conversation.busy` while a run that has not ended goes on in it: taken up again, it could not
/// remember any more. On disk when this returns.
pub(in crate::store) fn remove(inner: &Arc<Inner>, id: &ConversationId) -> Result<(), Fault> {
    let key = key_of(id)?;
    // Held to the end: no run can begin in it meanwhile.
    let mut heads = inner.conversations();
    head(inner, &mut heads, key)?;
    let runs = index::runs(inner, &RunFilter::default())?;
    let open = runs.iter().find(|run| run.conversation.as_ref() == Some(id) && !run.status.is_final());
    if let Some(run) = open {
        return Err(Fault::new(
            ErrorCode::ConversationBusy,
            format!("Run `{}` has not ended and goes on in this conversation.", run.run),
        )
        .hint("Let it end, or cancel it, then delete the conversation."));
    }
    let mut doomed = vec![key::of(Space::Conversation, &key)];
    for space in [Space::Message, Space::Summary] {
        let prefix = key::of(space, &key);
        let keys: Vec<sled::IVec> = inner.database.read(|db| db.scan_prefix(prefix).keys().collect())?;
        doomed.extend(keys.into_iter().map(|key| key.to_vec()));
    }
    let changes = doomed.into_iter().map(|key| (key, None)).collect();
    inner.writer.write(None, Write::of(id.as_str(), changes))?;
    heads.0.remove(&key);
    inner.flush_blocking()?;
    drop(heads);
    inner.blobs.remove(id.as_str())
}
