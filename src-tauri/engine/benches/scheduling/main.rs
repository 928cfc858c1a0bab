//! What scheduling costs: trivial nodes, journal in memory, beside the floor.
//!
//! `cargo xtask bench` runs it and reads criterion's estimates; `cargo bench -p plait-engine --bench scheduling` does alone.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that goes wrong ends"
)]

mod thread_time;
#[path = "../workload/mod.rs"]
mod workload;

use std::cell::LazyCell;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use plait_engine::journal::MemoryJournal;
use plait_engine::run::Entry;
use thread_time::OnThread;
use workload::{Planned, RUN, Shape, drive, floor, planned, planned_to};

/// The size the shapes are compared at.
const NODES: usize = 1_000;
/// The sizes between which the cost of a node must not grow.
const SIZES: [usize; 3] = [100, 10_000, 100_000];
/// How many diamonds stand on each other where a run goes to the last node.
const DIAMONDS: usize = 18;

fn main() {
    let mut criterion = Criterion::default()
        .with_measurement(OnThread)
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots()
        .configure_from_args();
    for shape in Shape::ALL {
        both(&mut criterion.benchmark_group(shape.name()), shape.closed(NODES), |nodes| {
            planned(shape, nodes)
        });
    }
    let mut group = criterion.benchmark_group("growth");
    for nodes in SIZES {
        if nodes > NODES {
            group.sampling_mode(SamplingMode::Flat).sample_size(10);
        }
        both(&mut group, nodes, |nodes| planned(Shape::Chain, nodes));
    }
    group.finish();
    let nodes = 3 * DIAMONDS + 1;
    both(&mut criterion.benchmark_group("run-to"), nodes, |nodes| planned_to(Shape::Ladder, nodes));
    // As many nodes in a row, for what a node of a chain costs.
    both(&mut criterion.benchmark_group("run-to-chain"), nodes, |nodes| planned(Shape::Chain, nodes));
    criterion.final_summary();
}

/// Measures the engine and the floor on one flow of that many nodes, planned only if one of them is asked for.
fn both(group: &mut BenchmarkGroup<'_, OnThread>, nodes: usize, plan: impl Fn(usize) -> Planned) {
    let flow = LazyCell::new(|| checked(plan(nodes), nodes));
    group.throughput(Throughput::Elements(nodes as u64));
    group.bench_function(BenchmarkId::new("floor", nodes), |bencher| {
        let by_hand = |mut journal: MemoryJournal| {
            floor(&flow, RUN, &mut journal);
            journal
        };
        bencher.iter_batched(MemoryJournal::default, by_hand, BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("engine", nodes), |bencher| {
        let driven = |journal: MemoryJournal| {
            drive(&flow.plan, RUN, journal.clone());
            journal
        };
        bencher.iter_batched(MemoryJournal::default, driven, BatchSize::PerIteration);
    });
}

/// The floor is one only if it leaves the journal that the engine leaves: but for the order of independent branches, the
/// times and the numbers.
fn checked(flow: Planned, nodes: usize) -> Planned {
    assert_eq!(flow.plan.nodes.len(), nodes, "the flow has another size than its report says");
    let (mut by_hand, driven) = (MemoryJournal::default(), MemoryJournal::default());
    floor(&flow, RUN, &mut by_hand);
    drive(&flow.plan, RUN, driven.clone());
    let facts = |journal: &MemoryJournal| {
        let mut facts: Vec<String> = journal.entries().iter().map(told).collect();
        facts.sort_unstable();
        facts
    };
    assert!(facts(&by_hand) == facts(&driven), "the floor appends other facts than the engine");
    flow
}

fn told(entry: &Entry) -> String {
    let mut told = serde_json::to_value(&entry.fact).unwrap_or_default();
    if let Some(metadata) = told.get_mut("metadata") {
        metadata["durationMs"] = 0.into();
    }
    told.to_string()
}
