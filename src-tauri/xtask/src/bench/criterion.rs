//! Reads criterion's results: one `estimates.json` and one `benchmark.json` per benchmark.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde_json::Value;

/// The duration of one run of a benchmark, and how many elements (nodes, turns, events) it processes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// The benchmark group, for example `chain`
    pub(crate) group: String,
    /// The implementation, for example `engine` or `floor`
    pub(crate) by: String,
    /// The number of elements of one run
    pub(crate) elements: u64,
    /// The median run, in nanoseconds
    pub(crate) nanoseconds: f64,
}

impl Estimate {
    #[allow(clippy::cast_precision_loss)] // Counts are far below 2^52.
    pub(crate) fn micros_per_element(&self) -> f64 {
        self.nanoseconds / 1_000.0 / self.elements.max(1) as f64
    }
}

/// All estimates measured after `begin`, sorted by group, size and implementation.
pub(crate) fn read_since(directory: &Path, begin: SystemTime) -> Result<Vec<Estimate>> {
    let mut estimates = Vec::new();
    collect(directory, begin, &mut estimates)?;
    estimates.sort_by(|a, b| (&a.group, a.elements, &a.by).cmp(&(&b.group, b.elements, &b.by)));
    Ok(estimates)
}

fn collect(directory: &Path, begin: SystemTime, into: &mut Vec<Estimate>) -> Result<()> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let file = path.join("estimates.json");
        let fresh = file.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| time >= begin);
        if path.ends_with("new") && fresh {
            let read = |path: &Path| -> Result<Value> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
            let estimate = parse_estimate(&read(&path.join("benchmark.json"))?, &read(&file)?);
            into.push(
                estimate.with_context(|| format!("{} does not have criterion's format", path.display()))?,
            );
        } else {
            collect(&path, begin, into)?;
        }
    }
    Ok(())
}

fn parse_estimate(benchmark: &Value, estimates: &Value) -> Option<Estimate> {
    let group = benchmark.get("group_id")?.as_str()?.to_owned();
    let by = benchmark.get("function_id").and_then(Value::as_str).unwrap_or(&group).to_owned();
    let elements = benchmark.pointer("/throughput/Elements").and_then(Value::as_u64).unwrap_or(1);
    let nanoseconds = estimates.pointer("/median/point_estimate")?.as_f64()?;
    Some(Estimate { group, by, elements, nanoseconds })
}

#[cfg(test)]
mod tests;
