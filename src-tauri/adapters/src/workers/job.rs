//! The kinds of work of a worker. A new kind of work is a variant here, with its limits and its faults.

use std::time::Duration;

use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluation;
use plait_core::expression::in_process::evaluate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::documents::{self, DocumentBytes};
use super::javascript::{self, Program};
use super::stopped::Stopped;
use super::{expressions, html};
use crate::codes;
use crate::documents::DocumentKind;

/// A piece of work for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Job {
    /// Evaluates an expression.
    Evaluate(Evaluation),
    ReadDocument(DocumentBytes),
    /// Runs a JavaScript program. The result is an object of `result` and `log`.
    RunProgram(Program),
    /// Turns a web page into Markdown, a text.
    ReadHtml(String),
}

impl Job {
    /// Reads the text of a document with these bytes.
    pub fn read_document(kind: DocumentKind, bytes: &[u8]) -> Self {
        Self::ReadDocument(DocumentBytes::new(kind, bytes))
    }

    /// How long the work may compute. Then the worker is ended. Work that has limits of its own ends before.
    pub(super) fn time_limit(&self) -> Duration {
        match self {
            Self::Evaluate(_) => expressions::TIME_LIMIT,
            Self::ReadDocument(_) => documents::TIME_LIMIT,
            Self::RunProgram(_) => javascript::TIME_LIMIT,
            Self::ReadHtml(_) => html::TIME_LIMIT,
        }
    }

    /// Does the work, in the worker.
    pub(super) fn execute(self) -> Result<Value, Fault> {
        match self {
            Self::Evaluate(evaluation) => evaluate(&evaluation, CancellationToken::new()),
            Self::ReadDocument(document) => document.read(),
            Self::RunProgram(program) => javascript::run(&program),
            Self::ReadHtml(html) => html::to_markdown(&html),
        }
    }

    /// The fault of a worker that was ended or crashed.
    pub(super) fn stopped(&self, why: Stopped) -> Fault {
        match self {
            Self::Evaluate(_) => expressions::stopped(why),
            Self::ReadDocument(_) => documents::stopped(why),
            Self::RunProgram(_) => javascript::stopped(why),
            Self::ReadHtml(_) => html::stopped(why),
        }
    }

    /// The fault when no worker can be started.
    pub(super) fn unavailable(&self, error: &dyn std::fmt::Display) -> Fault {
        match self {
            Self::Evaluate(_) => expressions::unavailable(error),
            Self::ReadDocument(_) => documents::unavailable(error),
            Self::RunProgram(_) | Self::ReadHtml(_) => Fault::new(
                codes::TOOL_WORKER_UNAVAILABLE,
                format!("The worker process that this tool needs could not be started: {error}."),
            )
            .hint("Check that the machine has memory left, then try again."),
        }
    }
}
