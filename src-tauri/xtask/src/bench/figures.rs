//! Figures that are not criterion estimates: medians of one long run, sizes, memory, frames per second.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde::Deserialize;

/// One measured figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Figure {
    /// The benchmark group, for example `conversation`
    pub(crate) group: String,
    /// The implementation or part, for example `journal on disk, turns 10–110`
    pub(crate) by: String,
    pub(crate) value: f64,
    /// For example `µs` or `MB`
    pub(crate) unit: String,
}

/// The figures in `directory` that were written after `begin`, sorted by file name.
pub(crate) fn read_since(directory: &Path, begin: SystemTime) -> Result<Vec<Figure>> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(Vec::new()) };
    let fresh =
        |path: &Path| path.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| time >= begin);
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| fresh(path)).collect();
    files.sort();
    let mut figures = Vec::new();
    for path in files {
        let from_file: Vec<Figure> = serde_json::from_slice(&fs::read(&path)?)
            .with_context(|| format!("{} does not have the format of a benchmark", path.display()))?;
        figures.extend(from_file);
    }
    Ok(figures)
}

/// The figures in the output of a program: lines of JSON.
pub(crate) fn parse(lines: &[String]) -> Vec<Figure> {
    lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
