//! `autosave.*`: drafts of unsaved flows, which survive a crash.

use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use plait_adapters::Redaction;
use plait_core::flow;
use plait_core::flow::Flow;
use plait_formats::pipeline;
use plait_store::Draft;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::secrets;
use super::service::FlowService;
use super::text::write_flow;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// A draft with changes that its file does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Autosave {
    /// The editor's key for it, one per open flow.
    pub key: String,
    /// The flow's file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// Hash of the file that the draft is based on. A file with a different hash was written since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// The flow's name.
    pub name: String,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub saved_at: u64,
    /// The draft.
    pub flow: Flow,
}

impl Autosave {
    /// The draft, unless its file has the same flow. A draft without `base_hash` is also dropped if the file was written
    /// after it. A draft that cannot be read as a flow is dropped. Drafts hold no secrets, so the file is also compared
    /// without its own.
    pub(super) fn from_draft(draft: Draft, redaction: &Redaction) -> Option<Self> {
        let flow = flow::read(&draft.text).ok()?;
        if let Some(path) = &draft.path
            && let Ok(on_disk) = std::fs::read_to_string(Path::new(path))
        {
            let same = pipeline::read_file(Path::new(path), &on_disk).is_ok_and(|saved| {
                saved == flow || without_secrets(saved, redaction).as_ref() == Some(&flow)
            });
            if same || (draft.base_hash.is_none() && modified_at(Path::new(path)) > draft.saved_at) {
                return None;
            }
        }
        Some(Self {
            key: draft.key,
            path: draft.path,
            base_hash: draft.base_hash,
            name: flow.name.clone(),
            saved_at: draft.saved_at,
            flow,
        })
    }
}

/// When a file was last written, in milliseconds since the Unix epoch; 0 if the file system does not know.
fn modified_at(path: &Path) -> u64 {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let since_epoch = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}

/// The flow with its secrets redacted.
fn without_secrets(mut flow: Flow, redaction: &Redaction) -> Option<Flow> {
    secrets::redact(&mut flow, redaction).ok()?;
    Some(flow)
}

/// `autosave.put`: stores a draft, in place of the one with the same key. Secrets in it are replaced by labels.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PutAutosave {
    /// The editor's key for it.
    pub key: String,
    /// The flow's file, if it has one.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// Hash of the file that the draft is based on.
    #[serde(default)]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// The draft.
    pub flow: Flow,
}

impl Command for PutAutosave {
    const NAME: &'static str = "autosave.put";
    type Service = FlowService;
    type Reply = ();

    async fn run(self, service: &FlowService) -> Result<(), ErrorReply> {
        let (store, saved_at) = (service.store.clone(), service.clock.now_ms());
        let redaction = service.keys.redaction_with_stored_keys().await;
        run_blocking(move || {
            let mut flow = self.flow;
            secrets::redact(&mut flow, &redaction)?;
            let text = write_flow(&flow)?;
            let draft = Draft { key: self.key, path: self.path, base_hash: self.base_hash, saved_at, text };
            Ok(store.put_draft(&draft)?)
        })
        .await
    }
}

/// `autosave.list`: all drafts with unsaved changes, latest first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListAutosaves {}

impl Command for ListAutosaves {
    const NAME: &'static str = "autosave.list";
    type Service = FlowService;
    type Reply = Vec<Autosave>;

    async fn run(self, service: &FlowService) -> Result<Vec<Autosave>, ErrorReply> {
        let store = service.store.clone();
        // Starting the app reads no keys either.
        let redaction = Arc::clone(service.keys.redaction());
        run_blocking(move || {
            let drafts = store.drafts()?.into_iter();
            Ok(drafts.filter_map(|draft| Autosave::from_draft(draft, &redaction)).collect())
        })
        .await
    }
}

/// `autosave.drop`: removes a draft. Does nothing when there is none.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DropAutosave {
    /// The editor's key for it.
    pub key: String,
}

impl Command for DropAutosave {
    const NAME: &'static str = "autosave.drop";
    type Service = FlowService;
    type Reply = ();

    async fn run(self, service: &FlowService) -> Result<(), ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(store.remove_draft(&self.key)?)).await
    }
}
