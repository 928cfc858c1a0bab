//! `lens.matrix`.

use std::sync::Arc;

use plait_core::id::RunId;
use plait_insight::comparison::ComparedRun;
use plait_insight::run_matrix::{RunMatrix, run_matrix};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::LensService;
use super::compare::read;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::runs::usage_of_tree;

/// The most runs of a matrix.
const MAX_RUNS: usize = 100;

/// `lens.matrix`: what varies between runs of one flow, such as the repeats of a test: a row for each output, those of sub-flows included, a
/// column for each run.
/// `matrix.runs` if there are fewer than two or more than 100, `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CompareManyRuns {
    pub runs: Vec<RunId>,
}

impl Command for CompareManyRuns {
    const NAME: &'static str = "lens.matrix";
    type Service = LensService;
    type Reply = RunMatrix;

    async fn run(self, service: &LensService) -> Result<RunMatrix, ErrorReply> {
        if !(2..=MAX_RUNS).contains(&self.runs.len()) {
            let message = format!("A matrix takes 2 to {MAX_RUNS} runs, and got {}.", self.runs.len());
            return Err(ErrorReply::new(codes::MATRIX_RUNS, message).hint("Choose fewer or more runs."));
        }
        service.catch_up().await;
        let store = service.store.clone();
        run_blocking(move || {
            let column = |run: RunId| {
                let used = usage_of_tree(&store, &run)?;
                Ok(ComparedRun { run: Arc::new(read(&store, run)?), used })
            };
            let columns = self.runs.into_iter().map(column).collect::<Result<Vec<_>, ErrorReply>>()?;
            Ok(run_matrix(columns, &|run| read(&store, run.clone()).map(Arc::new).ok()))
        })
        .await
    }
}
