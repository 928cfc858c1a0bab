//! `autosave.*`: drafts of flows that were not saved, kept across a crash.

use std::path::Path;
use std::time::UNIX_EPOCH;

use plait_adapters::store::Draft;
use plait_engine::flow::{self, Flow};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

/// A draft newer than its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Autosave {
    /// The editor's key for it, one per open flow.
    pub key: String,
    /// The flow's file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// Hash of that file as the draft began from it: a file that is another by now was written since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// The flow's name.
    pub name: String,
    /// When, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub saved_at: u64,
    /// The draft.
    pub flow: Flow,
}

/// `autosave.put`: keeps a draft in place of the one of the same key.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PutAutosave {
    /// The editor's key for it.
    pub key: String,
    /// The flow's file, if it has one.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// Hash of that file as the draft began from it.
    #[serde(default)]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// The draft.
    pub flow: Flow,
}

/// `autosave.list`: all drafts that are newer than their file, latest first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListAutosaves {}

/// `autosave.drop`: forgets a draft. No error when there is none.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DropAutosave {
    /// The editor's key for it.
    pub key: String,
}

impl Command for PutAutosave {
    const NAME: &'static str = "autosave.put";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        let (store, saved_at) = (app.store().clone(), app.clock().now_ms());
        blocking(move || {
            let text = crate::flow_text(&self.flow)?;
            let draft = Draft { key: self.key, path: self.path, base_hash: self.base_hash, saved_at, text };
            Ok(store.put_draft(&draft)?)
        })
        .await
    }
}

impl Command for ListAutosaves {
    const NAME: &'static str = "autosave.list";
    type Reply = Vec<Autosave>;

    async fn run(self, app: &Plait) -> Result<Vec<Autosave>, ErrorReply> {
        let store = app.store().clone();
        blocking(move || Ok(store.drafts()?.into_iter().filter_map(newer_than_its_file).collect())).await
    }
}

impl Command for DropAutosave {
    const NAME: &'static str = "autosave.drop";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        let store = app.store().clone();
        blocking(move || Ok(store.remove_draft(&self.key)?)).await
    }
}

/// The draft, unless its file says the same. One that does not know what it began from is taken for done with if the file
/// was written after it. A draft that no longer reads as a flow is left out: there is nothing to offer.
pub(super) fn newer_than_its_file(draft: Draft) -> Option<Autosave> {
    let flow = flow::read(&draft.text).ok()?;
    if let Some(path) = &draft.path
        && let Ok(on_disk) = std::fs::read_to_string(Path::new(path))
    {
        let same = flow::read(&on_disk).is_ok_and(|saved| saved == flow);
        if same || (draft.base_hash.is_none() && written_at(Path::new(path)) > draft.saved_at) {
            return None;
        }
    }
    Some(Autosave {
        key: draft.key,
        path: draft.path,
        base_hash: draft.base_hash,
        name: flow.name.clone(),
        saved_at: draft.saved_at,
        flow,
    })
}

/// When a file was last written, in milliseconds since the Unix epoch; 0 where the file system can't say.
fn written_at(path: &Path) -> u64 {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
