//! Whether breakpoints can ever hold anything.

use super::has_port;
use crate::codes;
use crate::journal::{Breakpoint, Side};
use crate::plan::{NodeIx, Plan};
use plait_core::error::Fault;
use plait_core::expression::condition::StopCondition;
use plait_core::expression::template::Template;

/// Refuses breakpoints that can never hold anything. `debug.unknown_node`, `debug.bad_breakpoint`.
pub fn check_breakpoints(plan: &Plan, breakpoints: &[Breakpoint]) -> Result<(), Fault> {
    for (index, breakpoint) in breakpoints.iter().enumerate() {
        let known = breakpoint.path.first().unwrap_or(&breakpoint.node);
        if plan.find(known).is_none() {
            let message =
                format!("The breakpoint `{}` is at `{known}`, which this flow does not have.", breakpoint.id);
            return Err(Fault::new(codes::DEBUG_UNKNOWN_NODE, message)
                .hint("Remove it, or name a node of the flow; `plait check` lists them."));
        }
        let problem = breakpoint.when.as_deref().and_then(problem_of_condition);
        let log = breakpoint.log.as_deref().map(Template::new);
        let problem = problem.or_else(|| log.and_then(|log| log.problem().map(ToString::to_string)));
        if let Some(problem) = problem {
            return Err(bad_breakpoint(format!(
                "The breakpoint `{}` can't be used: {problem}",
                breakpoint.id
            )));
        }
        let node = plan.find(&breakpoint.node).filter(|_| breakpoint.path.is_empty());
        if node.is_some_and(|node| holds_no_branch(plan, node, breakpoint)) {
            return Err(bad_breakpoint(format!(
                "The breakpoint `{}` is after the loop `{}`, where the whole run is held. It can't hold its branch alone.",
                breakpoint.id, breakpoint.node
            ))
            .hint("Set it before the node that takes the output of the loop, or after the last node in the loop."));
        }
        if let Some(problem) = node.and_then(|node| problem_of_port(plan, node, breakpoint)) {
            return Err(bad_breakpoint(format!("The breakpoint `{}` is at {problem}", breakpoint.id))
                .hint("Name an input of the node on the side `before`, or an output on the side `after`."));
        }
        if breakpoints[..index].iter().any(|other| other.id == breakpoint.id) {
            return Err(bad_breakpoint(format!("Two breakpoints are called `{}`.", breakpoint.id)));
        }
    }
    Ok(())
}

/// Whether a breakpoint can't hold its branch alone: the outputs of a loop are delivered when it ends, so that only a stop of the whole
/// tree holds what follows from them.
pub(crate) fn holds_no_branch(plan: &Plan, node: NodeIx, breakpoint: &Breakpoint) -> bool {
    !breakpoint.scope.is_tree() && breakpoint.side == Side::After && plan.nodes[node].body.is_some()
}

/// Why a breakpoint at a port can never hold anything, as the end of a sentence.
fn problem_of_port(plan: &Plan, node: NodeIx, breakpoint: &Breakpoint) -> Option<String> {
    let port = breakpoint.port.as_ref()?;
    let node = &plan.nodes[node];
    let id = &node.id;
    match breakpoint.side {
        Side::Call => Some(format!("`{id}.{port}`, but calls have no ports.")),
        Side::Before if node.body.is_some() => Some(format!(
            "the input `{id}.{port}`, but `{id}` is a loop, which is held where its first iteration begins."
        )),
        side if has_port(node, side, port) => None,
        Side::Before => Some(format!("the input `{id}.{port}`, which `{id}` does not have.")),
        Side::After => Some(format!("the output `{id}.{port}`, which `{id}` does not have.")),
    }
}

/// Why a condition does not compile, if so.
pub(super) fn problem_of_condition(source: &str) -> Option<String> {
    StopCondition::new(source).problem().map(str::to_owned)
}

/// The fault `debug.bad_breakpoint`.
pub(super) fn bad_breakpoint(message: String) -> Fault {
    Fault::new(codes::DEBUG_BAD_BREAKPOINT, message)
        .hint("Conditions are CEL over `value`, `inputs`, `outputs`, `error`, `iteration`, `attempt`, `tokens`, `cost` and `trimmed`; each breakpoint has an ID of its own.")
}
