//! Reads what criterion measured: one `estimates.json` and one `benchmark.json` per benchmark.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde_json::Value;

/// One figure: how long one run of a benchmark takes, and how many things (nodes, turns, events) it handles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// What is measured, for example `chain`
    pub(crate) group: String,
    /// What does it, for example `engine` or `floor`
    pub(crate) by: String,
    /// How many things one run handles
    pub(crate) things: u64,
    /// The median run, in nanoseconds
    pub(crate) nanoseconds: f64,
}

impl Figure {
    /// Microseconds for one thing.
    #[allow(clippy::cast_precision_loss)] // Nobody measures 2^52 nodes.
    pub(crate) fn each(&self) -> f64 {
        self.nanoseconds / 1_000.0 / self.things.max(1) as f64
    }
}

/// All figures measured after `begin`, by group, then by size, in criterion's order otherwise.
pub(crate) fn since(directory: &Path, begin: SystemTime) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    collect(directory, begin, &mut figures)?;
    figures.sort_by(|a, b| (&a.group, a.things, &a.by).cmp(&(&b.group, b.things, &b.by)));
    Ok(figures)
}

fn collect(directory: &Path, begin: SystemTime, into: &mut Vec<Figure>) -> Result<()> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let estimates = path.join("estimates.json");
        let fresh = estimates.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| time >= begin);
        if path.ends_with("new") && fresh {
            let read = |path: &Path| -> Result<Value> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
            let figure = figure(&read(&path.join("benchmark.json"))?, &read(&estimates)?);
            into.push(figure.with_context(|| format!("{} is not as criterion writes it", path.display()))?);
        } else {
            collect(&path, begin, into)?;
        }
    }
    Ok(())
}

fn figure(benchmark: &Value, estimates: &Value) -> Option<Figure> {
    let group = benchmark.get("group_id")?.as_str()?.to_owned();
    let by = benchmark.get("function_id").and_then(Value::as_str).unwrap_or(&group).to_owned();
    let things = benchmark.pointer("/throughput/Elements").and_then(Value::as_u64).unwrap_or(1);
    let nanoseconds = estimates.pointer("/median/point_estimate")?.as_f64()?;
    Some(Figure { group, by, things, nanoseconds })
}

#[cfg(test)]
mod tests;
