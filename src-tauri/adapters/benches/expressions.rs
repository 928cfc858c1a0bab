//! One evaluation of an expression: in place, and in a worker process.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-adapters --bench expressions` this one.

#[path = "../../engine/benches/workload/figures.rs"]
mod figures;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use figures::{Figures, is_selected};
use plait_adapters::workers::{WORKER_ARGUMENT, WorkerPool, serve};
use plait_engine::expression::evaluation::{Evaluation, Evaluator as _};
use plait_engine::expression::in_process::evaluate;
use serde_json::{Map, json};
use tokio_util::sync::CancellationToken;

/// Evaluations before those that are measured: they compile the expression and start the worker.
const WARM_UP: usize = 200;
const SAMPLES: usize = 5_000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    if std::env::args().nth(1).as_deref() == Some(WORKER_ARGUMENT) {
        return Ok(serve());
    }
    if is_selected("expressions") {
        measure()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure() -> Result<()> {
    let order = Arc::new(json!({ "total": 12, "items": [{ "price": 3 }, { "price": 9 }] }));
    let values = Map::from_iter([("name".to_owned(), json!("Ada")), ("order".to_owned(), (*order).clone())]);
    let template = Evaluation::Template { source: "Dear {{name}}, it is {{order.total}}.".into(), values };
    let condition = Evaluation::Condition { source: "value.total > 10".into(), value: Arc::clone(&order) };
    let query =
        Evaluation::Query { source: ".items | map(.price) | add".into(), value: order, max_results: 10 };
    let mut figures = Figures::default();
    for (name, evaluation) in [("template", &template), ("condition", &condition)] {
        let median = median_micros(|| Ok(evaluate(evaluation, CancellationToken::new()).map(drop)?))?;
        figures.add("expressions", &format!("{name} in place"), median, "µs");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let pool = WorkerPool::new(std::env::current_exe()?);
    let median = median_micros(|| Ok(runtime.block_on(pool.evaluate(query.clone())).map(drop)?))?;
    figures.add("expressions", "query in a worker", median, "µs");
    Ok(figures.write("expressions")?)
}

/// The median time of an evaluation, in microseconds.
fn median_micros(mut evaluate: impl FnMut() -> Result<()>) -> Result<f64> {
    for _ in 0..WARM_UP {
        evaluate()?;
    }
    let mut times = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let begin = Instant::now();
        evaluate()?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    Ok(times[SAMPLES / 2].as_secs_f64() * 1e6)
}
