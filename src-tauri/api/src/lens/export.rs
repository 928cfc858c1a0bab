//! `lens.export`.

use std::collections::BTreeMap;
use std::path::Path;

use plait_adapters::telemetry::{RunPlace, Span, SpanExporter, SpanProjector, TelemetrySettings, otlp};
use plait_core::id::RunId;
use plait_store::{Store, flow_files};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_entries};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `lens.export`: sends the spans of a run and its child runs to an OTLP/HTTP endpoint, or writes them to a file. Exporting a run
/// again gives the same ids. `run.unknown`, `telemetry.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportSpans {
    pub run: RunId,
    /// The endpoint; that of the settings when left out.
    #[serde(default)]
    #[ts(optional)]
    pub endpoint: Option<String>,
    /// The file to write instead: one OTLP request as a line of JSON.
    #[serde(default)]
    #[ts(optional)]
    pub file: Option<String>,
    /// Whether the spans contain messages, tool arguments and results.
    #[serde(default)]
    pub content: bool,
}

/// What was exported.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportedSpans {
    /// How many spans were written, or sent and taken.
    #[ts(type = "number")]
    pub spans: u64,
    /// How many the server rejected.
    #[ts(type = "number")]
    pub rejected: u64,
}

impl Command for ExportSpans {
    const NAME: &'static str = "lens.export";
    type Service = LensService;
    type Reply = ExportedSpans;

    async fn run(self, service: &LensService) -> Result<ExportedSpans, ErrorReply> {
        let Self { run, endpoint, file, content } = self;
        let settings = service.exporter.settings();
        let settings = TelemetrySettings { endpoint: endpoint.or(settings.endpoint.clone()), ..settings };
        // Before anything is read: a bad endpoint is reported at once.
        let exporter = if file.is_some() { None } else { Some(SpanExporter::new(&settings)?) };
        let store = service.store.clone();
        let spans = run_blocking(move || {
            store.run(&run)?;
            spans_of_tree(&store, &run, content, &BTreeMap::new())
        })
        .await?;
        if let Some(exporter) = exporter {
            let report = exporter.send(&spans).await?;
            return Ok(ExportedSpans { spans: report.accepted, rejected: report.rejected });
        }
        let count = spans.len() as u64;
        run_blocking(move || {
            let text = format!("{}\n", otlp::encode(&spans));
            if let Some(file) = file {
                flow_files::write(Path::new(&file), &text, None)?;
            }
            Ok(())
        })
        .await?;
        Ok(ExportedSpans { spans: count, rejected: 0 })
    }
}

/// The spans of a run and its child runs that ended with an event which was not exported before: for each run, `exported` has the number
/// of the first event that was not. Open activations have none yet.
pub(crate) fn spans_of_tree(
    store: &Store,
    run: &RunId,
    content: bool,
    exported: &BTreeMap<RunId, u64>,
) -> Result<Vec<Span>, ErrorReply> {
    let mut place = RunPlace::root(run);
    if let Some(root) = root_of(store, run)?.filter(|root| root != run) {
        // Its parent's span is not exported with it, so it has none, but it is part of the same trace.
        place = RunPlace::root(&root);
    }
    let (mut spans, mut seen, mut next) = (Vec::new(), vec![run.clone()], vec![(run.clone(), place)]);
    while let Some((run, place)) = next.pop() {
        let entries = match read_entries(store, &run) {
            // A child run that was removed.
            Err(error) if error.code == codes::RUN_UNKNOWN && seen.len() > 1 => continue,
            entries => entries?,
        };
        let from = exported.get(&run).copied().unwrap_or_default();
        let mut projector = SpanProjector::new(run, place, content);
        for entry in &entries {
            let (ended, child) = projector.apply(entry);
            if entry.seq.is_some_and(|seq| seq >= from) {
                spans.extend(ended);
            }
            if let Some((run, place)) = child.filter(|(run, _)| !seen.contains(run)) {
                seen.push(run.clone());
                next.push((run, place));
            }
        }
    }
    Ok(spans)
}

fn root_of(store: &Store, run: &RunId) -> Result<Option<RunId>, ErrorReply> {
    let mut seen = vec![run.clone()];
    while let Some(parent) =
        seen.last().map(|run| store.run(run)).transpose()?.and_then(|record| record.parent_run_id)
    {
        // The records of a damaged store could form a circle.
        if seen.contains(&parent) {
            break;
        }
        seen.push(parent);
    }
    Ok(seen.pop())
}
