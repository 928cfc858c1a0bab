//! How much memory a chain of 100,000 nodes takes at its peak, beside the floor. Linux only: elsewhere it says nothing.
//!
//! `cargo xtask bench` runs it; `cargo bench -p plait-engine --bench memory` does alone. Each peak is a process of its own.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that goes wrong ends"
)]

#[path = "workload/mod.rs"]
mod workload;

use std::process::Command;

use plait_engine::journal::MemoryJournal;
use workload::{Figures, RUN, Shape, drive, floor, is_asked_for, planned};

const NODES: usize = 100_000;
/// Tells the process that it is to make one peak.
const PART: &str = "PLAIT_BENCH_MEMORY";

fn main() -> std::io::Result<()> {
    if let Ok(part) = std::env::var(PART) {
        make(&part);
        return Ok(());
    }
    if !is_asked_for("memory") || !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in ["plan", "floor", "engine"] {
        let made = Command::new(std::env::current_exe()?).env(PART, part).output()?;
        let said = String::from_utf8_lossy(&made.stdout);
        let peak: f64 = said.trim().parse().unwrap_or_else(|_| panic!("no peak was told, but `{said}`"));
        figures.note("memory", part, peak / 1024.0, "MB");
    }
    figures.keep("memory")
}

/// Makes one peak and tells it in KB. All of them hold the plan.
fn make(part: &str) {
    let flow = planned(Shape::Chain, NODES);
    let mut journal = MemoryJournal::default();
    match part {
        "floor" => floor(&flow, RUN, &mut journal),
        "engine" => drive(&flow.plan, RUN, journal.clone()),
        _ => {}
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
    println!("{}", peak.unwrap_or_default().trim());
}
