//! Comparing two runs of 10,000 nodes (`lens.compare`).
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-api --bench compare` this one.

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
use plait_api::lens::CompareRuns;
use plait_api::runs::{RunRequest, StartRun};
use plait_api::{Options, Plait};
use plait_core::id::RunId;
use tokio::runtime::Runtime;

type BenchError = Box<dyn Error>;

const NODES: usize = 10_000;
/// Each comparison is made so often; the shortest time counts.
const SAMPLES: usize = 5;

fn main() -> Result<(), BenchError> {
    if !is_selected("compare") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).map_err(|error| error.message)?;
    let first = run(&runtime, &plait, "word")?;
    let mut figures = Figures::default();
    for (name, text, differing) in
        [("that did the same", "word", 0), ("in which every node differs", "other word", NODES)]
    {
        let second = run(&runtime, &plait, text)?;
        let mut best = f64::INFINITY;
        for _ in 0..SAMPLES {
            let request = CompareRuns { before: first.clone(), after: second.clone() };
            let begin = Instant::now();
            let compared = runtime.block_on(plait.call(request)).map_err(|error| error.message)?;
            best = best.min(begin.elapsed().as_secs_f64() * 1e3);
            if compared.differences.len() != differing {
                return Err(format!("{} differences", compared.differences.len()).into());
            }
        }
        figures.add("compare", &format!("two runs of 10,000 nodes {name}"), best, "ms");
    }
    Ok(figures.write("compare")?)
}

/// Runs texts, each a copy of the one before.
fn run(runtime: &Runtime, plait: &Plait, text: &str) -> Result<RunId, BenchError> {
    let flow = chain_of_texts(NODES, text)?;
    let request = StartRun(RunRequest { flow, ..RunRequest::default() });
    let run = runtime.block_on(plait.call(request)).map_err(|error| error.message)?.run;
    runtime.block_on(plait.runs().settled(&run));
    Ok(run)
}
