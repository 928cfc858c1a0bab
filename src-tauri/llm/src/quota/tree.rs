//! The account of a run tree: the root run and all child runs below it together.
//!
//! The counts are those of the journals, so a resumed tree decides as it would have. What exceeds a limit fails the run, and
//! nothing in the flow handles that: which of several parallel branches exceeds it first is a matter of timing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

use plait_core::error::{ErrorCode, Fault};
use plait_core::flow::TreeLimits;

use crate::codes;

/// What is counted in a run tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeCount {
    /// Runs, the root included.
    Runs,
    /// Model calls that were answered, and those under way.
    ModelCalls,
    /// Events of all journals.
    Events,
}

/// What a run tree has used, by its journals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeUsage {
    pub runs: u64,
    pub model_calls: u64,
    pub events: u64,
}

/// The limits of a run tree, and what it has used of them. Shared by all of its runs.
#[derive(Debug)]
pub struct TreeAccount {
    limits: TreeLimits,
    runs: AtomicU64,
    model_calls: AtomicU64,
    events: AtomicU64,
}

impl TreeCount {
    const ALL: [Self; 3] = [Self::Runs, Self::ModelCalls, Self::Events];

    /// The code of the fault that says that the limit is reached.
    fn code(self) -> ErrorCode {
        match self {
            Self::Runs => codes::RUN_TOO_MANY_RUNS,
            Self::ModelCalls => codes::RUN_TOO_MANY_MODEL_CALLS,
            Self::Events => codes::RUN_TOO_MANY_EVENTS,
        }
    }

    /// Whether faults with this code say that a limit of the tree is reached.
    pub(super) fn is_code(code: &ErrorCode) -> bool {
        Self::ALL.iter().any(|counted| counted.code() == *code)
    }
}

impl TreeAccount {
    /// The account of a tree that has used some of its limits.
    pub fn new(limits: TreeLimits, used: TreeUsage) -> Self {
        Self {
            limits,
            runs: used.runs.into(),
            model_calls: used.model_calls.into(),
            events: used.events.into(),
        }
    }

    /// Reserves one. Faults `run.too_many_runs`, `run.too_many_model_calls`, `run.too_many_events`.
    pub fn reserve(self: &Arc<Self>, counted: TreeCount) -> Result<TreeReservation, Fault> {
        let limit = self.limit(counted);
        let add_one = |used: u64| (used < limit).then_some(used + 1);
        match self.used(counted).fetch_update(Ordering::Relaxed, Ordering::Relaxed, add_one) {
            Ok(_) => Ok(TreeReservation { account: Arc::clone(self), counted, is_settled: false }),
            Err(_) => Err(self.exceeded(counted)),
        }
    }

    /// Counts what was used, whatever the limit.
    pub fn charge(&self, counted: TreeCount, amount: usize) {
        self.used(counted).fetch_add(amount as u64, Ordering::Relaxed);
    }

    /// Whether one more could be reserved. Faults as [`Self::reserve`].
    pub fn check(&self, counted: TreeCount) -> Result<(), Fault> {
        if self.used(counted).load(Ordering::Relaxed) < self.limit(counted) {
            return Ok(());
        }
        Err(self.exceeded(counted))
    }

    fn limit(&self, counted: TreeCount) -> u64 {
        match counted {
            TreeCount::Runs => self.limits.max_runs.unwrap_or(TreeLimits::DEFAULT_MAX_RUNS),
            TreeCount::ModelCalls => {
                self.limits.max_model_calls.unwrap_or(TreeLimits::DEFAULT_MAX_MODEL_CALLS)
            }
            TreeCount::Events => self.limits.max_events.unwrap_or(TreeLimits::DEFAULT_MAX_EVENTS),
        }
    }

    fn used(&self, counted: TreeCount) -> &AtomicU64 {
        match counted {
            TreeCount::Runs => &self.runs,
            TreeCount::ModelCalls => &self.model_calls,
            TreeCount::Events => &self.events,
        }
    }

    fn exceeded(&self, counted: TreeCount) -> Fault {
        let limit = self.limit(counted);
        let (what, key) = match counted {
            TreeCount::Runs => ("runs", "maxRuns"),
            TreeCount::ModelCalls => ("model calls", "maxModelCalls"),
            TreeCount::Events => ("events", "maxEvents"),
        };
        let message = format!("This run and the runs below it have reached their limit of {limit} {what}.");
        Fault::new(counted.code(), message)
            .hint(format!(
                "Look for a cycle or a sub-flow that runs too often. If it is meant, raise `settings.limits.{key}` of the flow, \
                 or the limit in the application's settings."
            ))
            .details(json!({ "limit": limit, "setting": format!("settings.limits.{key}") }))
    }
}

impl Default for TreeAccount {
    /// The default limits for a tree that has one run.
    fn default() -> Self {
        Self::new(TreeLimits::default(), TreeUsage { runs: 1, ..TreeUsage::default() })
    }
}

/// One that is reserved. Dropped without [`settle`](Self::settle), it is counted no longer.
#[derive(Debug)]
#[must_use = "what is not settled does not count"]
pub struct TreeReservation {
    account: Arc<TreeAccount>,
    counted: TreeCount,
    is_settled: bool,
}

impl TreeReservation {
    /// It was used.
    pub fn settle(mut self) {
        self.is_settled = true;
    }
}

impl Drop for TreeReservation {
    fn drop(&mut self) {
        if !self.is_settled {
            self.account.used(self.counted).fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
