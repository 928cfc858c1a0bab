//! `run.*`: starting a run and everything a person does to one while it runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_engine::flow::Flow;
use plait_engine::id::{Activation, ConversationId, Epoch, NodeId, PortName, RunId};
use plait_engine::run::Answer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// `run.start`: runs a flow. An invalid one is an error `flow.invalid` with its `diagnostics`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct StartRun {
    /// The flow as it stands, saved or not.
    pub flow: Flow,
    /// Its file, if it has one; files that tools read are confined to the folder it is in.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// Text given to the run.
    #[serde(default)]
    #[ts(optional)]
    pub input: Option<String>,
    /// Values for input ports, by node and port.
    #[serde(default)]
    #[ts(as = "Option<BTreeMap<NodeId, BTreeMap<PortName, Value>>>", optional)]
    pub set: BTreeMap<NodeId, BTreeMap<PortName, Arc<Value>>>,
    /// The node to run to, if not the whole flow.
    #[serde(default)]
    #[ts(optional)]
    pub to: Option<NodeId>,
    /// The conversation to go on in, if it is to remember one. `conversation.unknown` when there is none such,
    /// `conversation.no_context` when the flow has no context `main` to remember it in.
    #[serde(default)]
    #[ts(optional)]
    pub conversation: Option<ConversationId>,
}

/// A run that began.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RunStarted {
    /// Its id.
    pub run: RunId,
}

impl Command for StartRun {
    const NAME: &'static str = "run.start";
    type Reply = RunStarted;

    async fn run(self, app: &Plait) -> Result<RunStarted, ErrorReply> {
        Ok(RunStarted { run: app.start(self).await? })
    }
}

/// `run.answer`: answers a pause. `answer.not_waiting` when that activation asks nothing, `answer.invalid` when the
/// value is not what its schema asks for.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AnswerRun {
    /// The run.
    pub run: RunId,
    /// The node that asks.
    pub node: NodeId,
    /// Which time round.
    pub epoch: Epoch,
    /// The answer.
    #[ts(type = "unknown")]
    pub value: Value,
}

impl Command for AnswerRun {
    const NAME: &'static str = "run.answer";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        let activation = Activation { node: self.node, epoch: self.epoch };
        app.answer(&self.run, activation, Answer::Value(Arc::new(self.value))).await
    }
}

/// `run.end`: ends a pause; its outputs are dead and the run goes on by the ordinary rules.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct EndPause {
    /// The run.
    pub run: RunId,
    /// The node that asks.
    pub node: NodeId,
    /// Which time round.
    pub epoch: Epoch,
}

impl Command for EndPause {
    const NAME: &'static str = "run.end";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        let activation = Activation { node: self.node, epoch: self.epoch };
        app.answer(&self.run, activation, Answer::End).await
    }
}

/// `run.cancel`: stops a run, also one that waits or was interrupted. No error when it has ended already.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CancelRun {
    /// The run.
    pub run: RunId,
}

impl Command for CancelRun {
    const NAME: &'static str = "run.cancel";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        app.cancel(&self.run).await
    }
}

/// `run.resume`: a run that a crash or a restart left goes on where it was; one that waits becomes answerable.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ResumeRun {
    /// The run.
    pub run: RunId,
}

impl Command for ResumeRun {
    const NAME: &'static str = "run.resume";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        app.resume(&self.run).await
    }
}
