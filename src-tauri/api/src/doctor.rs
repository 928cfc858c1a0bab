//! Checking a data directory and repairing what can be repaired. Needs no open application: it is for one that does not open,
//! too.

use std::path::{Path, PathBuf};

pub use plait_store::doctor::{Finding, Report};
use plait_store::{Progress, doctor};

use crate::ErrorReply;

/// Checks the data directory `home`; see [`doctor::check`]. `store.locked` if it is to be salvaged while another process
/// writes it.
pub fn check(home: &Path, salvage: bool, progress: Progress<'_>) -> Result<Report, ErrorReply> {
    Ok(doctor::check(home, salvage, progress)?)
}

/// Accepts the documents of the data directory `home` that bound what runs may do, as they are; see [`doctor::accept_edits`]. `store.locked` while
/// another process writes it.
pub fn accept_edits(home: &Path) -> Result<Vec<PathBuf>, ErrorReply> {
    Ok(doctor::accept_edits(home)?)
}
