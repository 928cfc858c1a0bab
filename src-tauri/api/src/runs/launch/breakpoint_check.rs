//! Whether breakpoints in sub-flows can ever hold anything: the flows are read that their ways lead through.

use plait_adapters::FileAccess;
use plait_core::config::{ConfigValues, with_settings};
use plait_core::id::RunId;
use plait_journal::{Breakpoint, Event, InputOverrides, RunEvent};
use plait_run::breakpoint::{check_place, check_subflow};
use plait_run::host::subflow::ChildFlow;
use plait_run::node::Registry;
use plait_run::plan::Plan;
use plait_store::Store;

use super::{no_start, plan_to_run, recorded_config};
use crate::ErrorReply;
use crate::flows::subflows;
use crate::flows::text::recorded_flow;

/// Refuses breakpoints in sub-flows at what these do not have. A sub-flow that can't be read or planned is left to the run, which says so.
/// `path` is the file of the flow with this plan. `debug.unknown_node`, `debug.bad_breakpoint`.
pub(in crate::runs) fn check_in_subflows(
    plan: &Plan,
    path: Option<&str>,
    config: &ConfigValues,
    registry: &Registry,
    breakpoints: &[Breakpoint],
) -> Result<(), ErrorReply> {
    for breakpoint in breakpoints.iter().filter(|breakpoint| !breakpoint.path.is_empty()) {
        let access = FileAccess::of_process(None);
        let mut inner: Option<Plan> = None;
        let mut file = path.map(str::to_owned);
        for above in &breakpoint.path {
            let outer = inner.as_ref().unwrap_or(plan);
            check_subflow(outer, above, breakpoint)?;
            let calls = outer.find(above).and_then(|node| outer.nodes[node].node.behavior().calls.clone());
            let flow = match calls {
                Some(ChildFlow::Inner(flow)) => Some((*flow).clone()),
                Some(ChildFlow::File(name)) => {
                    let read = subflows::read(&name, file.as_deref(), &access).ok();
                    file = read.as_ref().and_then(|read| read.path.clone());
                    read.map(|read| read.flow)
                }
                None => None,
            };
            let planned = flow.map(|flow| {
                plan_to_run(&with_settings(&flow, config), registry, None, &InputOverrides::new())
            });
            let Some(Ok(planned)) = planned else {
                inner = None;
                break;
            };
            inner = Some(planned);
        }
        if let Some(inner) = inner {
            check_place(&inner, breakpoint)?;
        }
    }
    Ok(())
}

/// The same for those of a recorded run.
pub(in crate::runs) fn check_in_subflows_of(
    store: &Store,
    run: &RunId,
    registry: &Registry,
    breakpoints: &[Breakpoint],
) -> Result<(), ErrorReply> {
    if breakpoints.iter().all(|breakpoint| breakpoint.path.is_empty()) {
        return Ok(());
    }
    let first = store.read_journal(run, 0)?.next().transpose()?;
    let Some(Event::Run(RunEvent::Started { flow, to, set, models, config, .. })) =
        first.as_ref().map(|entry| &entry.event)
    else {
        return Err(no_start(run));
    };
    let config = recorded_config(config, models);
    let recorded = with_settings(&recorded_flow(store, &flow.hash)?, &config).into_owned();
    let plan = plan_to_run(&recorded, registry, to.as_ref(), set)?;
    check_in_subflows(&plan, flow.path.as_deref(), &config, registry, breakpoints)
}
