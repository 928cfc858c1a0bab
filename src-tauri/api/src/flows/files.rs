//! `flow.new`, `flow.open` and `flow.save`: flow files. Opening a flow executes nothing; saving is atomic.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_core::diagnostic::Diagnostic;
use plait_core::flow::{Flow, ReadError};
use plait_store::RecentFlow;
use plait_store::flow_files;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::autosave::Autosave;
use super::check::check_with_subflows;
use super::installed::Installed;
use super::service::FlowService;
use super::text::{read_file, write_file};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `flow.new`: an empty flow of the current version.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct NewFlow {}

impl Command for NewFlow {
    const NAME: &'static str = "flow.new";
    type Service = FlowService;
    type Reply = Flow;

    async fn run(self, _service: &FlowService) -> Result<Flow, ErrorReply> {
        Ok(Flow { name: "Untitled".to_owned(), ..Flow::default() })
    }
}

/// `flow.open`: reads a flow file. `flow.*` with `diagnostics` when it cannot be read as a flow.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenFlow {
    /// The file.
    pub path: String,
}

/// A flow file that was read.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OpenedFlow {
    /// The flow, as in the file.
    pub flow: Flow,
    /// The file, as an absolute path.
    pub path: String,
    /// Hash of the file's bytes. `flow.save` takes it as `baseHash`.
    pub hash: String,
    /// The problems of the flow.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the file cannot be written.
    pub read_only: bool,
    /// A draft with unsaved changes, if an earlier session left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub recovered: Option<Autosave>,
}

impl Command for OpenFlow {
    const NAME: &'static str = "flow.open";
    type Service = FlowService;
    type Reply = OpenedFlow;

    async fn run(self, service: &FlowService) -> Result<OpenedFlow, ErrorReply> {
        let (store, registry, sources) =
            (service.store.clone(), service.registry.clone(), service.installed.clone());
        let opened_at = service.clock.now_ms();
        // Opening a flow reads no keys.
        let redaction = Arc::clone(service.keys.redaction());
        run_blocking(move || {
            let file = flow_files::read(Path::new(&self.path))?;
            let flow = read_file(&file.path, &file.text).map_err(|errors| unreadable(&file.path, &errors))?;
            let path = file.path.display().to_string();
            let installed = Installed::of(&sources);
            let diagnostics = check_with_subflows(&flow, Some(&path), &registry, &installed).diagnostics;
            // A flow can be opened even if the recent flows cannot be written or the drafts cannot be read.
            let name = redaction.text(&flow.name).into_owned();
            let _ = store.touch_recent(&RecentFlow { path: path.clone(), name, opened_at });
            let recovered = store
                .drafts()
                .unwrap_or_default()
                .into_iter()
                .filter(|draft| draft.path.as_deref() == Some(&path))
                .find_map(|draft| Autosave::from_draft(draft, &redaction));
            Ok(OpenedFlow {
                read_only: is_read_only(&file.path),
                flow,
                path,
                hash: file.hash,
                diagnostics,
                recovered,
            })
        })
        .await
    }
}

/// Why a file is not a flow: the first error with its position, and the diagnostics of all.
pub(crate) fn unreadable(path: &Path, errors: &[ReadError]) -> ErrorReply {
    let Some(error) = errors.first() else {
        return ErrorReply::new(codes::FLOW_WRONG_SHAPE, format!("{} is not a flow.", path.display()));
    };
    let diagnostic = &*error.diagnostic;
    let position = if error.line > 0 { format!(":{}:{}", error.line, error.column) } else { String::new() };
    let more = match errors.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let mut reply = ErrorReply::new(
        diagnostic.code.clone(),
        format!("{}{position}: {}{more}", path.display(), diagnostic.message),
    );
    reply.hint.clone_from(&diagnostic.hint);
    let diagnostics: Vec<Diagnostic> =
        errors.iter().map(|error| Diagnostic::clone(&error.diagnostic)).collect();
    reply.diagnostics(&diagnostics)
}

fn is_read_only(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly())
}

/// `flow.save`: writes a flow file atomically. A file whose name is that of a pipeline is saved as one: only what was edited
/// changes in it. `pipeline.not_expressible` if it cannot be one; then the file is unchanged.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SaveFlow {
    /// The file.
    pub path: String,
    pub flow: Flow,
    /// Hash of the file as it was opened or last saved. A file that changed since is not overwritten.
    #[serde(default)]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// Overwrite the file even if it changed.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub force: bool,
    /// The file that the flow was opened from, if it is another one. A pipeline keeps the comments of that file.
    #[serde(default)]
    #[ts(optional)]
    pub source: Option<String>,
}

/// A flow file that was written.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SavedFlow {
    /// The file, as an absolute path.
    pub path: String,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub saved_at: u64,
    /// Hash of the file's bytes.
    pub hash: String,
}

impl Command for SaveFlow {
    const NAME: &'static str = "flow.save";
    type Service = FlowService;
    type Reply = SavedFlow;

    async fn run(self, service: &FlowService) -> Result<SavedFlow, ErrorReply> {
        let (store, saved_at) = (service.store.clone(), service.clock.now_ms());
        let redaction = service.keys.redaction_with_stored_keys().await;
        run_blocking(move || {
            let path = std::path::absolute(&self.path).unwrap_or_else(|_| PathBuf::from(&self.path));
            let source = self.source.as_ref().map_or(path.as_path(), Path::new);
            let text = write_file(&path, source, &self.flow, self.force)?;
            let expected_hash = if self.force { None } else { self.base_hash.as_deref() };
            let hash = flow_files::write(&path, &text, expected_hash)?;
            let path = path.canonicalize().unwrap_or(path).display().to_string();
            // The file is saved even if the recent flows cannot be written.
            let name = redaction.text(&self.flow.name).into_owned();
            let recent = RecentFlow { path: path.clone(), name, opened_at: saved_at };
            let _ = store.touch_recent(&recent);
            Ok(SavedFlow { path, saved_at, hash })
        })
        .await
    }
}
