//! Reports each tree of a tenant that has work and that no worker drives to Restate. What it could not take is reported again, so that a request which was
//! stored while Restate was away is executed when it is back.
//!
//! Each host of a database reports the same. Restate stores once what has the same number: the epoch of the tree's last lease, its newest request, and
//! the hour. With the hour, what was removed from Restate by hand or lost with its disk is reported once more.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::ready;
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use plait_core::id::RunId;
use plait_host_store::DueTree;

use super::ingress::Ingress;
use crate::database_runs::DatabaseRuns;
use crate::tenant::Tenant;
use crate::tenant_folders::mark;

/// How often trees are looked for that no notice named: after a worker was killed, or Restate was away.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How many requests are sent at once.
const MAX_REQUESTS: usize = 16;

/// Reports the trees of a tenant until the host ends.
pub(crate) async fn report_due_trees(tenant: Arc<Tenant>, ingress: Arc<Ingress>) {
    let Some(database) = &tenant.database else { return };
    let mut reported = HashMap::new();
    loop {
        tokio::select! {
            biased;
            () = tenant.ended() => return,
            () = database.due() => {}
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
        let look = report_once(&tenant, database, &ingress, &mut reported);
        tokio::select! {
            biased;
            () = tenant.ended() => return,
            () = look => {}
        }
    }
}

async fn report_once(
    tenant: &Tenant,
    database: &DatabaseRuns,
    ingress: &Ingress,
    reported: &mut HashMap<RunId, String>,
) {
    let due = match database.database.due_trees().await {
        Ok(due) => due,
        Err(fault) => return eprintln!("warning: {}{fault}", mark(&tenant.name)),
    };
    let hour = Timestamp::now().as_second() / 3600;
    // Only as many as there are trees with work.
    let mut known = std::mem::take(reported);
    let mut unreported = Vec::new();
    for tree in due {
        let number = number_of(&tree, hour);
        if known.remove(&tree.root).is_some_and(|known| known == number) {
            reported.insert(tree.root, number);
        } else {
            unreported.push((tree.root, number));
        }
    }
    let sent = stream::iter(unreported).map(async |(root, number)| {
        // The error is in the messages of the host, and the next look sends it again.
        ingress.advance(&tenant.name, &root, &number).await.ok().map(|()| (root, number))
    });
    // The first that is not taken ends the look: the others would wait as long for nothing.
    let mut sent =
        std::pin::pin!(sent.buffer_unordered(MAX_REQUESTS).take_while(|sent| ready(sent.is_some())));
    while let Some(Some((root, number))) = sent.next().await {
        reported.insert(root, number);
    }
}

/// What tells one piece of work of a tree from the next.
fn number_of(tree: &DueTree, hour: i64) -> String {
    format!("{}.{}.{hour}", tree.epoch, tree.request)
}
