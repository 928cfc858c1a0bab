//! `run.answer`, `run.end`, `run.pin`, `run.cancel`, `run.resume`: what a person does to a run.

use std::sync::Arc;

use plait_core::attachment::Attachment;
use plait_core::id::{Activation, Epoch, MessageId, NodeId, RunId};
use plait_journal::Answer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::service::RunService;
use crate::ErrorReply;
use crate::command::Command;

/// `run.answer`: answers a pause. `answer.not_waiting` when the activation is not waiting, `answer.invalid` when the value
/// does not match the schema of the pause.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AnswerRun {
    pub run: RunId,
    /// The node that asks.
    pub node: NodeId,
    /// The iteration of the node.
    pub epoch: Epoch,
    /// The answer.
    #[ts(type = "unknown")]
    pub value: Value,
    /// Images and files that go with it, stored by `attachment.add`. `attachment.not_asked` if the question takes none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
}

impl Command for AnswerRun {
    const NAME: &'static str = "run.answer";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let activation = Activation { node: self.node, epoch: self.epoch };
        let (value, attachments) = (Arc::new(self.value), self.attachments);
        let answer = if attachments.is_empty() {
            Answer::Value(value)
        } else {
            Answer::Attached { value, attachments }
        };
        service.answer(&self.run, activation, answer).await
    }
}

/// `run.end`: ends a pause without an answer. Its outputs are dead, and the run continues by the ordinary rules.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct EndPause {
    pub run: RunId,
    /// The node that asks.
    pub node: NodeId,
    /// The iteration of the node.
    pub epoch: Epoch,
}

impl Command for EndPause {
    const NAME: &'static str = "run.end";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let activation = Activation { node: self.node, epoch: self.epoch };
        service.answer(&self.run, activation, Answer::End).await
    }
}

/// `run.pin`: pins a turn of the conversation of a loop, so that no bound leaves it out of the calls that follow, or takes the pin
/// off. `history.not_waiting` when the run does not wait for a person, `history.no_turn` when the loop has no such turn.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct PinTurn {
    pub run: RunId,
    /// The loop.
    pub node: NodeId,
    /// Its iteration outside.
    pub epoch: Epoch,
    pub turn: MessageId,
    /// Whether it is to be pinned.
    pub pinned: bool,
}

impl Command for PinTurn {
    const NAME: &'static str = "run.pin";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let owner = Activation { node: self.node, epoch: self.epoch };
        service.pin(&self.run, owner, self.turn, self.pinned).await
    }
}

/// `run.cancel`: cancels a run and the runs below it, also one that waits or was interrupted. Does nothing when it has ended.
/// `run.is_child` when it is part of a run that has not ended.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CancelRun {
    pub run: RunId,
}

impl Command for CancelRun {
    const NAME: &'static str = "run.cancel";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        service.cancel(&self.run).await
    }
}

/// `run.resume`: continues a run that was interrupted by a crash or a restart. A run that waits can be answered again.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ResumeRun {
    pub run: RunId,
}

impl Command for ResumeRun {
    const NAME: &'static str = "run.resume";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        service.resume(&self.run).await
    }
}
