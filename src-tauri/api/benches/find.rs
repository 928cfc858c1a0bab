//! Asking 10,000 runs of 100 events where a breakpoint would have stopped them (`runs.find`).
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-api --bench find` this one.

#[path = "../../nodes/benches/workload/figures.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod figures;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use figures::{Figures, is_selected};
use plait_api::runs::{FindRuns, RunRequest, ShowRun, StartRun};
use plait_api::{Options, Plait};
use plait_core::id::RunId;
use plait_journal::{Entry, Event, Journal as _, RunEvent, Side};
use plait_store::Store;
use serde_json::{Map, json};

type BenchError = Box<dyn Error>;

/// Runs in the data directory, and nodes of each: a node has the events ready, started and finished.
const RUNS: u32 = 10_000;
const NODES: usize = 33;
/// Each question is asked so often; the shortest time counts.
const SAMPLES: usize = 3;

fn main() -> Result<(), BenchError> {
    if !is_selected("find") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    runtime.block_on(write_runs(home.path()))?;
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).map_err(|error| error.message)?;
    let mut figures = Figures::default();
    let questions = [
        ("a condition on the outputs of a node", Side::After, "value == 'none'", 0),
        ("a condition on the inputs of a node", Side::Before, "inputs.value == 'none'", 0),
        ("a condition that is true in each", Side::After, "size(value) > 1", u64::from(RUNS)),
    ];
    for (name, side, when, stops) in questions {
        let mut best = f64::INFINITY;
        for _ in 0..SAMPLES {
            let node = Some("n30".into());
            let request = FindRuns { when: Some(when.to_owned()), node, side, ..FindRuns::default() };
            let begin = Instant::now();
            let found = runtime.block_on(plait.call(request)).map_err(|error| error.message)?;
            best = best.min(begin.elapsed().as_secs_f64() * 1e3);
            if (found.runs, found.stops, found.unreadable_runs) != (RUNS, stops, 0) {
                return Err(format!("{name}: {found:?}").into());
            }
        }
        figures.add("find", &format!("asking 10,000 runs of 100 events: {name}"), best, "ms");
    }
    Ok(figures.write("find")?)
}

/// Runs a chain once, and stores its journal for all other runs.
async fn write_runs(home: &Path) -> Result<(), BenchError> {
    let plait = Plait::open(Options::new(home, plait_app::parts())).map_err(|error| error.message)?;
    let run = plait.call(chain()?).await.map_err(|error| error.message)?.run;
    plait.runs().settled(&run).await;
    let entries = plait.call(ShowRun { run: run.clone() }).await.map_err(|error| error.message)?.entries;
    plait.close().await.map_err(|error| error.message)?;
    // It holds the lock of the store.
    drop(plait);
    let store = Store::open(home)?;
    for _ in 1..RUNS {
        let run: RunId = uuid::Uuid::now_v7().to_string().into();
        store.journal(&run)?.append(&entries_of(&run, &entries))?;
    }
    store.flush().await?;
    Ok(())
}

/// The entries with another run in the first one.
fn entries_of(new: &RunId, entries: &[Entry]) -> Vec<Entry> {
    let mut entries = entries.to_vec();
    if let Some(Event::Run(RunEvent::Started { run, .. })) = entries.first_mut().map(|entry| &mut entry.event)
    {
        run.clone_from(new);
    }
    entries
}

/// Texts, each around the one before.
fn chain() -> Result<StartRun, BenchError> {
    let mut nodes = Map::new();
    let mut edges = Map::new();
    nodes.insert("n0".to_owned(), json!({ "type": "value", "config": { "value": "word" } }));
    for at in 1..NODES {
        let (before, node) = (format!("n{}", at - 1), format!("n{at}"));
        let output = if at == 1 { "value" } else { "text" };
        let config = json!({ "template": "{{value}}." });
        nodes.insert(node.clone(), json!({ "type": "text", "config": config }));
        let edge =
            json!({ "source": before, "sourceOutput": output, "target": node, "targetInput": "value" });
        edges.insert(format!("e{at}"), edge);
    }
    let flow = serde_json::from_value(json!({ "version": 1, "nodes": nodes, "edges": edges }))?;
    Ok(StartRun(RunRequest { flow, ..RunRequest::default() }))
}
