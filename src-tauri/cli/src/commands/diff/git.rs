//! Two versions of a file as git gives them to an external diff. Git takes a failure as a reason to stop, so nothing fails here.

use std::ffi::OsStr;
use std::fmt::Write as _;

use plait_core::flow::Flow;
use plait_insight::flow_diff::FlowDiff;
use similar::TextDiff;

use super::flows;
use crate::environment;
use crate::exit::CliError;
use crate::flow_source::FlowSource;
use crate::printable::printable;

/// Git sets it for each external diff that it starts.
const COUNTER: &str = "GIT_DIFF_PATH_COUNTER";

/// Whether git started this process to show a difference.
pub(super) fn is_caller() -> bool {
    environment::variable(COUNTER).is_some()
}

/// What differs by meaning. If a version is no flow, such as one that was saved by halves, why not, and the lines that differ.
pub(super) fn text(old: &OsStr, new: &OsStr) -> String {
    match (flow(old), flow(new)) {
        (Ok(before), Ok(after)) => flows::text(&FlowDiff::between(&before, &after)),
        (before, after) => {
            let mut text = String::new();
            for (which, version) in [("old", before), ("new", after)] {
                if let Err(error) = version {
                    let _ = writeln!(text, "The {which} version is no flow: {}", printable(&problem(&error)));
                }
            }
            let (before, after) = (lines(old), lines(new));
            text + &TextDiff::from_lines(&*before, &*after).unified_diff().to_string()
        }
    }
}

/// A file that was added or deleted is `/dev/null` on one side.
fn flow(file: &OsStr) -> Result<Flow, CliError> {
    if is_nothing(file) {
        return Ok(Flow::default());
    }
    Ok(FlowSource::load(file)?.into_flow())
}

fn is_nothing(file: &OsStr) -> bool {
    file == "/dev/null" || file == "nul"
}

/// The text of a version, without what would control the terminal. Nothing of a file that can't be read.
fn lines(file: &OsStr) -> String {
    let bytes = if is_nothing(file) { Vec::new() } else { std::fs::read(file).unwrap_or_default() };
    printable(&String::from_utf8_lossy(&bytes)).into_owned()
}

/// The first problem that an error names.
fn problem(error: &CliError) -> String {
    match error {
        CliError::Error(error) => error.message.clone(),
        CliError::InvalidFlow { diagnostics, .. } => {
            diagnostics.first().map(|first| first.message.clone()).unwrap_or_default()
        }
        CliError::BrokenPipe => String::new(),
    }
}
