//! How much memory a chain of 100,000 nodes takes at its peak, beside the floor. Linux only: elsewhere it says nothing.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-engine --bench memory` does alone. Each peak is a process of its own.

#[path = "workload/workload.rs"]
mod workload;

use std::process::Command;

use plait_engine::journal::MemoryJournal;
use workload::{Figures, RUN, Shape, Wrong, drive, floor, is_asked_for, planned};

const NODES: usize = 100_000;
/// Tells the process that it is to make one peak.
const PART: &str = "PLAIT_BENCH_MEMORY";

fn main() -> Result<(), Wrong> {
    if let Ok(part) = std::env::var(PART) {
        return make(&part);
    }
    if !is_asked_for("memory") || !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in ["plan", "floor", "engine"] {
        let made = Command::new(std::env::current_exe()?).env(PART, part).output()?;
        let said = String::from_utf8_lossy(&made.stdout);
        let peak: f64 = said.trim().parse().map_err(|_| format!("expected a peak, got `{said}`"))?;
        figures.note("memory", part, peak / 1024.0, "MB");
    }
    Ok(figures.keep("memory")?)
}

/// Makes one peak and tells it in KB. All of them hold the plan.
fn make(part: &str) -> Result<(), Wrong> {
    let flow = planned(Shape::Chain, NODES)?;
    let mut journal = MemoryJournal::default();
    match part {
        "floor" => floor(&flow, RUN, &mut journal)?,
        "engine" => drive(&flow.plan, RUN, journal.clone())?,
        _ => {}
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
    println!("{}", peak.ok_or("the system tells no peak")?.trim());
    Ok(())
}
