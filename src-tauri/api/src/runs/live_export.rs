//! Sends the spans of a run tree while it runs. Each run is watched like a window watches it, so nothing here can slow one down.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::BoxFuture;
use plait_adapters::telemetry::{RunPlace, SpanProjector};
use plait_core::id::RunId;

use super::service::RunService;
use super::watch::Watch;
use crate::codes;

/// How often a child run is looked up before it counts as one that never began.
const MAX_LOOKUPS: u32 = 200;
const LOOKUP_INTERVAL: Duration = Duration::from_millis(10);

impl RunService {
    /// Sends the spans of a run that is no child run, and of all runs below it, if the settings name an endpoint.
    pub(super) fn export_live(&self, root: &RunId) {
        if self.parts.exporter.is_on() {
            self.parts.exporter.spawn(self.clone().follow_for_export(root.clone(), RunPlace::root(root)));
        }
    }

    /// Watches a run that may be about to be stored: the event of its start comes first.
    async fn watch_new(&self, run: &RunId) -> Option<Watch> {
        for _ in 0..MAX_LOOKUPS {
            match self.watch(run, 0).await {
                Ok(watch) => return Some(watch),
                Err(error) if error.code == codes::RUN_UNKNOWN => {
                    tokio::time::sleep(LOOKUP_INTERVAL).await;
                }
                Err(_) => return None,
            }
        }
        None
    }

    /// Ends when the run ends or is no longer driven. Boxed, since it follows child runs recursively.
    fn follow_for_export(self, run: RunId, place: RunPlace) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Some(mut watch) = self.watch_new(&run).await else { return };
            let mut projector = SpanProjector::new(run, place, self.parts.exporter.settings().content);
            let mut children = BTreeSet::new();
            while let Some(Ok(entry)) = watch.next().await {
                let (spans, child) = projector.apply(&entry);
                self.parts.exporter.queue(spans);
                if let Some((child, place)) = child.filter(|(child, _)| children.insert(child.clone())) {
                    self.parts.exporter.spawn(self.clone().follow_for_export(child, place));
                }
            }
        })
    }
}
