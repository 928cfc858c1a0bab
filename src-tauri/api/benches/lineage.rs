//! Asking where a text comes from in a run of 100,000 events (`lens.lineage`).
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-api --bench lineage` this one.

#[path = "workload/chains.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod chains;
#[path = "../../nodes/benches/workload/figures.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod figures;

use std::error::Error;
use std::time::Instant;

use chains::chain_of_texts;
use figures::{Figures, is_selected};
use plait_api::lens::{FollowText, LineageDirection};
use plait_api::runs::{RunRequest, StartRun};
use plait_api::{Options, Plait};
use plait_core::id::RunId;
use plait_insight::lineage::LineageSpot;

type BenchError = Box<dyn Error>;

/// A node has the events ready, started and finished.
const NODES: usize = 33_333;
/// Each question is asked so often; the shortest time counts.
const SAMPLES: usize = 5;

fn main() -> Result<(), BenchError> {
    if !is_selected("lineage") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).map_err(|error| error.message)?;
    let start = StartRun(RunRequest { flow: chain_of_texts(NODES, "word")?, ..RunRequest::default() });
    let run = runtime.block_on(plait.call(start)).map_err(|error| error.message)?.run;
    runtime.block_on(plait.runs().settled(&run));
    let mut figures = Figures::default();
    let last = format!("n{}.text", NODES - 1);
    let ask = |spot: &str, direction| -> Result<f64, BenchError> {
        let question = question(&run, spot, direction)?;
        let begin = Instant::now();
        let chain = runtime.block_on(plait.call(question)).map_err(|error| error.message)?;
        let took = begin.elapsed().as_secs_f64() * 1e3;
        if chain.steps.len() < 100 { Err(format!("{chain:?}").into()) } else { Ok(took) }
    };
    let first = ask(&last, LineageDirection::From)?;
    figures.add(
        "lineage",
        "where from, in 100,000 events: the first question, which reads the run",
        first,
        "ms",
    );
    for (name, spot, direction) in [
        ("where from", last.as_str(), LineageDirection::From),
        ("where to", "n0.value", LineageDirection::To),
    ] {
        let mut best = f64::INFINITY;
        for _ in 0..SAMPLES {
            best = best.min(ask(spot, direction)?);
        }
        figures.add("lineage", &format!("{name}, in 100,000 events, 1,000 steps"), best, "ms");
    }
    Ok(figures.write("lineage")?)
}

fn question(run: &RunId, spot: &str, direction: LineageDirection) -> Result<FollowText, BenchError> {
    let spot: LineageSpot = spot.parse().map_err(|_| "no place")?;
    let text = Some("word".to_owned());
    Ok(FollowText { run: run.clone(), spot, direction, range: None, text, occurrence: 0 })
}
