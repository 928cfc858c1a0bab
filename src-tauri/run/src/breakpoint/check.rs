//! Whether breakpoints can ever hold anything.

use std::collections::BTreeSet;

use super::{edges_into, has_port};
use crate::codes;
use crate::plan::{NodeIx, Plan, is_entering};
use plait_core::error::Fault;
use plait_core::expression::condition::StopCondition;
use plait_core::expression::template::Template;
use plait_core::id::{ContextId, NodeId, PortName};
use plait_core::similar_name::similar_name;
use plait_journal::{Breakpoint, Side, StopEvent};

/// Refuses breakpoints that can never hold anything, as far as the flow that was started shows it; what is in sub-flows is for
/// [`check_place`]. `debug.unknown_node`, `debug.bad_breakpoint`.
pub fn check_breakpoints(plan: &Plan, breakpoints: &[Breakpoint]) -> Result<(), Fault> {
    let mut known = BTreeSet::new();
    for breakpoint in breakpoints {
        check_expressions(breakpoint)?;
        match breakpoint.path.first() {
            None => check_place(plan, breakpoint)?,
            Some(above) => check_subflow(plan, above, breakpoint)?,
        }
        if !known.insert(&breakpoint.id) {
            return Err(bad_breakpoint(format!("Two breakpoints are called `{}`.", breakpoint.id)));
        }
    }
    Ok(())
}

/// Refuses a condition or text that does not compile. `debug.bad_breakpoint`.
pub fn check_expressions(breakpoint: &Breakpoint) -> Result<(), Fault> {
    let problem = breakpoint.when.as_deref().and_then(problem_of_condition);
    let log = breakpoint.log.as_deref().map(Template::new);
    match problem.or_else(|| log.and_then(|log| log.problem().map(ToString::to_string))) {
        None => Ok(()),
        Some(problem) => {
            Err(bad_breakpoint(format!("The breakpoint `{}` can't be used: {problem}", breakpoint.id)))
        }
    }
}

/// Refuses a node above a breakpoint that runs no flow. `debug.unknown_node`, `debug.bad_breakpoint`.
pub fn check_subflow(plan: &Plan, above: &NodeId, breakpoint: &Breakpoint) -> Result<(), Fault> {
    let node = &plan.nodes[plan.find(above).ok_or_else(|| unknown_node(plan, above, breakpoint))?];
    if node.node.behavior().calls.is_some() {
        return Ok(());
    }
    let message =
        format!("The breakpoint `{}` is in a flow of `{above}`, which runs no other flow.", breakpoint.id);
    Err(if node.body.is_some() {
        bad_breakpoint(message)
            .hint("The nodes of a loop are nodes of its flow: leave out the loop and the slash.")
    } else {
        bad_breakpoint(message).hint("Name a node that runs a flow before the slash.")
    })
}

/// Refuses a breakpoint that can never hold anything in its flow. `debug.unknown_node`, `debug.bad_breakpoint`.
pub fn check_place(plan: &Plan, breakpoint: &Breakpoint) -> Result<(), Fault> {
    if let Some(StopEvent::ContextChanged { context: Some(context) }) = &breakpoint.event {
        check_context(plan, context, breakpoint)?;
    }
    let id = &breakpoint.id;
    let Some(name) = &breakpoint.node else {
        return match (&breakpoint.port, &breakpoint.from) {
            (None, None) => Ok(()),
            _ => Err(bad_breakpoint(format!("The breakpoint `{id}` is at a port of no node."))
                .hint("Name the node with the port.")),
        };
    };
    let node = plan.find(name).ok_or_else(|| unknown_node(plan, name, breakpoint))?;
    let spec = &plan.nodes[node];
    if breakpoint.event.is_none() && breakpoint.side == Side::Call {
        let behavior = spec.node.behavior();
        if spec.body.is_none() && (behavior.is_pinned || !behavior.calls_outside()) {
            return Err(bad_breakpoint(format!(
                "The breakpoint `{id}` is before the calls of `{name}`, which calls no model and no tool."
            ))
            .hint("Stop on the side `before` or `after`."));
        }
    }
    if holds_no_branch(plan, node, breakpoint) {
        return Err(bad_breakpoint(format!(
            "The breakpoint `{id}` is after the loop `{name}`, where the whole run is held. It can't hold its branch alone."
        ))
        .hint("Set it before the node that takes the output of the loop, or after the last node in the loop."));
    }
    if let Some(problem) = problem_of_port(plan, node, breakpoint) {
        return Err(bad_breakpoint(format!("The breakpoint `{id}` is at {problem}"))
            .hint("Name an input of the node on the side `before`, or an output on the side `after`."));
    }
    if let Some(problem) = problem_of_edge(plan, node, breakpoint) {
        return Err(bad_breakpoint(format!("The breakpoint `{id}` is on {problem}")).hint(
            "Name an edge of the flow as `NODE.OUTPUT->NODE.INPUT`, or the output that it comes from.",
        ));
    }
    Ok(())
}

fn unknown_node(plan: &Plan, node: &NodeId, breakpoint: &Breakpoint) -> Fault {
    let message = format!("The breakpoint `{}` is at `{node}`, which its flow does not have.", breakpoint.id);
    let names = plan.nodes.iter().filter(|node| !node.is_border).map(|node| node.id.as_str());
    Fault::new(codes::DEBUG_UNKNOWN_NODE, message).hint(match similar_name(node.as_str(), names) {
        Some(similar) => format!("Did you mean `{similar}`?"),
        None => "Remove it, or name a node of the flow; `plait check` lists them.".to_owned(),
    })
}

