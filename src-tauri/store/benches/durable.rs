//! What scheduling costs when the journal is the store's: trivial nodes, each run on disk when it ends, beside the floor.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-store --bench durable` does alone.

#[path = "../../nodes/benches/workload/workload.rs"]
mod workload;

use std::cell::LazyCell;
use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, SamplingMode, Throughput};
use futures::executor::block_on;
use plait_core::error::Fault;
use plait_journal::Journal;
use plait_store::RunJournal;
use plait_store::Store;
use workload::{BenchError, FirstError, Shape, drive, floor, plan_shape};

/// The size the shapes are compared at.
const NODES: usize = 1_000;

fn main() -> Result<(), BenchError> {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .without_plots()
        .configure_from_args();
    // Below the build directory, since a system's temporary directory may be memory.
    let homes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let errors = FirstError::default();
    for shape in Shape::ALL {
        measure(&mut criterion, shape, &homes.path().join(shape.name()), &errors);
    }
    criterion.final_summary();
    errors.into_result()
}

fn measure(criterion: &mut Criterion, shape: Shape, home: &Path, errors: &FirstError) {
    let nodes = shape.max_nodes(NODES);
    let flow = LazyCell::new(|| errors.capture(plan_shape(shape, nodes)));
    // Opened only if one of the two is asked for.
    let store = LazyCell::new(|| errors.capture(Store::open(home)));
    let begin = || errors.capture(begun(store.as_ref()?));
    let mut group = criterion.benchmark_group(format!("durable-{}", shape.name()));
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(nodes as u64));
    group.bench_function(BenchmarkId::new("floor", nodes), |bencher| {
        let by_hand = |begun: Option<(String, RunJournal)>| {
            let (run, mut journal) = begun?;
            errors.capture(floor(flow.as_ref()?, &run, &mut journal))?;
            errors.capture(block_on(journal.flush()))
        };
        bencher.iter_batched(begin, by_hand, BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("engine", nodes), |bencher| {
        // A driven run is flushed before it says that it has ended.
        let driven = |begun: Option<(String, RunJournal)>| {
            let (run, journal) = begun?;
            errors.capture(drive(&flow.as_ref()?.plan, &run, journal))
        };
        bencher.iter_batched(begin, driven, BatchSize::PerIteration);
    });
}

/// A run that is about to begin.
fn begun(store: &Store) -> Result<(String, RunJournal), Fault> {
    let run = uuid::Uuid::now_v7().to_string();
    let journal = store.journal(&run.as_str().into())?;
    Ok((run, journal))
}
