//! What scheduling costs: trivial nodes, journal in memory, beside the floor.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-engine --bench scheduling` does alone.

mod thread_time;
#[path = "../workload/workload.rs"]
mod workload;

use std::cell::LazyCell;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use plait_engine::journal::{Entry, MemoryJournal};
use thread_time::OnThread;
use workload::{Failure, Planned, RUN, Shape, Wrong, drive, floor, planned, planned_to};

/// The size the shapes are compared at.
const NODES: usize = 1_000;
/// The sizes between which the cost of a node must not grow.
const SIZES: [usize; 3] = [100, 10_000, 100_000];
/// How many diamonds stand on each other where a run goes to the last node.
const DIAMONDS: usize = 18;

fn main() -> Result<(), Wrong> {
    let mut criterion = Criterion::default()
        .with_measurement(OnThread)
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots()
        .configure_from_args();
    let failure = Failure::default();
    for shape in Shape::ALL {
        both(&mut criterion.benchmark_group(shape.name()), &failure, shape.closed(NODES), |nodes| {
            planned(shape, nodes)
        });
    }
    let mut group = criterion.benchmark_group("growth");
    for nodes in SIZES {
        if nodes > NODES {
            group.sampling_mode(SamplingMode::Flat).sample_size(10);
        }
        both(&mut group, &failure, nodes, |nodes| planned(Shape::Chain, nodes));
    }
    group.finish();
    let nodes = 3 * DIAMONDS + 1;
    both(&mut criterion.benchmark_group("run-to"), &failure, nodes, |nodes| planned_to(Shape::Ladder, nodes));
    // As many nodes in a row, for what a node of a chain costs.
    both(&mut criterion.benchmark_group("run-to-chain"), &failure, nodes, |nodes| {
        planned(Shape::Chain, nodes)
    });
    criterion.final_summary();
    failure.end()
}

/// Measures the engine and the floor on one flow of that many nodes, planned only if one of them is asked for.
fn both(
    group: &mut BenchmarkGroup<'_, OnThread>,
    failure: &Failure,
    nodes: usize,
    plan: impl Fn(usize) -> Result<Planned, Wrong>,
) {
    let flow = LazyCell::new(|| failure.unless(plan(nodes).and_then(|flow| checked(flow, nodes))));
    group.throughput(Throughput::Elements(nodes as u64));
    group.bench_function(BenchmarkId::new("floor", nodes), |bencher| {
        let by_hand = |mut journal: MemoryJournal| {
            failure.unless(floor(flow.as_ref()?, RUN, &mut journal));
            Some(journal)
        };
        bencher.iter_batched(MemoryJournal::default, by_hand, BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("engine", nodes), |bencher| {
        let driven = |journal: MemoryJournal| {
            failure.unless(drive(&flow.as_ref()?.plan, RUN, journal.clone()));
            Some(journal)
        };
        bencher.iter_batched(MemoryJournal::default, driven, BatchSize::PerIteration);
    });
}

/// The floor is one only if it leaves the journal that the engine leaves: but for the order of independent branches, the
/// times and the numbers.
fn checked(flow: Planned, nodes: usize) -> Result<Planned, Wrong> {
    if flow.plan.nodes.len() != nodes {
        return Err("the flow has another size than its report says".into());
    }
    let (mut by_hand, driven) = (MemoryJournal::default(), MemoryJournal::default());
    floor(&flow, RUN, &mut by_hand)?;
    drive(&flow.plan, RUN, driven.clone())?;
    if events(&by_hand)? == events(&driven)? {
        Ok(flow)
    } else {
        Err("the floor appends other events than the engine".into())
    }
}

fn events(journal: &MemoryJournal) -> Result<Vec<String>, Wrong> {
    let mut events = journal.entries().iter().map(comparable_text).collect::<Result<Vec<_>, _>>()?;
    events.sort_unstable();
    Ok(events)
}

fn comparable_text(entry: &Entry) -> Result<String, Wrong> {
    let mut value = serde_json::to_value(&entry.event)?;
    if let Some(metadata) = value.get_mut("metadata") {
        metadata["durationMs"] = 0.into();
    }
    Ok(value.to_string())
}
