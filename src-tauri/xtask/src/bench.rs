//! `cargo xtask bench`: figures beside the references they are compared with, measured in the same run.
//!
//! Runs Plait's own benchmarks (criterion), on request other engines (`peers`), and puts both into one report.
//! It judges nothing: the figures are for people, and machines differ.

mod estimates;
mod peers;
mod report;

use std::fs;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::repo;
use crate::steps::{Step, cargo, note};

/// Measures everything whose name contains `filter`; with `peers` also other engines; with `record` also writes the
/// figures into `BENCHMARKS.md`.
pub(crate) fn run(peers: bool, record: bool, filter: Option<&str>) -> Result<()> {
    let begin = SystemTime::now();
    let mut command = cargo(&["bench", "--benches"]);
    if let Some(filter) = filter {
        command.args(["--", filter]);
    }
    Step::new("Measure Plait (the first time compiles it with optimisations)", command).aloud()?;
    let own = estimates::since(&repo::target().join("criterion"), begin)?;
    let others = if peers { peers::measure()? } else { Vec::new() };
    let text = report::write(&own, &others);
    let path = repo::target().join("benchmarks.md");
    fs::write(&path, &text).with_context(|| format!("{} could not be written", path.display()))?;
    println!("\n{text}");
    note(&format!("Also in {}", path.display()));
    if record {
        let path = repo::root().join("BENCHMARKS.md");
        let old =
            fs::read_to_string(&path).with_context(|| format!("{} could not be read", path.display()))?;
        fs::write(&path, report::record(&old, &text)?)?;
        note(&format!("Recorded in {}", path.display()));
    }
    Ok(())
}
