//! Follows a run that nobody watches: answers its questions as the case says, up to its end.

use plait_core::id::RunId;
use plait_journal::view::{Asker, OpenPause, RunOutline};
use plait_suites::TestAnswer;

use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command as _;
use crate::runs::{AnswerRun, CancelRun};

impl SuiteService {
    /// Resolves when the run has ended or, with `to_stop`, stands still. A question without an answer cancels the run: `suite.no_answer`.
    pub(super) async fn follow(
        &self,
        run: &RunId,
        answers: &[TestAnswer],
        to_stop: bool,
    ) -> Result<(), ErrorReply> {
        let followed = self.follow_to_end(run, answers.to_vec(), to_stop).await;
        if followed.is_err() {
            CancelRun { run: run.clone() }.run(&self.runs).await?;
        }
        if followed.is_err() || !to_stop {
            self.runs.settled(run).await;
        }
        followed
    }

    async fn follow_to_end(
        &self,
        run: &RunId,
        mut answers: Vec<TestAnswer>,
        to_stop: bool,
    ) -> Result<(), ErrorReply> {
        while let Some(next_seq) = self.runs.idle_tree(run).await {
            let outline = self.outline(run).await?;
            if outline.status.is_final() {
                break;
            }
            if outline.next_seq < next_seq {
                self.store.flush().await?;
                continue;
            }
            if !outline.stops.is_empty() {
                if to_stop {
                    break;
                }
                let message = format!("Somebody stopped run {run} in a debugger.");
                return Err(ErrorReply::new(codes::SUITE_STOPPED, message).hint("Run the test again."));
            }
            let Some((pause, answer)) = take_answer(&outline, &mut answers) else {
                return Err(no_answer(&outline));
            };
            let own = || Asker { run: run.clone(), node: pause.node.clone(), epoch: pause.epoch.clone() };
            let Asker { run, node, epoch } = pause.asker.clone().unwrap_or_else(own);
            AnswerRun { run, node, epoch, value: answer.value, attachments: Vec::new() }
                .run(&self.runs)
                .await?;
        }
        Ok(())
    }

    pub(super) async fn outline(&self, run: &RunId) -> Result<RunOutline, ErrorReply> {
        let (store, run) = (self.store.clone(), run.clone());
        run_blocking(move || {
            let mut outline = RunOutline::default();
            for entry in store.read_journal(&run, 0)? {
                outline.apply(&entry?);
            }
            Ok(outline)
        })
        .await
    }
}

/// The next answer: one that names a node that asks, else the first that names none, for the first question.
fn take_answer<'o>(
    outline: &'o RunOutline,
    answers: &mut Vec<TestAnswer>,
) -> Option<(&'o OpenPause, TestAnswer)> {
    let asks = |pause: &OpenPause, answer: &TestAnswer| {
        let node = answer.node.as_ref();
        node == Some(&pause.node) || pause.asker.as_ref().is_some_and(|asker| node == Some(&asker.node))
    };
    let addressed = answers
        .iter()
        .enumerate()
        .find_map(|(at, answer)| Some((at, outline.pauses.iter().find(|pause| asks(pause, answer))?)));
    let (at, pause) = match addressed {
        Some(found) => found,
        None => (answers.iter().position(|answer| answer.node.is_none())?, outline.pauses.first()?),
    };
    Some((pause, answers.remove(at)))
}

fn no_answer(outline: &RunOutline) -> ErrorReply {
    let asked = outline.pauses.first().map(|pause| format!("`{}` asks “{}”", pause.node, pause.prompt));
    let message =
        format!("{}, and the case has no answer.", asked.unwrap_or_else(|| "The run waits".to_owned()));
    ErrorReply::new(codes::SUITE_NO_ANSWER, message).hint("Add it to the `answers` of the case.")
}
