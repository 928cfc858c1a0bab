//! What a whole run tree may use: the root run and all child runs below it together.
//!
//! The counts are those of the journals, so a resumed tree decides as it would have. What exceeds a limit fails the run, and
//! nothing in the flow handles that: which of several parallel branches exceeds it first is a matter of timing.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

use plait_core::error::{ErrorCode, Fault};
use plait_core::flow::TreeLimits;

use crate::codes;

/// What a run tree has used, by its journals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeUsage {
    /// Runs, the root included.
    pub runs: u64,
    /// Model calls that were answered.
    pub model_calls: u64,
    /// Events.
    pub events: u64,
}

/// The limits of a run tree, and what it has used of them. Shared by all of its runs.
#[derive(Debug)]
pub struct TreeBudget {
    max_runs: u64,
    max_model_calls: u64,
    max_events: u64,
    runs: AtomicU64,
    model_calls: AtomicU64,
    events: AtomicU64,
}

impl TreeBudget {
    /// The budget of a tree that has used some of it.
    pub fn new(limits: TreeLimits, used: TreeUsage) -> Self {
        Self {
            max_runs: limits.max_runs.unwrap_or(TreeLimits::DEFAULT_MAX_RUNS),
            max_model_calls: limits.max_model_calls.unwrap_or(TreeLimits::DEFAULT_MAX_MODEL_CALLS),
            max_events: limits.max_events.unwrap_or(TreeLimits::DEFAULT_MAX_EVENTS),
            runs: used.runs.into(),
            model_calls: used.model_calls.into(),
            events: used.events.into(),
        }
    }

    /// Counts a run that is about to start. Fault `run.too_many_runs`.
    pub fn add_run(&self) -> Result<(), Fault> {
        if take_one(&self.runs, self.max_runs) {
            return Ok(());
        }
        Err(exceeded(codes::RUN_TOO_MANY_RUNS, "runs", "maxRuns", self.max_runs))
    }

    /// Counts a model call that is about to be sent. It is counted no longer when the permit is dropped without
    /// [`keep`](ModelCallPermit::keep). Fault `run.too_many_model_calls`.
    pub fn add_model_call(&self) -> Result<ModelCallPermit<'_>, Fault> {
        if take_one(&self.model_calls, self.max_model_calls) {
            return Ok(ModelCallPermit(Some(&self.model_calls)));
        }
        Err(exceeded(codes::RUN_TOO_MANY_MODEL_CALLS, "model calls", "maxModelCalls", self.max_model_calls))
    }

    /// Counts events that were recorded.
    pub fn add_events(&self, count: usize) {
        self.events.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Whether a node may start. Fault `run.too_many_events`.
    pub fn check_events(&self) -> Result<(), Fault> {
        if self.events.load(Ordering::Relaxed) < self.max_events {
            return Ok(());
        }
        Err(exceeded(codes::RUN_TOO_MANY_EVENTS, "events", "maxEvents", self.max_events))
    }
}

impl Default for TreeBudget {
    /// The default limits for a tree that has one run.
    fn default() -> Self {
        Self::new(TreeLimits::default(), TreeUsage { runs: 1, ..TreeUsage::default() })
    }
}

/// A model call that is being made.
#[must_use = "a call that is not kept does not count"]
pub struct ModelCallPermit<'b>(Option<&'b AtomicU64>);

impl ModelCallPermit<'_> {
    /// The call was answered, so it counts.
    pub fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for ModelCallPermit<'_> {
    fn drop(&mut self) {
        if let Some(count) = self.0 {
            count.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Adds one, unless there are so many already.
fn take_one(count: &AtomicU64, most: u64) -> bool {
    let added = |count: u64| (count < most).then_some(count + 1);
    count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, added).is_ok()
}

fn exceeded(code: ErrorCode, what: &str, key: &str, limit: u64) -> Fault {
    let message = format!("This run and the runs below it have reached their limit of {limit} {what}.");
    Fault::new(code, message)
        .hint(format!(
            "Look for a cycle or a sub-flow that runs too often. If it is meant, raise `settings.limits.{key}` of the flow, or the \
             limit in the application's settings."
        ))
        .details(json!({ "limit": limit, "setting": format!("settings.limits.{key}") }))
}

/// Whether an error says that the limits of the run tree or a quota beyond its nodes are reached. Nothing in a flow handles it.
pub fn is_limit_of_tree(code: &ErrorCode) -> bool {
    [
        codes::RUN_TOO_MANY_RUNS,
        codes::RUN_TOO_MANY_MODEL_CALLS,
        codes::RUN_TOO_MANY_EVENTS,
        codes::QUOTA_EXCEEDED,
    ]
    .contains(code)
}

#[cfg(test)]
mod tests;
