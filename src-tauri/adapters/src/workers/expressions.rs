//! Expressions as jobs: their time limit and their faults.

use std::time::Duration;

use plait_core::error::Fault;

use super::stopped::Stopped;
use crate::codes;

/// How long an evaluation may compute. Its steps are bounded as well; this bounds a single step.
pub(super) const TIME_LIMIT: Duration = Duration::from_millis(1_500);

pub(super) fn stopped(why: Stopped) -> Fault {
    let message = match why {
        Stopped::InputTooLarge => "The expression was stopped: the value is too large for an expression.",
        Stopped::Time => "The expression was stopped: it takes too long.",
        Stopped::Memory => "The expression was stopped: it takes too much memory.",
    };
    Fault::new(codes::EXPRESSION_LIMIT, message)
        .hint("Select less, shorten lists and texts first, or split the work over several nodes.")
}

pub(super) fn unavailable(error: &dyn std::fmt::Display) -> Fault {
    Fault::new(
        codes::EXPRESSION_UNAVAILABLE,
        format!("The worker process that evaluates expressions could not be started: {error}."),
    )
    .hint("Check that the machine has memory left, then retry the run.")
}
