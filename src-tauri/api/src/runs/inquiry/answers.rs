//! What people answered in the two runs of an inquiry, given again to forks that ask: nobody sits before a fork.
//!
//! Only the answer to the same question counts: the same node and iteration, and the same words, but for a `userInput` node, which takes any.
//! Approvals of tool calls are never given again.

use plait_core::flow::Flow;
use plait_core::id::{Activation, RunId};
use plait_journal::Answer;
use plait_journal::view::{Asker, OpenPause, PauseView};
use serde_json::Value;

use super::{ReadRun, read};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::runs::service::RunService;

/// The type of the nodes that ask for a text or a form.
const USER_INPUT: &str = "userInput";

/// An answer that a person gave.
struct RecordedAnswer {
    at: Activation,
    prompt: String,
    schema: Value,
    answer: Answer,
}

/// The answers of run trees, each to be given once.
pub(super) struct RecordedAnswers(Vec<RecordedAnswer>);

impl RecordedAnswers {
    fn add(&mut self, run: &ReadRun) {
        for (node, view) in &run.recorded.view().nodes {
            for epoch in &view.epochs {
                let at = || Activation { node: node.clone(), epoch: epoch.epoch.clone() };
                let answered = epoch.pauses.iter().filter_map(|pause: &PauseView| {
                    let answer = pause.answer.clone().filter(|_| pause.tool.is_none())?;
                    let (prompt, schema) = (pause.prompt.clone(), pause.schema.clone());
                    Some(RecordedAnswer { at: at(), prompt, schema, answer })
                });
                self.0.extend(answered);
            }
        }
    }

    /// Takes the answer to a question. `takes_any` says whether other words ask for the same.
    fn take(&mut self, at: &Activation, pause: &OpenPause, takes_any: bool) -> Option<Answer> {
        if pause.tool.is_some() {
            return None;
        }
        let is_same = |known: &RecordedAnswer| {
            known.at == *at && known.schema == pause.schema && (takes_any || known.prompt == pause.prompt)
        };
        let found = self.0.iter().position(is_same)?;
        Some(self.0.remove(found).answer)
    }
}

impl RunService {
    /// What people answered in these run trees. Of two answers to a question, that of the tree named first counts.
    pub(super) async fn recorded_answers(&self, roots: [&RunId; 2]) -> Result<RecordedAnswers, ErrorReply> {
        let (store, roots) = (self.parts.store.clone(), roots.map(RunId::clone));
        run_blocking(move || {
            let mut answers = RecordedAnswers(Vec::new());
            for root in roots {
                for record in store.tree(&root)? {
                    answers.add(&read(&store, record.run)?);
                }
            }
            Ok(answers)
        })
        .await
    }

    /// Follows a fork of a flow to its end, and answers what it asks. Returns the question that nothing recorded answers, if it
    /// waits for one.
    pub(super) async fn follow_fork(
        &self,
        run: &RunId,
        flow: &Flow,
        mut answers: RecordedAnswers,
    ) -> Result<Option<String>, ErrorReply> {
        while let Some(next_seq) = self.idle_tree(run).await {
            let fork = self.recorded(run).await?;
            let outline = &fork.recorded.view().outline;
            if outline.status.is_final() {
                break;
            }
            if outline.next_seq < next_seq {
                continue;
            }
            let mut given = None;
            for pause in &outline.pauses {
                let own = || Asker { run: run.clone(), node: pause.node.clone(), epoch: pause.epoch.clone() };
                let Asker { run: asking, node, epoch } = pause.asker.clone().unwrap_or_else(own);
                let asked_here = flow.nodes.get(&node).filter(|_| asking == *run);
                let takes_any = asked_here.is_some_and(|node| node.node_type == USER_INPUT);
                let at = Activation { node, epoch };
                if let Some(answer) = answers.take(&at, pause, takes_any) {
                    given = Some((asking, at, answer));
                    break;
                }
            }
            let Some((asking, at, answer)) = given else {
                let asks =
                    outline.pauses.first().map(|pause| format!("`{}` asks “{}”", pause.node, pause.prompt));
                return Ok(Some(asks.unwrap_or_else(|| "it stands at a stop of the debugger".to_owned())));
            };
            self.answer(&asking, at, answer).await?;
        }
        Ok(None)
    }
}
