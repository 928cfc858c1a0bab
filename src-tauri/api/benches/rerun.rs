//! Running a flow again after an edit at its end (`run.rerun`): 1,000 nodes, 100 of them model calls, and what the same flow takes when all
//! of it is new. Then finding a reply among 1,000,000 by its key.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-api --bench rerun` this one.

#[path = "workload/chains.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod chains;
#[path = "../../nodes/benches/workload/figures.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod figures;

use std::error::Error;
use std::time::Instant;

use chains::{CALL_EVERY, chain_with_calls};
use figures::{Figures, is_selected};
use plait_api::runs::{BillRerun, RerunRequest, RerunRun, RunRequest, ShowRun, StartRun};
use plait_api::{Options, Plait};
use plait_core::id::RunId;
use plait_journal::{CallEvent, Entry, Event, EventRef, Journal as _};
use plait_store::Store;
use plait_testing::{RunStart, bought_reply};

type BenchError = Box<dyn Error>;

const NODES: usize = 1_000;
/// Each is measured so often; the median counts.
const SAMPLES: usize = 9;

/// Replies in the index, by the run that bought them.
const RUNS: usize = 1_000;
const REPLIES_OF_A_RUN: usize = 1_000;
const LOOKUPS: usize = 1_000;

fn main() -> Result<(), BenchError> {
    if !is_selected("rerun") {
        return Ok(());
    }
    let mut figures = Figures::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(rerun(&mut figures))?;
    find(&runtime, &mut figures)?;
    Ok(figures.write("rerun")?)
}

async fn rerun(figures: &mut Figures) -> Result<(), BenchError> {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).map_err(|error| error.message)?;
    let (mut whole, mut again, mut bill) = (Vec::new(), Vec::new(), Vec::new());
    for sample in 0..SAMPLES {
        let start = StartRun(RunRequest { flow: chain_with_calls(NODES, "first")?, ..RunRequest::default() });
        let begin = Instant::now();
        let run = plait.call(start).await.map_err(|error| error.message)?.run;
        plait.runs().settled(&run).await;
        whole.push(begin.elapsed().as_secs_f64() * 1e3);
        let request = || -> Result<RerunRequest, BenchError> {
            let flow = Some(chain_with_calls(NODES, &format!("edit {sample}"))?);
            Ok(RerunRequest { flow, ..RerunRequest::of(run.clone()) })
        };
        let begin = Instant::now();
        plait.call(BillRerun(request()?)).await.map_err(|error| error.message)?;
        bill.push(begin.elapsed().as_secs_f64() * 1e3);
        let request = request()?;
        let begin = Instant::now();
        let run = plait.call(RerunRun(request)).await.map_err(|error| error.message)?.run;
        plait.runs().settled(&run).await;
        again.push(begin.elapsed().as_secs_f64() * 1e3);
        let entries = plait.call(ShowRun { run }).await.map_err(|error| error.message)?.entries;
        let taken: Vec<bool> = entries.iter().filter_map(|entry| is_reused(&entry.event)).collect();
        let reused = taken.iter().filter(|reused| **reused).count();
        if (taken.len(), reused) != (NODES / CALL_EVERY, NODES / CALL_EVERY - 1) {
            return Err(format!("{} replies, {reused} of them reused", taken.len()).into());
        }
    }
    figures.add("rerun", "1,000 nodes with 100 model calls, all new", median(whole), "ms");
    figures.add("rerun", "the same again after an edit of the last call", median(again), "ms");
    figures.add("rerun", "its bill before", median(bill), "ms");
    plait.close().await.map_err(|error| error.message)?;
    Ok(())
}

fn is_reused(event: &Event) -> Option<bool> {
    match event {
        Event::Call(_, CallEvent::ModelReplied { reused, .. }) => Some(reused.is_some()),
        _ => None,
    }
}

/// Replies with different keys, found by them.
fn find(runtime: &tokio::runtime::Runtime, figures: &mut Figures) -> Result<(), BenchError> {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(home.path())?;
    for run in 0..RUNS {
        let id: RunId = uuid::Uuid::now_v7().to_string().into();
        let mut journal = store.journal(&id)?;
        let events = std::iter::once(RunStart::new(id).into())
            .chain((0..REPLIES_OF_A_RUN).map(|reply| replied(&key(run, reply))));
        let entries: Vec<Entry> = (0..)
            .zip(events)
            .map(|(seq, event)| Entry { seq: Some(seq), at: seq, event, interrupted_ms: 0 })
            .collect();
        journal.append(&entries)?;
        drop(journal);
        runtime.block_on(store.flush())?;
        // The index is filled beside the journals, and gives up if too much of it is to be written. A question waits for it.
        store.find_replies(&key(run, 0).as_str().into());
    }
    let mut times = Vec::with_capacity(LOOKUPS);
    for lookup in 0..LOOKUPS {
        // Primes: all over the runs, each once.
        let (run, reply) = (lookup * 389 % RUNS, lookup * 727 % REPLIES_OF_A_RUN);
        let key = key(run, reply).as_str().into();
        let begin = Instant::now();
        let found = store.find_replies(&key);
        times.push(begin.elapsed().as_secs_f64() * 1e6);
        if found.len() != 1 {
            return Err(format!("{found:?}").into());
        }
    }
    figures.add("rerun", "finding a reply among 1,000,000", median(times), "µs");
    Ok(())
}

fn replied(key: &str) -> Event {
    let mut event = bought_reply(1, None::<EventRef>);
    if let Event::Call(_, CallEvent::ModelReplied { key: kept, .. }) = &mut event {
        *kept = Some(key.into());
    }
    event
}

fn key(run: usize, reply: usize) -> String {
    plait_core::hash::content_hash(format!("{run} {reply}").as_bytes())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
