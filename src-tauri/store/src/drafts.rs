//! Drafts: unsaved states of flows, kept so that a crash loses nothing. One file each, readable by
//! their owner alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::atomic_file;
use crate::fault;
use plait_core::hash::content_hash;

/// An unsaved state of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// What it is a draft of: the editor's id for an open flow.
    pub key: String,
    /// The flow's file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// The hash of that file as the draft began from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub base_hash: Option<String>,
    /// When it was kept, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub saved_at: u64,
    /// The document's text.
    pub text: String,
}

pub(crate) fn put(home: &Path, draft: &Draft) -> Result<(), Fault> {
    let doing = "keep a draft";
    let bytes = serde_json::to_vec(draft).map_err(|error| fault::of_io(doing, &error.into()))?;
    fs::create_dir_all(folder(home))
        .and_then(|()| atomic_file::replace_private(&file(home, &draft.key), &bytes))
        .map_err(|error| fault::of_io(doing, &error))
}

/// All drafts that can be read, the latest first.
pub(crate) fn all(home: &Path) -> Result<Vec<Draft>, Fault> {
    let doing = "read the drafts";
    let listing = match fs::read_dir(folder(home)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|error| fault::of_io(doing, &error))?,
    };
    let mut drafts = Vec::new();
    for item in listing {
        let path = item.map_err(|error| fault::of_io(doing, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            // One that can't be read must not hide the others.
            drafts.extend(read(&path));
        }
    }
    drafts.sort_by(|a, b| b.saved_at.cmp(&a.saved_at).then_with(|| a.key.cmp(&b.key)));
    Ok(drafts)
}

pub(crate) fn remove(home: &Path, key: &str) -> Result<(), Fault> {
    match fs::remove_file(file(home, key)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(fault::of_io("drop a draft", &error)),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Option<Draft> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Whether the draft in a file can be read.
pub(crate) fn is_readable(path: &Path) -> bool {
    read(path).is_some()
}

fn folder(home: &Path) -> PathBuf {
    home.join("drafts")
}

/// Keys are anything; their hash is a file name.
fn file(home: &Path, key: &str) -> PathBuf {
    folder(home).join(content_hash(key.as_bytes())).with_extension("json")
}
