//! An evaluation as data, so that it can be carried out elsewhere.
//!
//! Conditions, queries and templates come from flow files, which may come from anyone. What a static bound proves small is
//! evaluated in place. The rest goes to the host's [`Evaluator`], which can stop it: in Plait a worker process with limits on
//! time and memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::condition::Condition;
use super::deep_stack::run_on_deep_stack;
use super::query::Query;
use super::template::Template;
use crate::error::{ErrorCode, Fault};

/// An expression with what it is evaluated for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Evaluation {
    /// A condition in CEL. The result is a boolean.
    Condition { source: Arc<str>, value: Arc<Value> },
    /// A query in jq. The result is the list of its first results.
    #[serde(rename_all = "camelCase")]
    Query { source: Arc<str>, value: Arc<Value>, max_results: usize },
    /// A Handlebars template. The result is a text.
    Template { source: Arc<str>, values: Map<String, Value> },
}

impl Evaluation {
    /// Evaluates in this thread, which needs a stack of [`STACK_BYTES`](super::STACK_BYTES). Steps and output are bounded, but
    /// neither the time nor the memory that a step takes. A query ends when `cancel` is set.
    pub fn run(&self, cancel: CancellationToken) -> Result<Value, Fault> {
        let evaluate = || match self {
            Self::Condition { source, value } => Condition::new(source).evaluate(value).map(Value::Bool),
            Self::Query { source, value, max_results } => {
                Query::new(source).evaluate(value, *max_results, cancel).map(Value::Array)
            }
            Self::Template { source, values } => {
                Template::new(source.as_ref()).evaluate(values.clone()).map(Value::String)
            }
        };
        catch_unwind(AssertUnwindSafe(evaluate)).unwrap_or_else(|_| Err(cannot_be_evaluated()))
    }
}

/// Carries out evaluations that no static bound proves small. Dropping the future stops the evaluation.
pub trait Evaluator: Send + Sync {
    /// The result of an evaluation. Faults are those of its language, `expression.limit` when it takes too much time or
    /// memory, and `expression.unavailable` when it cannot be carried out here.
    fn evaluate(&self, evaluation: Evaluation) -> BoxFuture<'static, Result<Value, Fault>>;
}

/// Evaluates in this process, without a limit on time and memory: for flows that are trusted, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcess;

impl Evaluator for InProcess {
    fn evaluate(&self, evaluation: Evaluation) -> BoxFuture<'static, Result<Value, Fault>> {
        let cancel = CancellationToken::new();
        let cancel_on_drop = cancel.clone().drop_guard();
        Box::pin(async move {
            let result = run_on_deep_stack(move || evaluation.run(cancel)).await;
            drop(cancel_on_drop);
            result.unwrap_or_else(|| Err(cannot_be_evaluated()))
        })
    }
}

fn cannot_be_evaluated() -> Fault {
    Fault::new(ErrorCode::ExpressionFailed, "The expression cannot be evaluated for this value.")
        .hint("Simplify the expression, or select less of the value.")
}

/// An evaluator whose result has another type than its language gives.
pub(super) fn wrong_result() -> Fault {
    Fault::new(ErrorCode::ExpressionFailed, "The evaluation gave a result of the wrong type.")
}
