//! What scheduling costs when the journal is the store's: trivial nodes, each run on disk when it ends, beside the floor.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-adapters --bench durable` does alone.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that goes wrong ends"
)]

#[path = "../../engine/benches/workload/mod.rs"]
mod workload;

use std::cell::LazyCell;
use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, SamplingMode, Throughput};
use futures::executor::block_on;
use plait_adapters::Store;
use plait_adapters::store::RunJournal;
use plait_engine::journal::Journal;
use workload::{Shape, drive, floor, planned};

/// The size the shapes are compared at.
const NODES: usize = 1_000;

fn main() -> std::io::Result<()> {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .without_plots()
        .configure_from_args();
    // Below the build directory, since a system's temporary directory may be memory.
    let homes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    for shape in Shape::ALL {
        measure(&mut criterion, shape, &homes.path().join(shape.name()));
    }
    criterion.final_summary();
    Ok(())
}

fn measure(criterion: &mut Criterion, shape: Shape, home: &Path) {
    let nodes = shape.closed(NODES);
    let flow = LazyCell::new(|| planned(shape, nodes));
    let store = LazyCell::new(|| opened(home));
    let mut group = criterion.benchmark_group(format!("durable-{}", shape.name()));
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(nodes as u64));
    group.bench_function(BenchmarkId::new("floor", nodes), |bencher| {
        let by_hand = |(run, mut journal): (String, RunJournal)| {
            floor(&flow, &run, &mut journal);
            assert_eq!(block_on(journal.flush()), Ok(()));
        };
        bencher.iter_batched(|| begun(&store), by_hand, BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("engine", nodes), |bencher| {
        // A driven run is flushed before it says that it has ended.
        let driven = |(run, journal): (String, RunJournal)| drive(&flow.plan, &run, journal);
        bencher.iter_batched(|| begun(&store), driven, BatchSize::PerIteration);
    });
}

fn opened(home: &Path) -> Store {
    Store::open(home).unwrap_or_else(|fault| panic!("the benchmark's store can't be opened: {fault}"))
}

/// A run that is about to begin.
fn begun(store: &Store) -> (String, RunJournal) {
    let run = uuid::Uuid::now_v7().to_string();
    let journal = store.journal(&run.as_str().into());
    (run, journal.unwrap_or_else(|fault| panic!("the benchmark's store takes no run: {fault}")))
}
