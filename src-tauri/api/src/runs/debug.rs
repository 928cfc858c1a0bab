//! `run.setBreakpoints`, `run.stop`, `run.held`, `run.changeValue`, `run.forceWay`, `run.editHistory`,
//! `run.heldHistory`, `run.go`, `run.continueAll`: what a person does with the debugger.

use std::cmp::Reverse;
use std::collections::HashSet;

use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId, PortName, RunId};
use plait_journal::view::{RunOutline, RunView, StopView};
use plait_journal::{Breakpoint, DebugVerb, Side};
use plait_llm::context::{ContextHandle, ContextRecord, MessageEdit};
use plait_run::codes::DEBUG_MOVED_ON;
use plait_run::{DebugCommand, RunHandle};
use plait_store::Store;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

impl RunService {
    /// Does what a person wants of the debugger of a run, which is resumed for that if necessary: one that stands still stays there.
    async fn debug(&self, run: &RunId, command: DebugCommand) -> Result<(), ErrorReply> {
        let handle = self.resume_with_ancestors(run).await?;
        Ok(handle.debug(command).await?)
    }

    /// The handle of a run that stands still, with all that its stop holds. A run that is resumed for this has to come there first: an
    /// activation that is held after its end takes its recorded replies once more.
    pub(super) async fn held(&self, run: &RunId) -> Result<RunHandle, ErrorReply> {
        let is_driven = self.is_active(run);
        let handle = self.resume_with_ancestors(run).await?;
        if !is_driven {
            // A run that ends meanwhile refuses the command itself.
            let _ = handle.idle().wait_for(|is_idle| *is_idle).await;
        }
        Ok(handle)
    }
}

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
        let Self { run, breakpoints } = self;
        let _guard = service.breakpoints_lock.lock().await;
        service.debug(&run, DebugCommand::SetBreakpoints(breakpoints)).await
    }
}

/// `run.stop`: stops a run tree where it is, or the branch of a node that runs. What is under way ends and stays undelivered.
/// `debug.cannot_pause`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct StopRun {
    pub run: RunId,
    /// The node, to let everything go on that does not depend on it.
    #[serde(default)]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// Its iteration. Without it, the first one in which it runs.
    #[serde(default)]
    #[ts(optional)]
    pub epoch: Option<Epoch>,
}

impl Command for StopRun {
    const NAME: &'static str = "run.stop";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let Self { run, node, epoch } = self;
        let command = node.map_or(DebugCommand::Pause, |node| DebugCommand::PauseBranch { node, epoch });
        service.debug(&run, command).await
    }
}

/// `run.held`: the stops of a run and of the runs below it, the newest first. None if nothing stands still. Where a run stands still because
/// another one of its tree does, the stop is that of the other one.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct FindHeld {
    pub run: RunId,
}

/// A run that stands still, or a branch of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct HeldRun {
    pub run: RunId,
    pub stop: StopView,
}

impl Command for FindHeld {
    const NAME: &'static str = "run.held";
    type Service = RunService;
    type Reply = Vec<HeldRun>;

    async fn run(self, service: &RunService) -> Result<Vec<HeldRun>, ErrorReply> {
        let store = service.parts.store.clone();
        run_blocking(move || Ok(find_held(&store, &self.run)?)).await
    }
}

fn find_held(store: &Store, run: &RunId) -> Result<Vec<HeldRun>, Fault> {
    let mut found = Vec::new();
    let mut looked_at = HashSet::from([run.clone()]);
    add_held(store, run, &mut looked_at, &mut found)?;
    // The tree stops after its branches did, also where the clock is too coarse to say so.
    found.sort_by_key(|held: &HeldRun| {
        Reverse((held.stop.since, held.stop.scope.is_tree(), held.stop.number))
    });
    Ok(found)
}

fn add_held(
    store: &Store,
    run: &RunId,
    looked_at: &mut HashSet<RunId>,
    found: &mut Vec<HeldRun>,
) -> Result<(), Fault> {
    let mut outline = RunOutline::default();
    for entry in store.read_journal(run, 0)? {
        outline.apply(&entry?);
    }
    for stop in outline.stops {
        if let Some(other) = stop.elsewhere().filter(|other| *other != run) {
            let before = found.len();
            if looked_at.insert(other.clone()) {
                add_held(store, other, looked_at, found)?;
            } else {
                continue;
            }
            // A process that ended may have continued the other run alone: then this stop is all there is.
            if found[before..].iter().any(|held| held.stop.scope == stop.scope) {
                continue;
            }
        }
        found.push(HeldRun { run: run.clone(), stop });
    }
    Ok(())
}

