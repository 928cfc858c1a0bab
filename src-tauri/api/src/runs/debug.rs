//! `run.setBreakpoints`, `run.stop`, `run.changeValue`, `run.go`: what a person does with the debugger.

use plait_core::id::{PortName, RunId};
use plait_run::DebugCommand;
use plait_run::journal::{Breakpoint, DebugVerb};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::service::RunService;
use crate::ErrorReply;
use crate::command::Command;

/// `run.setBreakpoints`: replaces the breakpoints of a run and the runs below it. `debug.unknown_node` for a node that the flow does not
/// have, `debug.bad_breakpoint` for a condition or text that does not compile.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SetBreakpoints {
    pub run: RunId,
    /// All of them.
    pub breakpoints: Vec<Breakpoint>,
}

impl Command for SetBreakpoints {
    const NAME: &'static str = "run.setBreakpoints";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        service.debug(&self.run, DebugCommand::SetBreakpoints(self.breakpoints)).await
    }
}

/// `run.stop`: stops a run tree where it is. What is under way ends and stays undelivered.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct StopRun {
    pub run: RunId,
}

impl Command for StopRun {
    const NAME: &'static str = "run.stop";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        service.debug(&self.run, DebugCommand::Pause).await
    }
}

/// `run.changeValue`: puts a value in place of one that a stop holds. It counts as coming from a person. `debug.no_value`,
/// `debug.moved_on`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ChangeValue {
    /// The run that is held.
    pub run: RunId,
    /// The number of the stop.
    #[ts(type = "number")]
    pub stop: u64,
    /// An input before the node starts, an output after it.
    pub port: PortName,
    #[ts(type = "unknown")]
    pub value: Value,
}

impl Command for ChangeValue {
    const NAME: &'static str = "run.changeValue";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let Self { run, stop, port, value } = self;
        service.debug(&run, DebugCommand::Change { stop, port, value }).await
    }
}

/// `run.go`: lets a run that stands still go on, as a whole or by a step. `debug.moved_on` if it does not stand at that stop any more.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GoOn {
    /// The run that is held. Where another run of the tree is, the stop of this one names it.
    pub run: RunId,
    pub verb: DebugVerb,
    /// The number of the stop.
    #[ts(type = "number")]
    pub stop: u64,
}

impl Command for GoOn {
    const NAME: &'static str = "run.go";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        service.debug(&self.run, DebugCommand::Go { verb: self.verb, stop: self.stop }).await
    }
}
