//! `run.putBreakpoint`, `run.dropBreakpoint`: single breakpoints of a run, by their ids; and whether a run that has not begun can have one.
//!
//! Several people may look at one run: each changes the breakpoints that are there, and none those of another one.

use std::sync::Arc;

use plait_core::config::ConfigValues;
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_run::DebugCommand;
use plait_run::check_breakpoints;
use plait_run::journal::{Breakpoint, InputOverrides};
use plait_run::node::Registry;
use plait_run::plan::Plan;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::launch::{check_in_subflows, check_in_subflows_of, plan_to_run};
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

impl RunService {
    /// Changes the breakpoints of the tree of a run, which is resumed for that if necessary. One change at a time.
    pub(super) async fn change_breakpoints<T>(
        &self,
        run: &RunId,
        change: impl FnOnce(&mut Vec<Breakpoint>) -> Result<T, ErrorReply>,
    ) -> Result<T, ErrorReply> {
        let root = self.lineage(run).await?.pop().map_or_else(|| run.clone(), |record| record.run);
        let handle = self.resume_with_ancestors(&root).await?;
        let _guard = self.breakpoints_lock.lock().await;
        let mut breakpoints = self.active.debugger(&root).breakpoints().to_vec();
        let changed = change(&mut breakpoints)?;
        let (store, registry, asked) =
            (self.parts.store.clone(), Arc::clone(&self.parts.registry), root.clone());
        let breakpoints = run_blocking(move || {
            check_in_subflows_of(&store, &asked, &registry, &breakpoints).map(|()| breakpoints)
        })
        .await?;
        handle.debug(DebugCommand::SetBreakpoints(breakpoints)).await?;
        Ok(changed)
    }
}

/// `run.putBreakpoint`: adds a breakpoint to a run and the runs below it, or replaces the one with the same id; the others stay. One
/// without an id is called as it is written, such as `chat:after`, so that equal ones of several people are one. Replies with it. `debug.unknown_node`, `debug.bad_breakpoint`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PutBreakpoint {
    pub run: RunId,
    pub breakpoint: Breakpoint,
}

impl Command for PutBreakpoint {
    const NAME: &'static str = "run.putBreakpoint";
    type Service = RunService;
    type Reply = Breakpoint;

    async fn run(self, service: &RunService) -> Result<Breakpoint, ErrorReply> {
        let Self { run, mut breakpoint } = self;
        let put = move |breakpoints: &mut Vec<Breakpoint>| {
            if breakpoint.id.is_empty() {
                breakpoint.id = breakpoint.to_string();
            }
            match breakpoints.iter_mut().find(|known| known.id == breakpoint.id) {
                Some(known) => known.clone_from(&breakpoint),
                None => breakpoints.push(breakpoint.clone()),
            }
            Ok(breakpoint)
        };
        service.change_breakpoints(&run, put).await
    }
}

/// `run.dropBreakpoint`: removes the breakpoint with this id from a run; the others stay. `debug.no_breakpoint`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DropBreakpoint {
    pub run: RunId,
    pub id: String,
}

impl Command for DropBreakpoint {
    const NAME: &'static str = "run.dropBreakpoint";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let Self { run, id } = self;
        let drop = move |breakpoints: &mut Vec<Breakpoint>| {
            let before = breakpoints.len();
            breakpoints.retain(|known| known.id != id);
            if breakpoints.len() < before {
                return Ok(());
            }
            let ids: Vec<&str> = breakpoints.iter().map(|known| known.id.as_str()).collect();
            let there = if ids.is_empty() {
                "there are none".to_owned()
            } else {
                format!("there are {}", ids.join(", "))
            };
            Err(Fault::new(codes::DEBUG_NO_BREAKPOINT, format!("The run has no breakpoint `{id}`; {there}."))
                .into())
        };
        service.change_breakpoints(&run, drop).await
    }
}

/// Whether breakpoints can hold anything in a run of a flow that has not begun.
pub struct BreakpointChecker {
    plan: Plan,
    file: Option<String>,
    registry: Arc<Registry>,
}

impl BreakpointChecker {
    /// `file` is that of the flow, if it has one. `flow.invalid` if the flow can't be planned.
    pub fn new(flow: &Flow, file: Option<&str>, registry: Arc<Registry>) -> Result<Self, ErrorReply> {
        let plan = plan_to_run(flow, &registry, None, &InputOverrides::new())?;
        Ok(Self { plan, file: file.map(str::to_owned), registry })
    }

    /// `debug.unknown_node`, `debug.bad_breakpoint`.
    pub fn check(&self, breakpoint: &Breakpoint) -> Result<(), ErrorReply> {
        let breakpoints = std::slice::from_ref(breakpoint);
        check_breakpoints(&self.plan, breakpoints)?;
        check_in_subflows(
            &self.plan,
            self.file.as_deref(),
            &ConfigValues::default(),
            &self.registry,
            breakpoints,
        )
    }
}
