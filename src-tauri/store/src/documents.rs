//! Small documents, one file each, replaced atomically: flows as they ran, the settings, the token calibration, the flows
//! opened recently. Owns their names, not what they say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::document_files::{bytes_of, json, parse, path_in};
use crate::store_core::StoreCore;
use crate::{checksums, fault};
use plait_core::hash::content_hash;

/// How many flows are remembered.
const MAX_RECENT_FLOWS: usize = 50;

const RECENT: &str = "recent";

/// A flow that was opened before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecentFlow {
    /// Its file.
    pub path: String,
    pub name: String,
    /// When it was last opened, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub opened_at: u64,
}

/// The file of a flow document. Fault `flow.unknown` if it is no hash.
fn flow_path(home: &Path, hash: &str) -> Result<PathBuf, Fault> {
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Ok(home.join("flows").join(hash).with_extension("json")) } else { Err(unknown_flow(hash)) }
}

fn unknown_flow(hash: &str) -> Fault {
    Fault::new(codes::FLOW_UNKNOWN, format!("The store has no flow document `{hash}`."))
}

/// Stores a flow document once per content. On disk when this returns. One that was damaged is whole again.
pub(crate) fn put_flow(core: &StoreCore, text: &str) -> Result<String, Fault> {
    core.writer()?;
    let hash = content_hash(text.as_bytes());
    let path = flow_path(&core.shared.home, &hash)?;
    // Each time: unlike the file, what the database has may be removed by others.
    if let Some(database) = core.shared.disk.database() {
        database.put_flow(&hash, text)?;
    }
    if core.kept_flows().contains(&hash) {
        return Ok(hash);
    }
    let is_there = std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes());
    if !is_there {
        let disk = &core.shared.disk;
        path.parent()
            .map_or(Ok(()), |folder| disk.create_folder(folder))
            .and_then(|()| disk.replace(&path, text.as_bytes()))
            .map_err(|error| fault::of_io("store a flow document", &error))?;
    }
    core.kept_flows().insert(hash.clone());
    Ok(hash)
}

/// Keeps a flow document, if its file is there, until the store is closed. Says whether it is.
pub(crate) fn keep_flow(core: &StoreCore, hash: &str) -> bool {
    // Before it is looked for: what removes documents looks here first.
    let is_new = core.kept_flows().insert(hash.to_owned());
    let is_there = flow_path(&core.shared.home, hash).is_ok_and(|path| path.exists());
    if is_new && !is_there {
        core.kept_flows().remove(hash);
    }
    is_there
}

/// Removes a flow document that no run uses any more.
pub(crate) fn remove_unused_flow(core: &StoreCore, hash: &str) -> Result<(), Fault> {
    if core.kept_flows().contains(hash) || core.shared.index().uses_flow(hash) {
        return Ok(());
    }
    let path = flow_path(&core.shared.home, hash)?;
    core.shared.disk.remove(&path).map_err(|error| fault::of_io("remove a flow document", &error))
}

pub(crate) fn flow(core: &StoreCore, hash: &str) -> Result<String, Fault> {
    let path = flow_path(&core.shared.home, hash)?;
    let damaged = |why: &str| {
        Fault::new(codes::STORE_CORRUPT, format!("The flow document `{}` is damaged: {why}.", path.display()))
    };
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let database = core.shared.disk.database();
            let stored = database.map(|database| database.flow(hash)).transpose()?.flatten();
            stored.ok_or_else(|| unknown_flow(hash))?.into_bytes()
        }
        Err(error) => return Err(fault::of_io("read a flow document", &error)),
    };
    if content_hash(&bytes) != hash {
        return Err(damaged("its content is not what ran"));
    }
    String::from_utf8(bytes).map_err(|_| damaged("it is no text"))
}

/// The document of that name, or its default.
pub(crate) fn get<T: DeserializeOwned + Default>(core: &StoreCore, name: &str) -> Result<T, Fault> {
    read(&core.shared.home, name)
}

/// The document of that name in a data directory that need not be open, or its default.
pub(crate) fn read<T: DeserializeOwned + Default>(home: &Path, name: &str) -> Result<T, Fault> {
    let path = path_in(home, name);
    let (bytes, verified) = checksums::read_verified(home, name, || bytes_of(&path, name))?;
    let document = bytes.as_deref().map_or_else(|| Ok(T::default()), |bytes| parse(&path, name, bytes))?;
    verified.map(|()| document)
}

/// The same, whether or not something other than Plait has written it.
pub(crate) fn read_as_found<T: DeserializeOwned + Default>(home: &Path, name: &str) -> Result<T, Fault> {
    let path = path_in(home, name);
    bytes_of(&path, name)?.map_or_else(|| Ok(T::default()), |bytes| parse(&path, name, &bytes))
}

/// Replaces the document of that name; on disk when this returns.
pub(crate) fn put(core: &StoreCore, name: &str, document: &impl Serialize) -> Result<(), Fault> {
    core.writer()?;
    let bytes = json(name, document)?;
    if checksums::GUARDED.contains(&name) {
        return checksums::replace(&core.shared, name, &bytes);
    }
    core.shared
        .disk
        .replace(&path(core, name), &bytes)
        .map_err(|error| fault::of_io(&format!("write the {name}"), &error))
}

/// Changes one entry of the document of that name, which is a table. An entry that becomes its default is removed.
pub(crate) fn change_entry<T: DeserializeOwned + Serialize + Default + PartialEq>(
    core: &StoreCore,
    name: &str,
    key: &str,
    change: impl FnOnce(&T) -> Result<T, Fault>,
) -> Result<(), Fault> {
    let _alone = core.changing.lock();
    let mut table: BTreeMap<String, T> = get(core, name)?;
    let changed = change(table.get(key).unwrap_or(&T::default()))?;
    if changed == T::default() {
        table.remove(key);
    } else {
        table.insert(key.to_owned(), changed);
    }
    put(core, name, &table)
}

/// Replaces the token calibration with the next sync of everything.
pub(crate) fn put_calibration(core: &StoreCore, document: &impl Serialize) -> Result<(), Fault> {
    core.writer()?;
    *core.shared.calibration.lock() = Some(json("calibration", document)?);
    Ok(())
}

/// The token calibration, also if it is not written yet.
pub(crate) fn calibration<T: DeserializeOwned + Default>(core: &StoreCore) -> Result<T, Fault> {
    let pending = core.shared.calibration.lock().clone();
    match pending.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        Some(calibration) => Ok(calibration),
        None => get(core, "calibration"),
    }
}

/// The file of a document.
pub(crate) fn path(core: &StoreCore, name: &str) -> PathBuf {
    path_in(&core.shared.home, name)
}

pub(crate) fn recent(core: &StoreCore) -> Result<Vec<RecentFlow>, Fault> {
    get(core, RECENT)
}

/// Changes the recent flows; `flow` comes first, or the one at `path` is removed.
pub(crate) fn change_recent(core: &StoreCore, path: &str, first: Option<&RecentFlow>) -> Result<(), Fault> {
    let _alone = core.changing.lock();
    let mut flows: Vec<RecentFlow> = get(core, RECENT)?;
    flows.retain(|flow| flow.path != path);
    if let Some(flow) = first {
        flows.insert(0, flow.clone());
    }
    flows.truncate(MAX_RECENT_FLOWS);
    put(core, RECENT, &flows)
}
