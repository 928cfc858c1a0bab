//! `flow.import`: a file of another tool as a flow that is not saved yet, with a report of what was translated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_core::flow::Flow;
use plait_formats::foreign::{
    ForeignFile, Format, ImportReport, Imported, Importer, MAX_BYTES, PROMPT_FLOW_FILE, name_of_file,
};
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
    /// The file, or the folder of a Prompt Flow; left out if `text` is the content of a file.
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
    /// Which graph of a file with several becomes the flow, by its id or name; by default, the main graph.
    #[serde(default)]
    #[ts(optional)]
    pub graph: Option<String>,
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
        let importer = Arc::clone(&service.importer);
        run_blocking(move || {
            let mut files = BTreeMap::new();
            let (text, stem) = match (self.text, &self.path) {
                (Some(text), _) => (text, None),
                (None, Some(path)) => {
                    let path = file_of(Path::new(path));
                    let text = flow_files::read(&path)?.text;
                    files = read_beside(&*importer, &path, &text)?;
                    (text, name_of_file(&path))
                }
                (None, None) => {
                    let message = "`flow.import` takes a `path` or a `text`.";
                    return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message));
                }
            };
            let name = self.name.or(stem).unwrap_or_else(|| "Imported".to_owned());
            // Keys that Plait knows stay out of the flow, under any name in the file.
            for text in files.values_mut() {
                *text = redaction.text(text).into_owned();
            }
            let Imported { flow, report } = importer.import(&ForeignFile {
                text: &redaction.text(&text),
                files: &files,
                format: self.format,
                name: &name,
                graph: self.graph.as_deref(),
            })?;
            Ok(ImportedFlow { flow, report })
        })
        .await
    }
}

/// The file of a path: in a folder, that of Prompt Flow.
fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(PROMPT_FLOW_FILE) } else { path.to_owned() }
}

/// The files that belong to a file of another tool. One that is missing, or that a link leads out of the folder, is not among them: the
/// report names the nodes that it leaves without a text.
fn read_beside(
    importer: &dyn Importer,
    path: &Path,
    text: &str,
) -> Result<BTreeMap<String, String>, ErrorReply> {
    let mut files = BTreeMap::new();
    let names = importer.files_beside(text);
    let folder = path.parent().and_then(|folder| {
        std::fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()
    });
    let Some(folder) = folder.filter(|_| !names.is_empty()) else { return Ok(files) };
    let mut bytes = text.len();
    for name in names {
        let Ok(file) = std::fs::canonicalize(folder.join(&name)) else { continue };
        if !file.starts_with(&folder) || !file.is_file() {
            continue;
        }
        let text = flow_files::read(&file)?.text;
        bytes += text.len();
        if bytes > MAX_BYTES {
            let message =
                format!("With the files of its nodes, the flow has more than {} MB.", MAX_BYTES >> 20);
            return Err(ErrorReply::new(codes::IMPORT_TOO_LARGE, message));
        }
        files.insert(name, text);
    }
    Ok(files)
}
