//! Opening a data directory: with its index, without it, and after a crash in a long run; and listing its runs.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-store --bench open` this one.

#[path = "../../nodes/benches/workload/workload.rs"]
mod workload;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use futures::executor::block_on;
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::{Entry, Journal as _, MemoryJournal};
use plait_run::Driver;
use plait_run::plan::Plan;
use plait_store::Store;
use plait_store::{RunFilter, Which};
use workload::{BenchError, Figures, Shape, drive, is_selected, plan_shape};

/// Runs in the data directory, and events of each.
const RUNS: usize = 10_000;
const EVENTS: usize = 100;
/// Events of the run that a crash interrupts.
const LONG_RUN_EVENTS: usize = 100_000;
/// Events of a node of a chain: ready, started, finished.
const EVENTS_PER_NODE: usize = 3;
/// Each is measured so often; the shortest time counts.
const SAMPLES: usize = 3;

fn main() -> Result<(), BenchError> {
    if !is_selected("open") {
        return Ok(());
    }
    let mut figures = Figures::default();
    let homes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let many = homes.path().join("many");
    write_runs(&many)?;
    let listed = |store: &Store| {
        let filter = RunFilter { which: Which::Roots, limit: Some(1), ..RunFilter::default() };
        store.runs(&filter).map(drop)
    };
    figures.add(
        "open",
        "opening 10,000 runs of 100 events",
        shortest(|| listed(&Store::open(&many)?))?,
        "ms",
    );
    let rebuilt = shortest(|| {
        // A missing index is rebuilt.
        let _ = std::fs::remove_dir_all(many.join("index"));
        listed(&Store::open(&many)?)
    })?;
    figures.add("open", "opening the same without its index", rebuilt, "ms");
    {
        let store = Store::open(&many)?;
        let all = shortest(|| expect_runs(&store, None, RUNS))?;
        figures.add("open", "listing 10,000 runs", all, "ms");
        let newest = shortest(|| expect_runs(&store, Some(100), 100))?;
        figures.add("open", "listing the newest 100 of 10,000 runs", newest, "ms");
        let beside = shortest(|| expect_runs(&Store::open_for_reading(&many)?, None, RUNS))?;
        figures.add("open", "opening 10,000 runs beside a writer and listing them", beside, "ms");
    }
    let long = homes.path().join("long");
    let plan = plan_shape(Shape::Chain, LONG_RUN_EVENTS / EVENTS_PER_NODE)?.plan;
    let run = write_interrupted(&long, &plan)?;
    let recovered = shortest(|| {
        let store = Store::open(&long)?;
        let entries = store.read_journal(&run, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
        Driver::check_journal(&plan, &entries)
    })?;
    figures.add(
        "open",
        "opening a run of 100,000 events after a crash, up to where it goes on",
        recovered,
        "ms",
    );
    Ok(figures.write("open")?)
}

/// The shortest time of some calls, in milliseconds.
fn shortest(mut work: impl FnMut() -> Result<(), Fault>) -> Result<f64, Fault> {
    let mut best = f64::INFINITY;
    for _ in 0..SAMPLES {
        let begin = Instant::now();
        work()?;
        best = best.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

/// Lists the newest runs. Panics if there are more or fewer than expected: a time without its work counts for nothing.
fn expect_runs(store: &Store, limit: Option<usize>, expected: usize) -> Result<(), Fault> {
    let runs = store.runs(&RunFilter { limit, ..RunFilter::default() })?;
    assert_eq!(runs.len(), expected);
    Ok(())
}

fn new_run() -> RunId {
    uuid::Uuid::now_v7().to_string().into()
}

/// The events of a whole run.
fn journal_of(plan: &Arc<Plan>, run: &RunId) -> Result<Vec<Entry>, BenchError> {
    let journal = MemoryJournal::default();
    drive(plan, run.as_str(), journal.clone())?;
    Ok(journal.entries())
}

fn write_runs(home: &Path) -> Result<(), BenchError> {
    let plan = plan_shape(Shape::Chain, EVENTS / EVENTS_PER_NODE)?.plan;
    let store = Store::open(home)?;
    for _ in 0..RUNS {
        let run = new_run();
        store.journal(&run)?.append(&journal_of(&plan, &run)?)?;
    }
    block_on(store.flush())?;
    Ok(())
}

/// A run that a crash interrupted just before its end.
fn write_interrupted(home: &Path, plan: &Arc<Plan>) -> Result<RunId, BenchError> {
    let run = new_run();
    let entries = journal_of(plan, &run)?;
    let store = Store::open(home)?;
    let mut journal = store.journal(&run)?;
    for part in entries[..entries.len() - 4].chunks(64) {
        journal.append(part)?;
    }
    block_on(journal.flush())?;
    Ok(run)
}
