//! The run trees and conversations in the data directory of a worker: copies, which nobody misses.

use plait_api::ErrorReply;
use plait_core::id::{ConversationId, RunId};
use plait_host_store::Database;
use plait_store::{RunFilter, Store, Which};

use crate::blocking::blocking;
use crate::codes;

/// Removes what a worker that died has left in its data directory. `host.own_runs` if there are runs that the database does not have.
pub(super) async fn remove_all(store: &Store, database: &Database) -> Result<(), ErrorReply> {
    let roots = RunFilter { which: Which::Roots, ..RunFilter::default() };
    let listed = store.clone();
    let roots: Vec<RunId> =
        blocking(move || Ok(listed.runs(&roots)?)).await?.into_iter().map(|record| record.run).collect();
    let known = database.known_trees(&roots).await?;
    if let Some(own) = roots.iter().find(|root| !known.contains(root)) {
        let home = store.home().display();
        let message = format!("The data directory `{home}` has runs of its own, such as {own}.");
        return Err(ErrorReply::new(codes::HOST_OWN_RUNS, message).hint(
            "Give the worker a data directory without runs (`--data`), or move them: `plait-server runs import`.",
        ));
    }
    for root in roots {
        remove(store, root).await?;
    }
    Ok(())
}

/// Removes the copy of a tree.
pub(super) async fn remove(store: &Store, root: RunId) -> Result<(), ErrorReply> {
    let store = store.clone();
    blocking(move || Ok(store.remove_run(&root)?)).await
}

/// Puts the copy of a conversation in its place.
pub(super) async fn put_conversation(
    store: &Store,
    id: ConversationId,
    bytes: Vec<u8>,
) -> Result<(), ErrorReply> {
    let store = store.clone();
    blocking(move || Ok(store.put_conversation(&id, &bytes)?)).await
}

/// Removes the copy of a conversation.
pub(super) async fn remove_conversation(store: &Store, id: ConversationId) -> Result<(), ErrorReply> {
    let store = store.clone();
    blocking(move || Ok(store.remove_conversation_copy(&id)?)).await
}
