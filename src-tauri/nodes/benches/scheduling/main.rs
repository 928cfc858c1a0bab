//! The overhead of scheduling: trivial nodes, journal in memory, compared with the floor.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-nodes --bench scheduling` this one.

#[path = "../workload/thread_time.rs"]
mod thread_time;
#[path = "../workload/workload.rs"]
mod workload;

use std::cell::LazyCell;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use plait_journal::{Breakpoint, MemoryJournal, Side};
use thread_time::OnThread;
use workload::{
    BenchError, FirstError, PlannedFlow, RUN, Shape, comparable_events, drive, drive_with_breakpoints, floor,
    plan_shape, plan_shape_to_last,
};

/// The size at which the shapes are compared.
const NODES: usize = 1_000;
/// The cost per node must not grow between these sizes.
const SIZES: [usize; 3] = [100, 10_000, 100_000];
/// The number of diamonds of the ladder that is run to its last node.
const DIAMONDS: usize = 18;

fn main() -> Result<(), BenchError> {
    let mut criterion = Criterion::default()
        .with_measurement(OnThread)
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots()
        .configure_from_args();
    let errors = FirstError::default();
    for shape in Shape::ALL {
        bench_engine_and_floor(
            &mut criterion.benchmark_group(shape.name()),
            &errors,
            shape.max_nodes(NODES),
            |nodes| plan_shape(shape, nodes),
        );
    }
    let mut group = criterion.benchmark_group("growth");
    for nodes in SIZES {
        if nodes > NODES {
            group.sampling_mode(SamplingMode::Flat).sample_size(10);
        }
        bench_engine_and_floor(&mut group, &errors, nodes, |nodes| plan_shape(Shape::Chain, nodes));
    }
    group.finish();
    let nodes = 3 * DIAMONDS + 1;
    bench_engine_and_floor(&mut criterion.benchmark_group("run-to"), &errors, nodes, |nodes| {
        plan_shape_to_last(Shape::Ladder, nodes)
    });
    // A chain of the same size, for comparison.
    bench_engine_and_floor(&mut criterion.benchmark_group("run-to-chain"), &errors, nodes, |nodes| {
        plan_shape(Shape::Chain, nodes)
    });
    bench_breakpoints(&mut criterion.benchmark_group("breakpoints"), &errors);
    criterion.final_summary();
    errors.into_result()
}

/// Measures a chain with a breakpoint at each node, on a side that trivial nodes never come to, and without any.
fn bench_breakpoints(group: &mut BenchmarkGroup<'_, OnThread>, errors: &FirstError) {
    let flow = LazyCell::new(|| errors.capture(plan_shape(Shape::Chain, NODES)));
    let breakpoints = |flow: &PlannedFlow| {
        let at = |(index, node): (usize, &plait_run::plan::PlanNode)| Breakpoint {
            id: index.to_string(),
            node: Some(node.id.clone()),
            side: Side::Call,
            ..Breakpoint::default()
        };
        flow.plan.nodes.iter().enumerate().map(at).collect::<Vec<_>>()
    };
    group.throughput(Throughput::Elements(NODES as u64));
    for (name, is_set) in [("without", false), ("with", true)] {
        group.bench_function(BenchmarkId::new(name, NODES), |bencher| {
            let set = || match flow.as_ref() {
                Some(flow) if is_set => breakpoints(flow),
                _ => Vec::new(),
            };
            let run = |(journal, set): (MemoryJournal, Vec<Breakpoint>)| {
                let flow = flow.as_ref()?;
                errors.capture(drive_with_breakpoints(&flow.plan, RUN, journal.clone(), set));
                Some(journal)
            };
            bencher.iter_batched(|| (MemoryJournal::default(), set()), run, BatchSize::PerIteration);
        });
    }
}

/// Measures the engine and the floor on one flow of this size, which is planned only if one of them is selected.
fn bench_engine_and_floor(
    group: &mut BenchmarkGroup<'_, OnThread>,
    errors: &FirstError,
    nodes: usize,
    plan: impl Fn(usize) -> Result<PlannedFlow, BenchError>,
) {
    let flow = LazyCell::new(|| errors.capture(plan(nodes).and_then(|flow| check_same_events(flow, nodes))));
    group.throughput(Throughput::Elements(nodes as u64));
    group.bench_function(BenchmarkId::new("floor", nodes), |bencher| {
        let run_floor = |mut journal: MemoryJournal| {
            errors.capture(floor(flow.as_ref()?, RUN, &mut journal));
            Some(journal)
        };
        bencher.iter_batched(MemoryJournal::default, run_floor, BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("engine", nodes), |bencher| {
        let run_engine = |journal: MemoryJournal| {
            errors.capture(drive(&flow.as_ref()?.plan, RUN, journal.clone()));
            Some(journal)
        };
        bencher.iter_batched(MemoryJournal::default, run_engine, BatchSize::PerIteration);
    });
}

/// Fails unless the floor and the engine append the same events, except for times, numbers and the order of independent
/// branches.
fn check_same_events(flow: PlannedFlow, nodes: usize) -> Result<PlannedFlow, BenchError> {
    if flow.plan.nodes.len() != nodes {
        return Err("the flow has another size than its report says".into());
    }
    let (mut by_floor, by_engine) = (MemoryJournal::default(), MemoryJournal::default());
    floor(&flow, RUN, &mut by_floor)?;
    drive(&flow.plan, RUN, by_engine.clone())?;
    if comparable_events(&by_floor)? == comparable_events(&by_engine)? {
        Ok(flow)
    } else {
        Err("the floor appends other events than the engine".into())
    }
}
