//! `flow.import`: a file of another tool as a flow that is not saved yet, with a report of what was translated.

use std::path::Path;
use std::sync::Arc;

use plait_core::flow::Flow;
use plait_import::{Format, ImportReport, Imported, import};
use plait_store::flow_files;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::FlowService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `flow.import`: reads a file of another tool. `import.*` when it cannot be imported, `flow.*` when it cannot be read. Runs
/// nothing and writes nothing.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ImportFlow {
    /// The file; left out if `text` is its content.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// The content of a file.
    #[serde(default)]
    #[ts(optional)]
    pub text: Option<String>,
    /// The name of the flow if the file has none.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
    /// The tool that the file is from, if it is not recognized.
    #[serde(default)]
    #[ts(optional)]
    pub format: Option<Format>,
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ImportedFlow {
    pub flow: Flow,
    pub report: ImportReport,
}

impl Command for ImportFlow {
    const NAME: &'static str = "flow.import";
    type Service = FlowService;
    type Reply = ImportedFlow;

    async fn run(self, service: &FlowService) -> Result<ImportedFlow, ErrorReply> {
        // Importing a flow reads no keys.
        let redaction = Arc::clone(service.keys.redaction());
        run_blocking(move || {
            let (text, stem) = match (self.text, &self.path) {
                (Some(text), _) => (text, None),
                (None, Some(path)) => {
                    let path = Path::new(path);
                    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                    (flow_files::read(path)?.text, stem)
                }
                (None, None) => {
                    let message = "`flow.import` takes a `path` or a `text`.";
                    return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message));
                }
            };
            let name = self.name.or(stem).unwrap_or_else(|| "Imported".to_owned());
            // Keys that Plait knows stay out of the flow, under any name in the file.
            let Imported { flow, report } = import(&redaction.text(&text), self.format, &name)?;
            Ok(ImportedFlow { flow, report })
        })
        .await
    }
}
