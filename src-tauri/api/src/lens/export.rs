//! `lens.export`.

use std::collections::BTreeMap;
use std::path::Path;

use plait_adapters::telemetry::{SpanExporter, TelemetrySettings, otlp};
use plait_core::id::RunId;
use plait_store::flow_files;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::LensService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::runs::spans_of_tree;

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
