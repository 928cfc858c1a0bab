//! What a worker can do. A new kind of work is a variant here, with its limits and its faults.

use std::time::Duration;

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::expression::evaluation::Evaluation;
use plait_engine::expression::in_process::evaluate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::javascript::{self, Program};
use super::{expressions, html};

/// A piece of work for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Job {
    /// Evaluates an expression.
    Evaluate(Evaluation),
    /// Runs a JavaScript program. The result is an object of `result` and `log`.
    RunProgram(Program),
    /// Turns a web page into Markdown, a text.
    ReadHtml(String),
}

impl Job {
    /// How long the work may take. Then the worker is ended. Work that has limits of its own ends before.
    pub(super) fn time_limit(&self) -> Duration {
        match self {
            Self::Evaluate(_) => expressions::TIME_LIMIT,
            Self::RunProgram(_) => javascript::TIME_LIMIT,
            Self::ReadHtml(_) => html::TIME_LIMIT,
        }
    }

    /// Does the work, in the worker.
    pub(super) fn execute(self) -> Result<Value, Fault> {
        match self {
            Self::Evaluate(evaluation) => evaluate(&evaluation, CancellationToken::new()),
            Self::RunProgram(program) => javascript::run(&program),
            Self::ReadHtml(html) => html::to_markdown(&html),
        }
    }

    /// The fault when the worker had to be ended, or ended by itself.
    pub(super) fn stopped(&self, why: Stopped) -> Fault {
        match self {
            Self::Evaluate(_) => expressions::stopped(why),
            Self::RunProgram(_) => javascript::stopped(why),
            Self::ReadHtml(_) => html::stopped(why),
        }
    }

    /// The fault when no worker can be started.
    pub(super) fn unavailable(&self, error: &dyn std::fmt::Display) -> Fault {
        match self {
            Self::Evaluate(_) => expressions::unavailable(error),
            Self::RunProgram(_) | Self::ReadHtml(_) => Fault::new(
                ErrorCode::ToolWorkerUnavailable,
                format!("The worker process that this tool needs could not be started: {error}."),
            )
            .hint("Check that the machine has memory left, then try again."),
        }
    }
}

/// Why a job has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// What it works on does not fit into a message.
    InputTooLarge,
    /// It reached its time limit.
    Time,
    /// The worker ended, which is what an allocation beyond its limit does.
    Memory,
}
