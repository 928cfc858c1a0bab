//! An evaluation as data, so that it can be carried out elsewhere.
//!
//! Conditions, queries and templates come from flow files, which may come from anyone. Bounds on length, nesting, steps and output
//! do not see what one step of a library does: comparing two values that share their halves takes 2⁴⁰ steps inside one comparison. So
//! an expression is evaluated in place only where a static bound proves it small:
//!
//! | language | in place | else |
//! |---|---|---|
//! | template (Jinja) | never | evaluator |
//! | template (Handlebars) | tags × possible iterations × bytes of the values ≤ 30 million | evaluator |
//! | condition, watch (CEL) | no loop: `all`, `exists`, `map`, `filter` | evaluator |
//! | query (jq) | no comparison, arithmetic, slice or named filter | evaluator |
//! | JSON Schema | ≤ 1 million validation steps, counted before it begins; at most 200 patterns | refused |
//!
//! The host's [`Evaluator`] can stop an evaluation: in Plait it is a worker process with limits on time and memory.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::HITL_HISTORY;
use super::syntax::Syntax;
use crate::codes;
use crate::error::Fault;

/// What an expression in CEL is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// One value, by the name `value`.
    Value,
    /// An iteration of a loop: an object with these fields, each by its own name.
    Iteration,
    /// A place at which an activation is held: an object with these fields, each by its own name. Those that it does not have are null.
    Stop,
    /// A moment of a run, as a person watches it: what [`Stop`](Self::Stop) has, and `nodes` with the latest outputs of each node.
    Moment,
}

impl Subject {
    /// The names that an expression may use.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Value => &["value", HITL_HISTORY],
            Self::Iteration => &["index", "previous", "input", HITL_HISTORY],
            Self::Stop => {
                &["value", "inputs", "outputs", "error", "iteration", "attempt", "tokens", "cost", "trimmed"]
            }
            Self::Moment => &[
                "value",
                "inputs",
                "outputs",
                "error",
                "iteration",
                "attempt",
                "tokens",
                "cost",
                "trimmed",
                "nodes",
            ],
        }
    }

    /// How messages name an expression.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Value | Self::Iteration | Self::Stop => "condition",
            Self::Moment => "expression",
        }
    }

    /// What may help where an expression has no value.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Value | Self::Stop | Self::Moment => {
                "`has(value.name)` tests whether a field exists; `type(value)` is the type."
            }
            Self::Iteration => {
                "`has(previous.name)` tests whether a field exists. In iteration 0, `previous` is the loop's input."
            }
        }
    }
}

/// An expression with its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Evaluation {
    /// A condition in CEL. The result is a boolean.
    Condition {
        source: Arc<str>,
        subject: Subject,
        value: Arc<Value>,
        /// What people answered in the loop around it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<Arc<Value>>,
    },
    /// An expression in CEL. The result is its value.
    Watch { source: Arc<str>, value: Arc<Value> },
    /// A query in jq. The result is the list of its first results.
    #[serde(rename_all = "camelCase")]
    Query {
        source: Arc<str>,
        value: Arc<Value>,
        max_results: usize,
        /// What people answered in the loop around it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<Arc<Value>>,
    },
    /// A template. The result is a text.
    Template {
        source: Arc<str>,
        values: Map<String, Value>,
        #[serde(default)]
        syntax: Syntax,
    },
}

/// Carries out evaluations that no static bound proves small. Dropping the future stops the evaluation.
pub trait Evaluator: Send + Sync {
    /// The result of an evaluation. Faults of its language, `expression.limit` when it takes too much time or memory,
    /// and `expression.unavailable` when it cannot be carried out here.
    fn evaluate(&self, evaluation: Evaluation) -> BoxFuture<'static, Result<Value, Fault>>;
}

/// The fault of an evaluator that returned a value of the wrong type.
pub(super) fn wrong_result() -> Fault {
    Fault::new(codes::EXPRESSION_FAILED, "The evaluation gave a result of the wrong type.")
}
