//! Replaying a run of 10,000 nodes from its journal (`run.rerun` that asks nobody), compared with running the same flow anew.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-api --bench replay` this one.

#[path = "workload/chains.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod chains;
#[path = "../../nodes/benches/workload/figures.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod figures;

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use chains::{CALL_EVERY, chain_of_texts, chain_with_calls};
use figures::{Figures, is_selected};
use plait_api::runs::{RerunRequest, RerunRun, RunRequest, ShowRun, StartRun};
use plait_api::{Options, Plait};
use plait_core::flow::Flow;
use plait_core::id::{Activation, RunId};
use plait_journal::world_policy::{Misses, WorldPolicy};
use plait_journal::{CallEvent, Event, NodeEvent};
use tempfile::TempDir;

type BenchError = Box<dyn Error>;

const NODES: usize = 10_000;
/// Each is measured so often, by turns; the medians count.
const SAMPLES: usize = 9;

fn main() -> Result<(), BenchError> {
    if !is_selected("replay") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut figures = Figures::default();
    for (name, flow, calls) in [
        ("texts", chain_of_texts(NODES, "word")?, 0),
        ("1,000 of them model calls", chain_with_calls(NODES, "last")?, NODES / CALL_EVERY),
    ] {
        runtime.block_on(measure(&mut figures, name, &flow, calls))?;
    }
    Ok(figures.write("replay")?)
}

async fn measure(figures: &mut Figures, name: &str, flow: &Flow, calls: usize) -> Result<(), BenchError> {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let (mut scheduled, mut replayed) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        let (run, took) = time_run(&home, flow).await?;
        scheduled.push(took);
        replayed.push(time_replay(&home, run, calls).await?);
    }
    let group = format!("replay of 10,000 nodes, {name}");
    figures.add(&group, "scheduler", median(scheduled), "ms");
    figures.add(&group, "replay", median(replayed), "ms");
    Ok(())
}

/// A new run of the flow, and how many milliseconds it took. The store is closed after it: what it does with the journal of a run that has
/// ended belongs to neither figure.
async fn time_run(home: &TempDir, flow: &Flow) -> Result<(RunId, f64), BenchError> {
    let plait = open(home)?;
    let start = StartRun(RunRequest { flow: flow.clone(), ..RunRequest::default() });
    let begin = Instant::now();
    let run = plait.call(start).await.map_err(|error| error.message)?.run;
    plait.runs().settled(&run).await;
    let took = begin.elapsed().as_secs_f64() * 1e3;
    plait.close().await.map_err(|error| error.message)?;
    Ok((run, took))
}

/// How many milliseconds a replay of the run took.
async fn time_replay(home: &TempDir, run: RunId, calls: usize) -> Result<f64, BenchError> {
    let plait = open(home)?;
    let world = WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() };
    let request = RerunRequest { world, ..RerunRequest::of(run.clone()) };
    let begin = Instant::now();
    let replay = plait.call(RerunRun(request)).await.map_err(|error| error.message)?.run;
    plait.runs().settled(&replay).await;
    let took = begin.elapsed().as_secs_f64() * 1e3;
    check_outputs(&plait, run, replay, calls).await?;
    plait.close().await.map_err(|error| error.message)?;
    Ok(took)
}

fn open(home: &TempDir) -> Result<Plait, BenchError> {
    Ok(Plait::open(Options::new(home.path(), plait_app::parts())).map_err(|error| error.message)?)
}

/// Fails unless each node has the same outputs in both runs, byte by byte, and the replay bought nothing.
async fn check_outputs(plait: &Plait, run: RunId, replay: RunId, calls: usize) -> Result<(), BenchError> {
    let (before, bought) = outputs(plait, run).await?;
    let (after, bought_again) = outputs(plait, replay).await?;
    if before.len() < NODES || (bought, bought_again) != (calls, 0) {
        let message = format!("{} nodes, {bought} replies, {bought_again} bought again", before.len());
        return Err(message.into());
    }
    if before != after {
        return Err("the replay has other outputs".into());
    }
    Ok(())
}

/// The outputs of each activation as JSON, and how many replies the run bought.
async fn outputs(plait: &Plait, run: RunId) -> Result<(BTreeMap<Activation, Vec<u8>>, usize), BenchError> {
    let entries = plait.call(ShowRun { run }).await.map_err(|error| error.message)?.entries;
    let (mut outputs, mut bought) = (BTreeMap::new(), 0);
    for entry in &entries {
        match &entry.event {
            Event::Node(at, NodeEvent::Finished { outputs: of_node, .. }) => {
                outputs.insert(at.clone(), serde_json::to_vec(of_node)?);
            }
            Event::Call(_, CallEvent::ModelReplied { reused: None, .. }) => bought += 1,
            _ => {}
        }
    }
    Ok((outputs, bought))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
