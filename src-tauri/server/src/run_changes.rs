//! `GET /runs/changes`: says when the list of runs may have changed, so that who shows it need not ask again and again.

use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::Event;
use futures::{Stream, StreamExt as _, stream};
use serde_json::json;
use tokio::sync::watch;

use crate::events::data_event;
use crate::phase::closing;
use crate::tenant::Tenant;

/// The minimum time between two events: what changes in between is one change.
const INTERVAL: Duration = Duration::from_millis(200);

/// A stream that is read.
struct Reading {
    tenant: Arc<Tenant>,
    changes: watch::Receiver<()>,
}

/// An event `changed` at once, and then for each change, until the host ends.
pub(crate) fn of_tenant(tenant: Arc<Tenant>) -> impl Stream<Item = Event> + Send {
    let changes = match &tenant.database {
        Some(database) => database.changes(),
        None => tenant.plait.runs().changes(),
    };
    let later = stream::unfold(Some(Reading { tenant, changes }), async |reading| {
        let mut reading = reading?;
        let change = async {
            tokio::time::sleep(INTERVAL).await;
            reading.changes.changed().await.is_ok()
        };
        let goes_on = tokio::select! {
            biased;
            () = reading.tenant.ended() => false,
            goes_on = change => goes_on,
        };
        Some(if goes_on { (changed(), Some(reading)) } else { (data_event("error", &closing()), None) })
    });
    stream::once(async { changed() }).chain(later)
}

fn changed() -> Event {
    data_event("changed", &json!({}))
}
