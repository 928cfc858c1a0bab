//! Loops: an iteration beside one of a cycle of the same nodes, items of a list beside a program of tasks, and what grows with
//! the number of iterations.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-nodes --bench loops` this one.

#![allow(clippy::disallowed_methods, reason = "variables control tests and measurements")]

mod flows;
mod growth;
mod tasks;
#[path = "../workload/thread_time.rs"]
mod thread_time;
#[path = "../workload/workload.rs"]
mod workload;

use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, SamplingMode, Throughput};
use plait_journal::MemoryJournal;
use plait_run::plan::Plan;
use thread_time::OnThread;
use workload::{BenchError, Figures, FirstError, RUN, comparable_events, drive, is_selected};

/// Iterations of the loop and of the cycle.
const ITERATIONS: u32 = 1_000;
/// Items of the list, and how many at once.
const ITEMS: usize = 10_000;
const CONCURRENCY: usize = 16;

fn main() -> Result<(), BenchError> {
    if growth::was_peak()? {
        return Ok(());
    }
    let mut criterion = Criterion::default()
        .with_measurement(OnThread)
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .without_plots()
        .configure_from_args();
    let errors = FirstError::default();
    bench_times(&mut criterion, &errors)?;
    bench_for_each(&mut criterion, &errors)?;
    criterion.final_summary();
    errors.into_result()?;
    if is_selected("loops") {
        let mut figures = Figures::default();
        growth::measure(&mut figures)?;
        figures.write("loops")?;
    }
    Ok(())
}

fn bench_times(criterion: &mut Criterion<OnThread>, errors: &FirstError) -> Result<(), BenchError> {
    let mut group = criterion.benchmark_group("times");
    group.throughput(Throughput::Elements(ITERATIONS.into()));
    for (by, plan) in [("cycle", flows::cycle(ITERATIONS)?), ("loop", flows::times(ITERATIONS)?)] {
        check_iterations(&plan, by)?;
        group.bench_function(BenchmarkId::new(by, ITERATIONS), |bencher| {
            let run = |journal: MemoryJournal| {
                errors.capture(drive(&plan, RUN, journal.clone()));
                journal
            };
            bencher.iter_batched(MemoryJournal::default, run, BatchSize::PerIteration);
        });
    }
    group.finish();
    Ok(())
}

fn bench_for_each(criterion: &mut Criterion<OnThread>, errors: &FirstError) -> Result<(), BenchError> {
    let plan = flows::for_each(ITEMS, CONCURRENCY)?;
    let (by_tasks, by_engine) = (MemoryJournal::default(), MemoryJournal::default());
    tasks::run(ITEMS, CONCURRENCY, by_tasks.clone())?;
    drive(&plan, RUN, by_engine.clone())?;
    let (expected, found) = (comparable_events(&by_tasks)?, comparable_events(&by_engine)?);
    if let Some((one, other)) = expected.iter().zip(&found).find(|(one, other)| one != other) {
        return Err(format!("the tasks record other events than the engine:\n{one}\n{other}").into());
    }
    if expected.len() != found.len() {
        return Err("the tasks record another number of events than the engine".into());
    }
    let mut group = criterion.benchmark_group("for-each");
    group.throughput(Throughput::Elements(ITEMS as u64)).sampling_mode(SamplingMode::Flat);
    group.bench_function(BenchmarkId::new("tasks", ITEMS), |bencher| {
        let run = |journal: MemoryJournal| {
            errors.capture(tasks::run(ITEMS, CONCURRENCY, journal.clone()));
            journal
        };
        bencher.iter_batched(MemoryJournal::default, run, BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("engine", ITEMS), |bencher| {
        let run = |journal: MemoryJournal| {
            errors.capture(drive(&plan, RUN, journal.clone()));
            journal
        };
        bencher.iter_batched(MemoryJournal::default, run, BatchSize::PerIteration);
    });
    group.finish();
    Ok(())
}

/// Fails unless the node `b` runs as often as it should.
fn check_iterations(plan: &Arc<Plan>, by: &str) -> Result<(), BenchError> {
    let journal = MemoryJournal::default();
    drive(plan, RUN, journal.clone())?;
    let events = comparable_events(&journal)?;
    let finished = |event: &&String| event.contains("\"node.finished\"") && event.contains("\"node\":\"b\"");
    let count = events.iter().filter(finished).count();
    if count == ITERATIONS as usize { Ok(()) } else { Err(format!("{by}: {count} iterations").into()) }
}
