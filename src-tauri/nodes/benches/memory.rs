//! Peak memory of a run of a chain of 100,000 nodes, compared with the floor. Linux only: elsewhere it measures nothing.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-nodes --bench memory` this one. Each measurement is a
//! process of its own.

#![allow(clippy::disallowed_methods, reason = "variables control tests and measurements")]

#[path = "workload/workload.rs"]
mod workload;

use std::process::Command;

use plait_journal::MemoryJournal;
use workload::{BenchError, Figures, RUN, Shape, drive, floor, is_selected, plan_shape};

const NODES: usize = 100_000;
/// The variable that makes a process measure one part.
const PART: &str = "PLAIT_BENCH_MEMORY";

fn main() -> Result<(), BenchError> {
    if let Ok(part) = std::env::var(PART) {
        return measure(&part);
    }
    if !is_selected("memory") || !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in ["plan", "floor", "engine"] {
        let output = Command::new(std::env::current_exe()?).env(PART, part).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let peak: f64 = text.trim().parse().map_err(|_| format!("expected a peak, got `{text}`"))?;
        figures.add("memory", part, peak / 1024.0, "MB");
    }
    Ok(figures.write("memory")?)
}

/// Runs one part and prints the peak memory in KB. Every part includes the plan.
fn measure(part: &str) -> Result<(), BenchError> {
    let flow = plan_shape(Shape::Chain, NODES)?;
    let mut journal = MemoryJournal::default();
    match part {
        "floor" => floor(&flow, RUN, &mut journal)?,
        "engine" => drive(&flow.plan, RUN, journal.clone())?,
        _ => {}
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
    println!("{}", peak.ok_or("the system reports no peak")?.trim());
    Ok(())
}