/// `run.continueAll`: lets everything go on that stands still in a run and in the runs below it: the whole tree and all branches. What
/// somebody else continues meanwhile is none of it any more. The run is resumed for that if necessary.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ContinueAll {
    pub run: RunId,
}

impl Command for ContinueAll {
    const NAME: &'static str = "run.continueAll";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        service.resume_with_ancestors(&self.run).await?;
        let store = service.parts.store.clone();
        let mut held = run_blocking(move || Ok(find_held(&store, &self.run)?)).await?;
        // While the tree stands still, nothing comes to a place that would be continued with the others.
        held.sort_by_key(|held| held.stop.scope.is_tree());
        for HeldRun { run, stop } in held {
            let command = DebugCommand::Go { verb: DebugVerb::Continue, stop: stop.number };
            match service.debug(&run, command).await {
                Err(error) if error.code == DEBUG_MOVED_ON => {}
                done => done?,
            }
        }
        Ok(())
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
        let handle = service.held(&run).await?;
        // Resuming added what the run redacts.
        let value = service.redacted(&value);
        Ok(handle.debug(DebugCommand::Change { stop, port, value }).await?)
    }
}

/// `run.forceWay`: has a node that a stop holds after its end take another one of its ways, such as another case of a switch.
/// `debug.no_way`, `debug.moved_on`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ForceWay {
    /// The run that is held.
    pub run: RunId,
    /// The number of the stop.
    #[ts(type = "number")]
    pub stop: u64,
    /// The output to take.
    pub port: PortName,
}

impl Command for ForceWay {
    const NAME: &'static str = "run.forceWay";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let handle = service.held(&self.run).await?;
        Ok(handle.debug(DebugCommand::Force { stop: self.stop, port: self.port }).await?)
    }
}

/// `run.editHistory`: rewords and removes messages of the context that a node uses which a stop holds before its start.
/// `debug.bad_history` if model servers would refuse the history, `debug.no_history`, `debug.moved_on`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct EditHistory {
    /// The run that is held.
    pub run: RunId,
    /// The number of the stop.
    #[ts(type = "number")]
    pub stop: u64,
    /// All of them or none are made.
    pub edits: Vec<MessageEdit>,
}

impl Command for EditHistory {
    const NAME: &'static str = "run.editHistory";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let Self { run, stop, mut edits } = self;
        let handle = service.held(&run).await?;
        // Resuming added what the run redacts.
        for text in edits.iter_mut().filter_map(|edit| edit.text.as_mut()) {
            if let Value::String(redacted) = service.redacted(&Value::from(text.as_str())) {
                *text = redacted;
            }
        }
        Ok(handle.debug(DebugCommand::EditHistory { stop, edits }).await?)
    }
}

/// `run.heldHistory`: the history of the context that a node uses which a stop holds before its start. None if it uses none.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HeldHistory {
    /// The run that is held.
    pub run: RunId,
    /// The number of the stop. Without it, the newest one.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub stop: Option<u64>,
}

impl Command for HeldHistory {
    const NAME: &'static str = "run.heldHistory";
    type Service = RunService;
    type Reply = Option<ContextRecord>;

    async fn run(self, service: &RunService) -> Result<Option<ContextRecord>, ErrorReply> {
        let store = service.parts.store.clone();
        run_blocking(move || {
            let mut view = RunView::default();
            for entry in store.read_journal(&self.run, 0)? {
                view.apply(&entry?);
            }
            let is_meant = |stop: &&StopView| self.stop.is_none_or(|number| stop.number == number);
            let stop = view.outline.stops.iter().rfind(is_meant);
            let stop = stop.filter(|stop| stop.at.as_ref().is_some_and(|at| at.side == Side::Before));
            let handle = stop.and_then(|stop| stop.values.get("context"));
            let context = handle.and_then(|handle| ContextHandle::id_in_value(handle));
            Ok(context.and_then(|id| view.contexts.remove(&id)).map(|context| context.record))
        })
        .await
    }
}

/// `run.go`: lets a run or branch that stands still go on, as a whole or by a step. `skip` passes over the node that is held before its start, `retry`
/// runs one again that is held after its end. `debug.moved_on` if it does not stand at that stop any more, `debug.cannot_skip`,
/// `debug.cannot_retry`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GoOn {
    /// The run that is held, as `run.held` names it.
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
        let Self { run, verb, stop } = self;
        let command = DebugCommand::Go { verb, stop };
        if verb == DebugVerb::Retry {
            return Ok(service.held(&run).await?.debug(command).await?);
        }
        service.debug(&run, command).await
    }
}
