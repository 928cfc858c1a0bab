//! One evaluation of an expression: in place, and in a worker process.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-adapters --bench expressions` this one.

#[path = "../../nodes/benches/workload/figures.rs"]
mod figures;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use figures::{Figures, is_selected};
use futures::future::BoxFuture;
use plait_adapters::codes;
use plait_adapters::workers::{WORKER_ARGUMENT, WorkerPool, serve};
use plait_core::error::Fault;
use plait_core::expression::condition::Condition;
use plait_core::expression::evaluation::{Evaluation, Evaluator};
use plait_core::expression::template::Template;
use serde_json::{Map, Value, json};

/// Warm-up evaluations: they compile the expression and start the worker.
const WARM_UP: usize = 200;
const SAMPLES: usize = 5_000;
const QUERY: &str = ".items | map(.price) | add";

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
    // As nodes hold them: compiled once, with the flow.
    let template = Template::new("Dear {{name}}, it is {{order.total}}.");
    let condition: Condition = serde_json::from_value(json!("value.total > 10"))?;
    let query = |value| Evaluation::Query { source: QUERY.into(), value, max_results: 10, answers: None };

    let mut figures = Figures::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let render = |values| runtime.block_on(template.render(values, &Refuse)).map(drop);
    figures.add("expressions", "template in place", median_micros(|| values.clone(), render)?, "µs");
    let test = |order: Arc<Value>| runtime.block_on(condition.is_true(&order, &Refuse)).map(drop);
    figures.add("expressions", "condition in place", median_micros(|| Arc::clone(&order), test)?, "µs");
    let pool = WorkerPool::new(std::env::current_exe()?);
    let ask = |query| runtime.block_on(pool.evaluate(query)).map(drop);
    figures.add("expressions", "query in a worker", median_micros(|| query(Arc::clone(&order)), ask)?, "µs");
    Ok(figures.write("expressions")?)
}

/// An evaluator for expressions that are small enough for evaluation in place.
struct Refuse;

impl Evaluator for Refuse {
    fn evaluate(&self, _: Evaluation) -> BoxFuture<'static, std::result::Result<Value, Fault>> {
        let fault = Fault::new(codes::EXPRESSION_UNAVAILABLE, "This is evaluated in place.");
        Box::pin(std::future::ready(Err(fault)))
    }
}

/// The median time of an evaluation, in microseconds, without the time in which its values are prepared.
fn median_micros<V>(
    mut prepare: impl FnMut() -> V,
    mut evaluate: impl FnMut(V) -> std::result::Result<(), Fault>,
) -> Result<f64> {
    let mut times = Vec::with_capacity(SAMPLES);
    for sample in 0..WARM_UP + SAMPLES {
        let values = prepare();
        let begin = Instant::now();
        evaluate(values)?;
        if sample >= WARM_UP {
            times.push(begin.elapsed());
        }
    }
    times.sort_unstable();
    Ok(times[SAMPLES / 2].as_secs_f64() * 1e6)
}
