//! What durability costs: three small events a node through the store's journal, beside a plain file with the same
//! lines in the same run.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-store --bench journal` does alone.

#[path = "../../nodes/benches/workload/workload.rs"]
mod workload;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use futures::executor::block_on;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, RunId};
use plait_journal::{Entry, Event, FinishMetadata, Journal, NodeEvent};
use plait_store::RunJournal;
use plait_store::Store;
use plait_testing::RunStart;
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

/// The same entries as lines into a plain file, with a sync wherever the store syncs.
fn bare(
    group: &mut BenchmarkGroup<'_, WallTime>,
    flushed_each: usize,
    home: &Path,
    errors: &FirstError,
) -> Result<(), BenchError> {
    std::fs::create_dir_all(home)?;
    let number = Cell::new(0);
    let keep = |appends: &[Vec<Entry>]| -> Result<(), BenchError> {
        number.set(number.get() + 1);
        let mut file = File::create_new(home.join(number.get().to_string()))?;
        let mut text = Vec::new();
        for (number, entries) in appends.iter().enumerate() {
            for entry in entries {
                serde_json::to_writer(&mut text, black_box(entry))?;
                text.push(b'\n');
            }
            if number % flushed_each == flushed_each - 1 {
                file.write_all(&text)?;
                text.clear();
                file.sync_data()?;
            }
        }
        file.write_all(&text)?;
        Ok(file.sync_data()?)
    };
    group.bench_function(BenchmarkId::new("bare", NODES), |bencher| {
        let measured = |appends: Vec<Vec<Entry>>| errors.capture(keep(&appends));
        bencher.iter_batched(|| appends(&run_id(0)), measured, BatchSize::PerIteration);
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
    let begin = vec![Event::from(RunStart::new(run.clone()))];
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
            events
                .into_iter()
                .map(|event| Entry { seq: seq.next(), at: 1_700_000_000_000, event, interrupted_ms: 0 })
                .collect()
        })
        .collect()
}
