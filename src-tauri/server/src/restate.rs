//! Restate decides which worker drives a run and when, in place of the workers themselves. What runs are asked stays in the database.
//!
//! | part | where | what |
//! |---|---|---|
//! | [`relay`] | host | reports each tree that has work |
//! | [`ingress`] | host | the requests for that |
//! | `worker/restate_endpoint.rs` | worker | is asked by Restate to drive a tree |

pub(crate) mod ingress;
pub(crate) mod relay;

use plait_core::id::RunId;
use plait_host_store::TenantName;
use uuid::Uuid;

/// The virtual object that a run tree is to Restate, which asks for one thing of each at a time. The type in `worker/restate_endpoint.rs` has this
/// name.
pub(crate) const OBJECT: &str = "PlaitRun";
/// Its handler, which drives the tree until it has nothing to do.
pub(crate) const HANDLER: &str = "advance";

/// The key of a tree.
fn key_of_run(tenant: &TenantName, root: &RunId) -> String {
    format!("{tenant}/{root}")
}

/// The tree that a key names.
pub(crate) fn run_of_key(key: &str) -> Option<(TenantName, RunId)> {
    let (tenant, root) = key.split_once('/')?;
    Uuid::try_parse(root).ok()?;
    Some((TenantName::parse(tenant).ok()?, root.to_owned().into()))
}

#[cfg(test)]
mod tests;
