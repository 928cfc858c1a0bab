//! Evaluating in this process: in a worker process, or where flows are trusted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::condition::{Condition, Watch};
use super::deep_stack::run_on_deep_stack;
use super::evaluation::{Evaluation, Evaluator};
use super::query::Query;
use super::template::Template;
use crate::codes;
use crate::error::Fault;

/// Evaluates in this thread, which needs a stack of [`STACK_BYTES`](super::STACK_BYTES). Steps and output are bounded, but
/// neither the time nor the memory that a step takes. A query ends when `cancel` is set.
pub fn evaluate(evaluation: &Evaluation, cancel: CancellationToken) -> Result<Value, Fault> {
    let evaluate = || match evaluation {
        Evaluation::Condition { source, subject, value, answers } => {
            Condition::new(source, *subject).evaluate(value, answers.as_deref()).map(Value::Bool)
        }
        Evaluation::Watch { source, value } => Watch::new(source).evaluate(value),
        Evaluation::Query { source, value, max_results, answers } => {
            Query::new(source).evaluate(value, answers.as_deref(), *max_results, cancel).map(Value::Array)
        }
        Evaluation::Template { source, values, syntax } => {
            Template::with_syntax(source.as_ref(), *syntax).evaluate(values.clone()).map(Value::String)
        }
    };
    catch_unwind(AssertUnwindSafe(evaluate)).unwrap_or_else(|_| Err(cannot_be_evaluated()))
}

/// Evaluates in this process, without a limit on time and memory: for flows that are trusted, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcess;

impl Evaluator for InProcess {
    fn evaluate(&self, evaluation: Evaluation) -> BoxFuture<'static, Result<Value, Fault>> {
        let cancel = CancellationToken::new();
        let cancel_on_drop = cancel.clone().drop_guard();
        Box::pin(async move {
            let result = run_on_deep_stack(move || evaluate(&evaluation, cancel)).await;
            drop(cancel_on_drop);
            result.unwrap_or_else(|| Err(cannot_be_evaluated()))
        })
    }
}

fn cannot_be_evaluated() -> Fault {
    Fault::new(codes::EXPRESSION_FAILED, "The expression cannot be evaluated for this value.")
        .hint("Simplify the expression, or select less of the value.")
}
