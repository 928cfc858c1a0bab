//! Sends the spans of a run tree while it runs. Each run is watched like a window watches it, so nothing here can slow one down.
//!
//! A run tree that several processes drive in turn is exported in parts: by each of them what happened until it leaves the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::BoxFuture;
use plait_adapters::telemetry::{RunPlace, Span, SpanProjector};
use plait_core::id::RunId;

use super::service::RunService;
use super::tree_spans::spans_of_tree;
use super::watch::Watch;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;

/// A part of a run tree, as spans.
pub struct ExportPart(Vec<Span>);

/// How often a child run is looked up before it counts as one that never began.
const MAX_LOOKUPS: u32 = 200;
const LOOKUP_INTERVAL: Duration = Duration::from_millis(10);

impl RunService {
    /// Sends the spans of a run that is no child run, and of all runs below it, if the settings name an endpoint.
    pub(super) fn export_live(&self, root: &RunId) {
        if self.parts.exporter.follows() {
            self.parts.exporter.spawn(self.clone().follow_for_export(root.clone(), RunPlace::root(root)));
        }
    }

    /// From now on, runs are exported by [`RunService::export_part`] alone.
    pub fn export_in_parts(&self) {
        self.parts.exporter.follow_none();
    }

    /// Whether runs are exported: the settings name an endpoint.
    pub fn is_exporting(&self) -> bool {
        self.parts.exporter.is_on()
    }

    /// The spans of a run tree that ended with an event which was not exported before: for each run, `exported` has the number of the
    /// first event that was not. The errors of reading the tree.
    pub async fn part_for_export(
        &self,
        root: &RunId,
        exported: BTreeMap<RunId, u64>,
    ) -> Result<ExportPart, ErrorReply> {
        let (store, root) = (self.parts.store.clone(), root.clone());
        let content = self.parts.exporter.settings().content;
        run_blocking(move || Ok(ExportPart(spans_of_tree(&store, &root, content, &exported)?))).await
    }

    /// Sends a part of a run tree, beside what runs do.
    pub fn export_part(&self, part: ExportPart) {
        self.parts.exporter.queue(part.0);
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
