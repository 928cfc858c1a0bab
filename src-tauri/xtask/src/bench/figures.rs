//! Figures that are no criterion estimate: stretches of one long run, sizes, memory, frames a second.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde::Deserialize;

/// One figure: what `by` takes or gives, for `group`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Note {
    /// What is measured, for example `conversation`
    pub(crate) group: String,
    /// What does it, for example `journal on disk, turns 10–110`
    pub(crate) by: String,
    /// How much
    pub(crate) value: f64,
    /// Of what, for example `µs` or `MB`
    pub(crate) unit: String,
}

/// What the benchmarks left in `figures/` of the build directory after `begin`, in the order of their names.
pub(crate) fn since(directory: &Path, begin: SystemTime) -> Result<Vec<Note>> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(Vec::new()) };
    let fresh =
        |path: &Path| path.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| time >= begin);
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| fresh(path)).collect();
    files.sort();
    let mut notes = Vec::new();
    for path in files {
        let of_one: Vec<Note> = serde_json::from_slice(&fs::read(&path)?)
            .with_context(|| format!("{} is not as a benchmark writes it", path.display()))?;
        notes.extend(of_one);
    }
    Ok(notes)
}

/// The figures among the output of a program: lines of JSON.
pub(crate) fn parse(lines: &[String]) -> Vec<Note> {
    lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
