//! `run.putBreakpoint`, `run.dropBreakpoint`: single breakpoints of a run, by their ids. `flow.checkBreakpoint`: one before it is set.
//!
//! Several people may look at one run: each changes the breakpoints that are there, and none those of another one.

use std::sync::Arc;

use plait_core::config::{ConfigValues, with_settings};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::{Breakpoint, InputOverrides};
use plait_run::breakpoint::check_expressions;
use plait_run::node::Registry;
use plait_run::plan::Plan;
use plait_run::{DebugCommand, check_breakpoints};
use serde::{Deserialize, Serialize};
use serde_json::json;
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
        let Self { run, breakpoint } = self;
        let breakpoint = named(breakpoint);
        let put = move |breakpoints: &mut Vec<Breakpoint>| {
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

/// `flow.checkBreakpoint`: whether a breakpoint can be set in a flow. Replies with it; one without an id is called as it is written,
/// such as `event:spent=0.50`, so that equal ones of several people are one. A flow that can't run yet is left out of the check, as
/// its places may come. `debug.unknown_node`, `debug.bad_breakpoint`; the details name the `field` that is wrong, if it is `when` or `log`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CheckBreakpoint {
    pub flow: Flow,
    /// Its file, if it has one: sub-flows are searched beside it.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    pub breakpoint: Breakpoint,
}

impl Command for CheckBreakpoint {
    const NAME: &'static str = "flow.checkBreakpoint";
    type Service = RunService;
    type Reply = Breakpoint;

    async fn run(self, service: &RunService) -> Result<Breakpoint, ErrorReply> {
        let Self { flow, path, breakpoint } = self;
        let (registry, config) = (Arc::clone(&service.parts.registry), service.parts.config.current());
        run_blocking(move || {
            let breakpoint = named(breakpoint);
            for (field, part) in [
                ("when", Breakpoint { log: None, ..breakpoint.clone() }),
                ("log", Breakpoint { when: None, ..breakpoint.clone() }),
            ] {
                check_expressions(&part)
                    .map_err(|fault| ErrorReply::from(fault).details(json!({ "field": field })))?;
            }
            if let Ok(checker) = BreakpointChecker::new(&flow, path, registry, config) {
                checker.check(&breakpoint)?;
            }
            Ok(breakpoint)
        })
        .await
    }
}

/// The breakpoint with an id.
fn named(mut breakpoint: Breakpoint) -> Breakpoint {
    if breakpoint.id.is_empty() {
        breakpoint.id = breakpoint.to_string();
    }
    breakpoint
}

/// Whether breakpoints can hold anything in a run of a flow that has not begun.
pub struct BreakpointChecker {
    plan: Plan,
    file: Option<String>,
    registry: Arc<Registry>,
    config: Arc<ConfigValues>,
}

impl BreakpointChecker {
    /// `file` is that of the flow, if it has one. `flow.invalid` if the flow can't be planned.
    pub fn new(
        flow: &Flow,
        file: Option<String>,
        registry: Arc<Registry>,
        config: Arc<ConfigValues>,
    ) -> Result<Self, ErrorReply> {
        let plan = plan_to_run(&with_settings(flow, &config), &registry, None, &InputOverrides::new())?;
        Ok(Self { plan, file, registry, config })
    }

    /// `debug.unknown_node`, `debug.bad_breakpoint`.
    pub fn check(&self, breakpoint: &Breakpoint) -> Result<(), ErrorReply> {
        let Self { plan, file, registry, config } = self;
        let breakpoints = std::slice::from_ref(breakpoint);
        check_breakpoints(plan, breakpoints)?;
        check_in_subflows(plan, file.as_deref(), config, registry, breakpoints)
    }
}
