//! Checking a data directory and repairing what can be repaired. Needs no open application: it is for one that does not open,
//! too.

use std::path::Path;

pub use plait_adapters::store::doctor::{Finding, Report};
use plait_adapters::store::{Progress, doctor};

use crate::ErrorReply;

/// Checks the data directory `home`; see [`doctor::check`]. `store.locked` if it is to be salvaged while another process
/// writes it.
pub fn check(home: &Path, salvage: bool, progress: Progress<'_>) -> Result<Report, ErrorReply> {
    Ok(doctor::check(home, salvage, progress)?)
}
