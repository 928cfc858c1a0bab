//! `flow.open` and `flow.save`: flow files. Opening executes nothing; saving is atomic.

use std::path::{Path, PathBuf};

use plait_adapters::files;
use plait_adapters::store::RecentFlow as Recent;
use plait_engine::diagnostic::Diagnostic;
use plait_engine::flow::{self, Flow, ReadError};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::autosave::{Autosave, newer_than_its_file};
use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

/// `flow.open`: reads a flow file. One that can't be read as a flow is an error `flow.*` with its `diagnostics`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenFlow {
    /// The file.
    pub path: String,
}

/// A flow file, read.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OpenedFlow {
    /// The flow, as the file has it.
    pub flow: Flow,
    /// The file, as an absolute path.
    pub path: String,
    /// Hash of the file's bytes; `flow.save` takes it as `baseHash`.
    pub hash: String,
    /// What there is to say about the flow.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the file cannot be written.
    pub read_only: bool,
    /// A draft that is newer than the file, if the last session left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub recovered: Option<Autosave>,
}

/// `flow.save`: writes a flow file, whole or not at all.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SaveFlow {
    /// The file.
    pub path: String,
    /// The flow.
    pub flow: Flow,
    /// Hash of the file as it was opened or last saved; a file that is another by now is not overwritten.
    #[serde(default)]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// Overwrite it all the same.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub force: bool,
}

/// A flow file, written.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SavedFlow {
    /// The file, as an absolute path.
    pub path: String,
    /// When, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub saved_at: u64,
    /// Hash of the file's bytes.
    pub hash: String,
}

impl Command for OpenFlow {
    const NAME: &'static str = "flow.open";
    type Reply = OpenedFlow;

    async fn run(self, app: &Plait) -> Result<OpenedFlow, ErrorReply> {
        let (store, registry, opened_at) = (app.store().clone(), app.registry_handle(), app.clock().now_ms());
        blocking(move || {
            let file = files::read(Path::new(&self.path))?;
            let flow = flow::read(&file.text).map_err(|error| unreadable(&file.path, &error))?;
            let path = file.path.display().to_string();
            let diagnostics = crate::flows::check_tree(&flow, Some(&path), &registry).diagnostics;
            // Neither the list of recent flows nor a draft that can't be read keeps anybody from a flow that can.
            let _ = store.touch_recent(&Recent { path: path.clone(), name: flow.name.clone(), opened_at });
            let recovered = store
                .drafts()
                .unwrap_or_default()
                .into_iter()
                .filter(|draft| draft.path.as_deref() == Some(&path))
                .find_map(newer_than_its_file);
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

impl Command for SaveFlow {
    const NAME: &'static str = "flow.save";
    type Reply = SavedFlow;

    async fn run(self, app: &Plait) -> Result<SavedFlow, ErrorReply> {
        let (store, saved_at) = (app.store().clone(), app.clock().now_ms());
        blocking(move || {
            let text = crate::flow_text(&self.flow)?;
            let path = std::path::absolute(&self.path).unwrap_or_else(|_| PathBuf::from(&self.path));
            let unless_changed = if self.force { None } else { self.base_hash.as_deref() };
            let hash = files::write(&path, &text, unless_changed)?;
            let path = path.canonicalize().unwrap_or(path).display().to_string();
            // It is saved, whether or not the data directory takes note of it.
            let _ =
                store.touch_recent(&Recent { path: path.clone(), name: self.flow.name, opened_at: saved_at });
            Ok(SavedFlow { path, saved_at, hash })
        })
        .await
    }
}

/// Why a file is not a flow, with the diagnostic and its place.
fn unreadable(path: &Path, error: &ReadError) -> ErrorReply {
    let one = &*error.diagnostic;
    let place = if error.line > 0 { format!(":{}:{}", error.line, error.column) } else { String::new() };
    let mut reply = ErrorReply::new(&one.code, format!("{}{place}: {}", path.display(), one.message));
    reply.hint.clone_from(&one.hint);
    reply.diagnostics(std::slice::from_ref(one))
}

fn is_read_only(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly())
}