/// Refuses a context that no node of the flow makes or names.
fn check_context(plan: &Plan, context: &ContextId, breakpoint: &Breakpoint) -> Result<(), Fault> {
    let names: Vec<&str> = plan
        .nodes
        .iter()
        .filter(|node| !node.is_border)
        .filter_map(|node| {
            let behavior = node.node.behavior();
            let own = || node.id.as_str();
            behavior.makes_context.then(|| behavior.context_id.as_deref().unwrap_or_else(own))
        })
        .collect();
    let name = context.as_str().split('#').next().unwrap_or_default();
    // A flow that is run by another one may work in a context of that one.
    if names.is_empty() || names.contains(&name) {
        return Ok(());
    }
    let message = format!(
        "The breakpoint `{}` waits for a change of the context `{context}`, which no node of its flow makes.",
        breakpoint.id
    );
    Err(bad_breakpoint(message).hint(match similar_name(name, names.iter().copied()) {
        Some(similar) => format!("Did you mean `{similar}`?"),
        None => format!("There are {}.", quoted(&names)),
    }))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Whether a node has the port or the edge of a breakpoint, if it is at one.
pub(super) fn has_place(plan: &Plan, node: NodeIx, breakpoint: &Breakpoint) -> bool {
    problem_of_port(plan, node, breakpoint).is_none() && problem_of_edge(plan, node, breakpoint).is_none()
}

/// Whether a breakpoint can't hold its branch alone: the outputs of a loop are delivered when it ends, so that only a stop of the whole
/// tree holds what follows from them.
pub(super) fn holds_no_branch(plan: &Plan, node: NodeIx, breakpoint: &Breakpoint) -> bool {
    !breakpoint.scope.is_tree()
        && breakpoint.event.is_none()
        && breakpoint.side == Side::After
        && plan.nodes[node].body.is_some()
}

/// Why a breakpoint at a port can never hold anything, as the end of a sentence.
fn problem_of_port(plan: &Plan, node: NodeIx, breakpoint: &Breakpoint) -> Option<String> {
    let spec = &plan.nodes[node];
    let id = &spec.id;
    if breakpoint.kind.is_some() && breakpoint.side == Side::Call {
        return Some(format!("an edge of `{id}`, but calls have no edges."));
    }
    if breakpoint.kind.is_some() && breakpoint.side == Side::Before && spec.body.is_some() {
        return Some(format!(
            "an edge to `{id}`, but `{id}` is a loop, which is held where its first iteration begins."
        ));
    }
    if breakpoint.from.is_some() {
        return None;
    }
    let port = breakpoint.port.as_ref()?;
    match breakpoint.side {
        Side::Call => Some(format!("`{id}.{port}`, but calls have no ports.")),
        Side::Before if spec.body.is_some() => Some(format!(
            "the input `{id}.{port}`, but `{id}` is a loop, which is held where its first iteration begins."
        )),
        side if has_port(spec, side, port) => None,
        Side::Before => Some(format!("the input `{id}.{port}`, which `{id}` does not have.")),
        Side::After => Some(format!("the output `{id}.{port}`, which `{id}` does not have.")),
    }
}

/// Why a breakpoint on an edge can never hold anything, as the end of a sentence.
fn problem_of_edge(plan: &Plan, node: NodeIx, breakpoint: &Breakpoint) -> Option<String> {
    let from = breakpoint.from.as_ref()?;
    let spec = &plan.nodes[node];
    let Some(port) = &breakpoint.port else {
        return Some("an edge that leads to no input.".to_owned());
    };
    let edge = format!("the edge from `{}.{}` to `{}.{port}`", from.node, from.port, spec.id);
    if breakpoint.side != Side::Before {
        return Some(format!("{edge}, which is on the side `before` of the node that it leads to."));
    }
    if spec.body.is_some() {
        return Some(format!(
            "{edge}, but `{}` is a loop, which is held where its first iteration begins.",
            spec.id
        ));
    }
    let sources = sources_of(plan, node, port);
    let is_there = sources.iter().any(|(source, port)| **source == from.node && **port == from.port);
    if !is_there {
        return Some(format!("{edge}, which the flow does not have."));
    }
    let is_of_border = edges_into(plan, node, port).any(|edge| {
        let source = &plan.nodes[edge.source];
        source.is_border && source.id == from.node && edge.port == from.port
    });
    (is_of_border && sources.len() > 1).then(|| {
        format!(
            "{edge}, but what comes from a loop's border can't be distinguished from what other edges bring."
        )
    })
}

/// The outputs that feed an input, as the flow has them: an edge into a loop comes from where it began.
fn sources_of<'p>(plan: &'p Plan, node: NodeIx, port: &PortName) -> Vec<(&'p NodeId, &'p PortName)> {
    let mut sources = Vec::new();
    for edge in edges_into(plan, node, port) {
        let source = &plan.nodes[edge.source];
        match plan.scopes[source.scope].container {
            Some(container) if source.is_border && is_entering(&edge.port) => {
                sources.extend(sources_of(plan, container.node, &edge.port));
            }
            _ => sources.push((&source.id, &edge.port)),
        }
    }
    sources
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
