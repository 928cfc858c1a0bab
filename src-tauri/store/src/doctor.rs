//! Checks a whole data directory, brings back what can be brought back, and says what it found and did.
//!
//! Checking reads every record of every file. Without being asked to salvage, it changes nothing but what can be rebuilt:
//! the index is rebuilt, and the journals of trees that have ended are compressed. Salvaging moves each damaged file
//! into the folder `damaged` and writes a copy of what can be read in its place. Owns what is looked at and how it is
//! reported.

mod conversations;
mod documents;
mod ledger;
mod memories;
mod missing_conversations;
mod readable_copy;
mod run_trees;
mod salvage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_core::error::Fault;
use serde::Serialize;

use crate::attachments::unreferenced;
use crate::checksums;
use crate::codes;
use crate::disk::{Disk, FileSystem};
use crate::open;
use crate::recovery::Progress;
use crate::store_core::StoreCore;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// Whether something that was stored can't be read.
    pub is_loss: bool,
    /// The damage, in a sentence.
    pub message: String,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The runs whose journals were read.
    pub runs: usize,
    /// The entries that could be read in them.
    pub entries: u64,
    /// The conversations whose files were read.
    pub conversations: usize,
    /// The messages that could be read in them.
    pub messages: u64,
    /// The long-term memories that could be read, of all users.
    pub memories: usize,
    pub findings: Vec<Finding>,
    /// What was changed, in sentences.
    pub actions: Vec<String>,
}

impl Report {
    /// Whether something that was stored can't be read.
    pub fn has_losses(&self) -> bool {
        self.findings.iter().any(|finding| finding.is_loss)
    }

    fn lost(&mut self, path: &Path, message: impl Into<String>) {
        self.findings.push(Finding { path: path.to_owned(), is_loss: true, message: message.into() });
    }

    fn note(&mut self, path: &Path, message: impl Into<String>) {
        self.findings.push(Finding { path: path.to_owned(), is_loss: false, message: message.into() });
    }
}

/// Accepts the documents of the data directory `home` that bound what runs may do, as they are now. Returns the files that were changed
/// outside of Plait. Faults `store.*`; `store.corrupt` for a file that cannot be read.
pub fn accept_edits(home: &Path) -> Result<Vec<PathBuf>, Fault> {
    let core = StoreCore::open(home, Arc::new(FileSystem), false, &mut |_, _| ())?;
    checksums::accept_all(&core.shared)
}

/// Checks the data directory `home`. `salvage`: replaces damaged files by copies of what can be read. While another
/// process writes the data directory it is only checked; then salvaging is refused (`store.locked`). Faults `store.*`.
pub fn check(home: &Path, salvage: bool, progress: Progress<'_>) -> Result<Report, Fault> {
    let disk: Arc<dyn Disk> = Arc::new(FileSystem);
    let mut report = Report::default();
    let core = match StoreCore::open(home, Arc::clone(&disk), true, &mut |_, _| ()) {
        Ok(core) => core,
        Err(fault) if fault.code == codes::STORE_LOCKED && !salvage => {
            let owner = open::writer(home).unwrap_or_default();
            report.actions.push(format!("Process {owner} uses the data directory, so nothing was changed."));
            StoreCore::read(home, disk, &mut |_, _| ())?
        }
        Err(fault) => return Err(fault),
    };
    let recalls = run_trees::check(&core, &mut report, progress)?;
    conversations::check(&core, &recalls, &mut report)?;
    memories::check(&core, &mut report)?;
    ledger::check(&core, &mut report);
    documents::check(&core, &mut report);
    if core.is_read_only() {
        return Ok(report);
    }
    if salvage {
        salvage::run_trees(&core, &mut report)?;
        salvage::conversations(&core, &mut report)?;
        missing_conversations::restore(&core, &mut report)?;
        salvage::memories(&core, &mut report)?;
        salvage::ledger(&core, &mut report)?;
        salvage::documents(&core, &mut report)?;
    }
    let mut compressed = 0;
    let roots: Vec<_> = core.shared.index().roots().collect();
    let count = roots.len();
    for root in roots {
        compressed += usize::from(core.shared.seal(root)?);
    }
    if compressed > 0 {
        report.actions.push(format!("Compressed the journals of {compressed} runs."));
    }
    let removed = unreferenced::remove(&core);
    if removed > 0 {
        report.actions.push(format!("Removed {removed} attachments that nothing refers to any more."));
    }
    report.actions.push(format!(
        "Rebuilt the index: {count} runs and their child runs, {} conversations.",
        report.conversations
    ));
    core.flush_blocking()?;
    Ok(report)
}
