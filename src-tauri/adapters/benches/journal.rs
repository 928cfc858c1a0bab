//! What durability costs: three small facts a node through the store's journal, beside the bare database with the same
//! bytes in the same run.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-adapters --bench journal` does alone.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that goes wrong ends"
)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use futures::executor::block_on;
use plait_adapters::Store;
use plait_adapters::store::RunJournal;
use plait_engine::id::{Epoch, RunId};
use plait_engine::journal::Journal;
use plait_engine::run::{Entry, Fact, FinishMetadata, FlowRef};
use serde_json::json;

/// How many nodes a run has.
const NODES: usize = 10_000;

fn main() -> std::io::Result<()> {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .without_plots()
        .configure_from_args();
    // Below the build directory, since a system's temporary directory may be memory.
    let homes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    // Cheap nodes alone: on disk when the run ends. And a run in which every tenth node bought something.
    for (name, flushed_each) in [("journal", usize::MAX), ("journal-every-tenth-bought", 10)] {
        let mut group = criterion.benchmark_group(name);
        group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(NODES as u64));
        bare(&mut group, flushed_each, &homes.path().join(name).join("bare"));
        store(&mut group, flushed_each, &homes.path().join(name).join("store"));
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

/// The same bytes into the database, an insert each. Its flush leaves the length of its file to the system, the store's
/// does not.
fn bare(group: &mut BenchmarkGroup<'_, WallTime>, flushed_each: usize, home: &Path) {
    let db = sled::Config::new().path(home).cache_capacity(64 << 20).open().expect("opened");
    let keep = |rows: Vec<Vec<(Vec<u8>, Vec<u8>)>>| {
        for (number, row) in rows.into_iter().enumerate() {
            for (key, value) in row {
                db.insert(key, value).expect("inserted");
            }
            if number % flushed_each == flushed_each - 1 {
                db.flush().expect("flushed");
            }
        }
        db.flush().expect("flushed");
    };
    group.bench_function(BenchmarkId::new("bare", NODES), |bencher| {
        bencher.iter_batched(rows, keep, BatchSize::PerIteration);
    });
}

fn store(group: &mut BenchmarkGroup<'_, WallTime>, flushed_each: usize, home: &Path) {
    let store = Store::open(home).expect("opened");
    let number = Cell::new(0);
    let begin = || {
        number.set(number.get() + 1);
        let run = run_id(number.get());
        (store.journal(&run).expect("journal"), appends(&run))
    };
    group.bench_function(BenchmarkId::new("store", NODES), |bencher| {
        let keep = |(mut journal, appends): (RunJournal, Vec<Vec<Entry>>)| {
            for (number, entries) in appends.iter().enumerate() {
                journal.append(black_box(entries)).expect("appended");
                if number % flushed_each == flushed_each - 1 {
                    block_on(journal.flush()).expect("flushed");
                }
            }
            block_on(journal.flush()).expect("flushed");
        };
        bencher.iter_batched(begin, keep, BatchSize::PerIteration);
    });
}

fn run_id(number: u64) -> RunId {
    let timestamp = uuid::Timestamp::from_unix(uuid::NoContext, 1_700_000_000 + number, 0);
    uuid::Uuid::new_v7(timestamp).to_string().into()
}

/// The facts of a chain of cheap nodes: ready, started, finished; each append is one node's.
fn appends(run: &RunId) -> Vec<Vec<Entry>> {
    let flow = FlowRef { name: "Chain".into(), path: None, hash: "0".repeat(64) };
    let (to, input, set, parent_run_id) = (None, None, BTreeMap::new(), None);
    let begin = vec![Fact::RunStarted {
        run: run.clone(),
        flow,
        to,
        input,
        set,
        parent_run_id,
        conversation: None,
        models: std::sync::Arc::default(),
    }];
    let node = |number: usize| {
        let (node, epoch) = (format!("node{number}").into(), Epoch::root());
        vec![
            Fact::NodeReady { node, epoch: epoch.clone(), inputs: BTreeMap::new() },
            Fact::NodeStarted { node: format!("node{number}").into(), epoch: epoch.clone(), attempt: 1 },
            Fact::NodeFinished {
                node: format!("node{number}").into(),
                epoch,
                outputs: [("out".into(), Arc::new(json!(number)))].into(),
                messages: BTreeMap::new(),
                metadata: FinishMetadata::default(),
            },
        ]
    };
    let mut seq = 0..;
    std::iter::once(begin)
        .chain((0..NODES).map(node))
        .map(|facts| {
            facts.into_iter().map(|fact| Entry { seq: seq.next(), at: 1_700_000_000_000, fact }).collect()
        })
        .collect()
}

/// The entries as rows, one node each: a key for each entry.
fn rows() -> Vec<Vec<(Vec<u8>, Vec<u8>)>> {
    let run = uuid::Uuid::now_v7();
    let row = |entry: &Entry| {
        let mut key = vec![b'j'];
        key.extend_from_slice(run.as_bytes());
        key.extend_from_slice(&entry.seq.expect("numbered").to_be_bytes());
        (key, serde_json::to_vec(entry).expect("json"))
    };
    appends(&run_id(0)).iter().map(|entries| entries.iter().map(row).collect()).collect()
}
