//! Proposals: edited flows that agents propose and that a person has not decided on. One file each, readable by its owner alone. The
//! flow's own file is not touched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use serde::{Deserialize, Serialize};

use crate::atomic_file;
use crate::codes;
use crate::fault;

/// The most proposals that are kept.
pub const MAX_PROPOSALS: usize = 100;

/// An edited flow that was proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// Hexadecimal digits, unique in the data directory.
    pub id: String,
    /// The file of the flow, as an absolute path.
    pub path: String,
    /// The hash of that file when the edit was proposed.
    pub base_hash: String,
    /// When it was proposed, in milliseconds since the Unix epoch.
    pub at: u64,
    /// What the edit is for, in the words of the agent.
    pub note: String,
    /// The text of the edited flow, as JSON.
    pub text: String,
}

/// Stores a proposal. `proposal.too_many`.
pub(crate) fn put(home: &Path, proposal: &Proposal) -> Result<(), Fault> {
    if all(home)?.len() >= MAX_PROPOSALS {
        let message = format!("{MAX_PROPOSALS} proposed edits wait for a decision.");
        return Err(Fault::new(codes::PROPOSAL_TOO_MANY, message)
            .hint("Accept or drop some: `plait proposals list` lists them."));
    }
    let doing = "keep a proposed edit";
    let bytes = serde_json::to_vec(proposal).map_err(|error| fault::of_io(doing, &error.into()))?;
    fs::create_dir_all(folder(home))
        .and_then(|()| atomic_file::replace_private(&file(home, &proposal.id), &bytes))
        .map_err(|error| fault::of_io(doing, &error))
}

/// All proposals that can be read, the latest first.
pub(crate) fn all(home: &Path) -> Result<Vec<Proposal>, Fault> {
    let doing = "read the proposed edits";
    let listing = match fs::read_dir(folder(home)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|error| fault::of_io(doing, &error))?,
    };
    let mut proposals = Vec::new();
    for item in listing {
        let path = item.map_err(|error| fault::of_io(doing, &error))?.path();
        // One that can't be read must not hide the others.
        proposals.extend(read(&path));
    }
    proposals.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
    Ok(proposals)
}

/// Removes a proposal; no fault if there is none.
pub(crate) fn remove(home: &Path, id: &str) -> Result<(), Fault> {
    match fs::remove_file(file(home, id)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(fault::of_io("drop a proposed edit", &error))
        }
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Option<Proposal> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Whether the proposal in a file can be read.
pub(crate) fn is_readable(path: &Path) -> bool {
    read(path).is_some()
}

fn folder(home: &Path) -> PathBuf {
    home.join("proposals")
}

/// The hash of the ID is the name of the file, so that no ID leads out of the folder.
fn file(home: &Path, id: &str) -> PathBuf {
    folder(home).join(content_hash(id.as_bytes())).with_extension("json")
}
