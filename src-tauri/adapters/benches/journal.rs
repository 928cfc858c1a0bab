//! What durability costs: three small events a node through the store's journal, beside the bare database with the same
//! bytes in the same run.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-adapters --bench journal` does alone.

#[path = "../../engine/benches/workload/workload.rs"]
mod workload;

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
use plait_engine::error::Fault;
use plait_engine::id::{Activation, Epoch, RunId};
use plait_engine::journal::{Entry, Event, FinishMetadata, FlowRef, Journal, NodeEvent, RunEvent};
use serde_json::json;
use workload::{BenchError, FirstError};

/// How many nodes a run has.
const NODES: usize = 10_000;

fn main() -> Result<(), BenchError> {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .without_plots()
        .configure_from_args();
    // Below the build directory, since a system's temporary directory may be memory.
    let homes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let errors = FirstError::default();
    // Cheap nodes alone: on disk when the run ends. And a run in which every tenth node bought something.
    for (name, flushed_each) in [("journal", usize::MAX), ("journal-every-tenth-bought", 10)] {
        let mut group = criterion.benchmark_group(name);
        group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(NODES as u64));
        let home = homes.path().join(name);
        bare(&mut group, flushed_each, &home.join("bare"), &errors)?;
        store(&mut group, flushed_each, &home.join("store"), &errors)?;
        group.finish();
    }
    criterion.final_summary();
    errors.into_result()
}

/// The same bytes into the database, an insert each. Its flush leaves the length of its file to the system, the store's
/// does not.
fn bare(
    group: &mut BenchmarkGroup<'_, WallTime>,
    flushed_each: usize,
    home: &Path,
    errors: &FirstError,
) -> Result<(), BenchError> {
    let db = sled::Config::new().path(home).cache_capacity(64 << 20).open()?;
    let keep = |rows: Vec<Row>| -> sled::Result<()> {
        for (number, row) in rows.into_iter().enumerate() {
            for (key, value) in row {
                db.insert(key, value)?;
            }
            if number % flushed_each == flushed_each - 1 {
                db.flush()?;
            }
        }
        db.flush()?;
        Ok(())
    };
    group.bench_function(BenchmarkId::new("bare", NODES), |bencher| {
        let measured = |rows: Option<Vec<Row>>| errors.capture(keep(rows?));
        bencher.iter_batched(|| errors.capture(rows()), measured, BatchSize::PerIteration);
    });
    Ok(())
}

fn store(
    group: &mut BenchmarkGroup<'_, WallTime>,
    flushed_each: usize,
    home: &Path,
    errors: &FirstError,
) -> Result<(), BenchError> {
    let store = Store::open(home)?;
    let number = Cell::new(0);
    let begin = || {
        number.set(number.get() + 1);
        let run = run_id(number.get());
        Some((errors.capture(store.journal(&run))?, appends(&run)))
    };
    let keep = |mut journal: RunJournal, appends: &[Vec<Entry>]| -> Result<(), Fault> {
        for (number, entries) in appends.iter().enumerate() {
            journal.append(black_box(entries))?;
            if number % flushed_each == flushed_each - 1 {
                block_on(journal.flush())?;
            }
        }
        block_on(journal.flush())
    };
    group.bench_function(BenchmarkId::new("store", NODES), |bencher| {
        let measured = |begun: Option<(RunJournal, Vec<Vec<Entry>>)>| {
            let (journal, appends) = begun?;
            errors.capture(keep(journal, &appends))
        };
        bencher.iter_batched(begin, measured, BatchSize::PerIteration);
    });
    Ok(())
}

fn run_id(number: u64) -> RunId {
    let timestamp = uuid::Timestamp::from_unix(uuid::NoContext, 1_700_000_000 + number, 0);
    uuid::Uuid::new_v7(timestamp).to_string().into()
}

/// The events of a chain of cheap nodes: ready, started, finished; each append is one node's.
fn appends(run: &RunId) -> Vec<Vec<Entry>> {
    let flow = FlowRef { name: "Chain".into(), path: None, hash: "0".repeat(64) };
    let (to, input, set, parent_run_id) = (None, None, BTreeMap::new(), None);
    let begin = vec![Event::Run(RunEvent::Started {
        run: run.clone(),
        flow,
        to,
        input,
        set,
        parent_run_id,
        conversation: None,
        models: std::sync::Arc::default(),
    })];
    let node = |number: usize| {
        let (node, epoch) = (format!("node{number}").into(), Epoch::root());
        vec![
            Event::Node(
                Activation { node, epoch: epoch.clone() },
                NodeEvent::Ready { inputs: BTreeMap::new() },
            ),
            Event::Node(
                Activation { node: format!("node{number}").into(), epoch: epoch.clone() },
                NodeEvent::Started { attempt: 1 },
            ),
            Event::Node(
                Activation { node: format!("node{number}").into(), epoch },
                NodeEvent::Finished {
                    outputs: [("out".into(), Arc::new(json!(number)))].into(),
                    messages: BTreeMap::new(),
                    metadata: FinishMetadata::default(),
                },
            ),
        ]
    };
    let mut seq = 0..;
    std::iter::once(begin)
        .chain((0..NODES).map(node))
        .map(|events| {
            events.into_iter().map(|event| Entry { seq: seq.next(), at: 1_700_000_000_000, event }).collect()
        })
        .collect()
}

/// A node's entries, each with its key.
type Row = Vec<(Vec<u8>, Vec<u8>)>;

/// The entries as rows, one node each: a key for each entry.
fn rows() -> Result<Vec<Row>, serde_json::Error> {
    let run = uuid::Uuid::now_v7();
    let mut seq = 0_u64..;
    let mut row = |entry: &Entry| {
        let mut key = vec![b'j'];
        key.extend_from_slice(run.as_bytes());
        key.extend(seq.next().unwrap_or_default().to_be_bytes());
        Ok((key, serde_json::to_vec(entry)?))
    };
    appends(&run_id(0)).iter().map(|entries| entries.iter().map(&mut row).collect()).collect()
}
