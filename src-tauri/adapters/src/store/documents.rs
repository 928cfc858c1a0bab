//! Documents by name or hash: flows as they ran, the settings, the flows opened of late. Owns their keys, not what they
//! say.

use plait_engine::error::{ErrorCode, Fault};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::key::{self, Space};
use super::store_core::StoreCore;
use super::writer::Write;
use crate::hash::content_hash;

/// The folder of large flow documents.
pub(super) const FLOWS: &str = "flows";
const SETTINGS_FOLDER: &str = "settings";

/// How many flows are remembered.
const RECENT_MAX: usize = 50;
const RECENT: &str = "recent";

/// A flow that was opened before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecentFlow {
    /// Its file.
    pub path: String,
    /// Its name.
    pub name: String,
    /// When it was last opened, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub opened_at: u64,
}

pub(super) fn put_flow(core: &StoreCore, text: &str) -> Result<String, Fault> {
    let hash = content_hash(text.as_bytes());
    core.kept_flows().insert(hash.clone());
    let at = key::of(Space::Flow, hash.as_bytes());
    if core.get(&at)?.is_none() {
        let changes = vec![(at, Some(text.as_bytes().to_vec()))];
        core.put_durably(Write::of(FLOWS, changes))?;
    }
    Ok(hash)
}

pub(super) fn flow(core: &StoreCore, hash: &str) -> Result<String, Fault> {
    let stored = core.get(&key::of(Space::Flow, hash.as_bytes()))?.ok_or_else(|| {
        Fault::new(ErrorCode::FlowUnknown, format!("The store has no flow document `{hash}`."))
    })?;
    let damaged = |why: String| {
        Fault::new(ErrorCode::StoreCorrupt, format!("The flow document `{hash}` is damaged: {why}."))
    };
    let bytes = core.blobs.load(FLOWS, &stored).map_err(damaged)?;
    String::from_utf8(bytes).map_err(|error| damaged(error.to_string()))
}

/// The document of that name, or its default.
pub(super) fn get<T: DeserializeOwned + Default>(core: &StoreCore, name: &str) -> Result<T, Fault> {
    let Some(stored) = core.get(&key::of(Space::Setting, name.as_bytes()))? else { return Ok(T::default()) };
    let read = core.blobs.load(SETTINGS_FOLDER, &stored);
    read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()))
        .map_err(|why| Fault::new(ErrorCode::StoreCorrupt, format!("The stored {name} are damaged: {why}.")))
}

/// Replaces the document of that name; on disk when this returns.
pub(super) fn put(core: &StoreCore, name: &str, document: &impl Serialize) -> Result<(), Fault> {
    core.put_durably(replacement(name, document)?)
}

/// Replaces the document of that name, without waiting for the disk.
pub(super) fn put_soon(core: &StoreCore, name: &str, document: &impl Serialize) -> Result<(), Fault> {
    core.writer.write(None, replacement(name, document)?)
}

fn replacement(name: &str, document: &impl Serialize) -> Result<Write, Fault> {
    let bytes = serde_json::to_vec(document).map_err(|error| {
        Fault::new(ErrorCode::StoreIo, format!("The {name} can't be written as JSON: {error}."))
    })?;
    let changes = vec![(key::of(Space::Setting, name.as_bytes()), Some(bytes))];
    Ok(Write::of(SETTINGS_FOLDER, changes))
}

pub(super) fn recent(core: &StoreCore) -> Result<Vec<RecentFlow>, Fault> {
    get(core, RECENT)
}

/// Changes the recent flows; `flow` comes first, or the one at `path` is removed.
pub(super) fn change_recent(core: &StoreCore, path: &str, first: Option<&RecentFlow>) -> Result<(), Fault> {
    let _alone = core.changing.lock();
    let mut flows: Vec<RecentFlow> = get(core, RECENT)?;
    flows.retain(|flow| flow.path != path);
    if let Some(flow) = first {
        flows.insert(0, flow.clone());
    }
    flows.truncate(RECENT_MAX);
    put(core, RECENT, &flows)
}
