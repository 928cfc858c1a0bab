//! What Restate asks of a worker: to drive one tree until it has nothing to do. Restate says who drives a tree and when; whether one may is decided by
//! the lease in the database, as without it.
//!
//! | the tree | what is answered |
//! |---|---|
//! | has work | it is driven here, and looked at again |
//! | has nothing to do | done: a run that waits for a person is nobody's |
//! | is another worker's, or that of one that died less than a lease ago | nothing, until that has changed |
//! | comes after another one in its conversation, or needs a newer worker | an error, so that Restate asks again |
//!
//! A tree goes on when the connection to Restate breaks. Restate asks again, here or elsewhere, and that waits until the tree is given back.

use std::sync::Arc;
use std::time::Duration;

use plait_api::ErrorReply;
use plait_core::id::RunId;
use plait_host_store::TreeClaim;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{sleep, timeout};

use super::Worker;
use crate::codes;
use crate::phase::closing;

/// How long a tree waits for a place here. Then Restate asks again, perhaps another worker.
const PLACE_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a tree is looked at that another worker has.
const HELD_INTERVAL: Duration = Duration::from_millis(500);

impl Worker {
    /// Drives a tree until it has nothing to do, or the worker ends. An error asks Restate to ask again.
    pub(super) async fn advance(self: &Arc<Self>, root: &RunId) -> Result<(), ErrorReply> {
        loop {
            let place = timeout(PLACE_TIMEOUT, Arc::clone(&self.places).acquire_owned()).await;
            if self.is_ending() {
                return Err(closing());
            }
            let Ok(Ok(place)) = place else {
                let message = "The worker drives as many runs as it may.";
                return Err(ErrorReply::new(codes::HOST_BUSY, message)
                    .hint("Start more workers, or this one with a higher `--max-runs`."));
            };
            // In a task: a lease that was taken must not be lost with the connection to Restate.
            let driven = tokio::spawn(Arc::clone(self).claim_and_drive(root.clone(), place));
            let claim = driven.await.map_err(|error| {
                ErrorReply::new(codes::COMMAND_REPLY, format!("The worker could not go on: {error}."))
            })??;
            match claim {
                // What is left of it is announced to the hosts, which ask for it again.
                TreeClaim::Taken(_) if self.is_ending() => return Ok(()),
                TreeClaim::Taken(_) => {}
                TreeClaim::AtRest => return Ok(()),
                TreeClaim::Held => sleep(HELD_INTERVAL).await,
                TreeClaim::BehindAnother => {
                    let message = format!("Run {root} comes after another one in its conversation.");
                    return Err(ErrorReply::new(codes::CONVERSATION_BUSY, message));
                }
                TreeClaim::NeedsNewerWorker => {
                    let message = format!("Run {root} was driven by a newer worker.");
                    return Err(ErrorReply::new(codes::HOST_NEWER_WORKER, message));
                }
            }
        }
    }

    async fn claim_and_drive(
        self: Arc<Self>,
        root: RunId,
        place: OwnedSemaphorePermit,
    ) -> Result<TreeClaim, ErrorReply> {
        let claim = self.database.claim_tree(self.id, self.lease, &root).await?;
        if let TreeClaim::Taken(lease) = &claim {
            self.drive(lease.clone(), place).await?;
        }
        Ok(claim)
    }
}
