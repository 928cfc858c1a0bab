//! How often the nodes of a plan run: the loops and cycles around each, and how many iterations of them a dry run looks at.

use std::collections::BTreeSet;

use super::observed::{Observed, RepeaterKey};
use plait_core::port::PortKind;
use plait_run::node::{LoopKind, LoopSpec};
use plait_run::plan::{CycleIx, NodeIx, Plan};

/// The most iterations of one loop or cycle that a dry run looks at: enough for a history to reach its bounds.
const MAX_ITERATIONS: u32 = 100;
/// The fewest: enough to see how a prompt grows.
const MIN_ITERATIONS: u32 = 4;
/// The most iterations of nested loops together.
const MAX_NESTED_ITERATIONS: u64 = 400;

/// A loop or a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Repeater {
    Loop(NodeIx),
    Cycle(CycleIx),
}

/// How many iterations there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Iterations {
    /// The most. Nothing if only people end it.
    pub at_most: Option<u64>,
    /// Whether it is exactly that many.
    pub is_exact: bool,
    /// Whether a dry run saw all of them.
    pub is_complete: bool,
}

/// The loops and cycles around a node, outermost first. A loop is not around itself.
pub(super) fn around(plan: &Plan, node: NodeIx) -> Vec<Repeater> {
    let mut around = Vec::new();
    let mut at = node;
    loop {
        around.extend(plan.nodes[at].clock.iter().rev().map(|&cycle| Repeater::Cycle(cycle)));
        let Some(container) = plan.scopes[plan.nodes[at].scope].container else { break };
        around.push(Repeater::Loop(container.node));
        at = container.node;
    }
    around.reverse();
    around
}

/// The number of iterations that a dry run looks at, by loop and by cycle: all of short ones, and fewer of loops that
/// have others inside.
pub(super) struct Caps {
    pub loops: Vec<u32>,
    pub cycles: Vec<u32>,
}

impl Caps {
    pub fn of(plan: &Plan) -> Self {
        let mut caps = Self { loops: vec![1; plan.nodes.len()], cycles: vec![1; plan.cycles.len()] };
        // The iterations inside of one iteration, by repeater.
        let mut inside_loops = vec![1_u64; plan.nodes.len()];
        let mut inside_cycles = vec![1_u64; plan.cycles.len()];
        // Inner ones come after those around them, so from the last to the first.
        let mut repeaters: Vec<(Vec<Repeater>, Repeater)> = Vec::new();
        for (node, spec) in plan.nodes.iter().enumerate() {
            if spec.body.is_some() {
                repeaters.push((around(plan, node), Repeater::Loop(node)));
            }
        }
        for (index, cycle) in plan.cycles.iter().enumerate() {
            let mut outside = around(plan, cycle.entry);
            if let Some(at) = outside.iter().position(|one| *one == Repeater::Cycle(index)) {
                outside.truncate(at);
            }
            repeaters.push((outside, Repeater::Cycle(index)));
        }
        repeaters.sort_by_key(|(outside, _)| std::cmp::Reverse(outside.len()));
        for (outside, repeater) in repeaters {
            let inside = match repeater {
                Repeater::Loop(node) => inside_loops[node],
                Repeater::Cycle(cycle) => inside_cycles[cycle],
            };
            let affordable = u32::try_from(MAX_NESTED_ITERATIONS / inside).unwrap_or(u32::MAX);
            let bound = bound(plan, repeater).unwrap_or(MAX_ITERATIONS);
            let cap = bound.min(affordable.clamp(MIN_ITERATIONS, MAX_ITERATIONS)).max(1);
            let weight = inside.saturating_mul(cap.into());
            match repeater {
                Repeater::Loop(node) => caps.loops[node] = cap,
                Repeater::Cycle(cycle) => caps.cycles[cycle] = cap,
            }
            match outside.last() {
                Some(Repeater::Loop(node)) => inside_loops[*node] = inside_loops[*node].max(weight),
                Some(Repeater::Cycle(cycle)) => inside_cycles[*cycle] = inside_cycles[*cycle].max(weight),
                None => {}
            }
        }
        caps
    }
}

/// The bound that the flow sets.
fn bound(plan: &Plan, repeater: Repeater) -> Option<u32> {
    match repeater {
        Repeater::Loop(node) => {
            let LoopSpec { kind, max_iterations, .. } = plan.nodes[node].node.behavior().repeats.clone()?;
            Some(match kind {
                LoopKind::Times(times) => times.min(max_iterations),
                LoopKind::While { .. } | LoopKind::ForEach { .. } => max_iterations,
            })
        }
        Repeater::Cycle(cycle) => {
            let spec = &plan.cycles[cycle];
            spec.max_epochs.or_else(|| (!asks(plan, cycle)).then_some(plan.max_unattended_epochs))
        }
    }
}

/// Whether a person may be asked in a cycle, so that it may go on for ever.
fn asks(plan: &Plan, cycle: CycleIx) -> bool {
    let spec = &plan.cycles[cycle];
    let own = spec.nodes.iter().any(|&node| {
        let behavior = plan.nodes[node].node.behavior();
        behavior.pauses
            || behavior.calls.is_some()
            || plan.nodes[node].body.is_some_and(|body| {
                plan.scopes[body].nodes.clone().any(|inner| plan.nodes[inner].node.behavior().pauses)
            })
    });
    own || spec.inner.iter().any(|&inner| asks(plan, inner))
}

/// Whether an edge brings tools to a node.
pub(super) fn feeds_tools(plan: &Plan, node: NodeIx) -> bool {
    let ports = &plan.nodes[node].node.ports().inputs;
    let is_tools = |edge: &usize| {
        let port = ports.get(plan.edges[*edge].target_port);
        port.is_some_and(|port| port.kind == PortKind::Tools)
    };
    plan.nodes[node].incoming.iter().any(is_tools)
}

/// What ends loops besides their own count, by loop: an edge to `exit`, or a model with tools.
pub(super) struct Exits(BTreeSet<NodeIx>);

impl Exits {
    pub fn of(plan: &Plan) -> Self {
        let mut exits = BTreeSet::new();
        for scope in &plan.scopes {
            let Some(container) = scope.container else { continue };
            let inputs = &plan.nodes[container.end].node.ports().inputs;
            let has_exit = plan.nodes[container.end].incoming.iter().any(|&edge| {
                inputs.get(plan.edges[edge].target_port).is_some_and(|port| port.name.as_str() == "exit")
            });
            let has_tools = scope.nodes.clone().any(|node| feeds_tools(plan, node));
            if has_exit || has_tools {
                exits.insert(container.node);
            }
        }
        Self(exits)
    }
}

/// How many iterations a loop or cycle has, after a dry run of `plan`.
pub(super) fn iterations(
    plan: &Plan,
    repeater: Repeater,
    observed: &Observed,
    exits: &Exits,
    bounds: &Bounds,
) -> Iterations {
    let key = key(plan, repeater);
    let id = &key.0;
    let seen = observed.iterations.get(&key).copied().unwrap_or_default();
    match repeater {
        Repeater::Cycle(cycle) => {
            // The first epoch of a cycle has no event.
            let seen = seen.max(1);
            let at_most = bounds.cycles[cycle].map(u64::from);
            if observed.exhausted.contains(&key) {
                return Iterations { at_most, is_exact: false, is_complete: at_most == Some(seen) };
            }
            Iterations { at_most: Some(seen), is_exact: !observed.is_cut, is_complete: !observed.is_cut }
        }
        Repeater::Loop(node) => {
            let at_most = bounds.loops[node].map(u64::from);
            let kind = plan.nodes[node].node.behavior().repeats.as_ref().map(|spec| spec.kind);
            let can_exit = exits.0.contains(&node);
            let (at_most, is_exact) = match kind {
                Some(LoopKind::Times(_)) => (at_most, !can_exit),
                Some(LoopKind::ForEach { .. }) => match observed.items.get(&node).copied().flatten() {
                    Some(items) => (at_most.map(|bound| bound.min(items)), !can_exit),
                    None => (at_most, false),
                },
                _ if !observed.exhausted.contains(&key) && !observed.untested.contains(id) && seen > 0 => {
                    (Some(seen), !can_exit)
                }
                _ => (at_most, false),
            };
            Iterations { at_most, is_exact, is_complete: !observed.is_cut && at_most == Some(seen) }
        }
    }
}

fn key(plan: &Plan, repeater: Repeater) -> RepeaterKey {
    match repeater {
        Repeater::Loop(node) => {
            let spec = &plan.nodes[node];
            (spec.id.clone(), plan.scopes[spec.scope].depth + spec.clock.len() + 1)
        }
        Repeater::Cycle(cycle) => {
            let spec = &plan.cycles[cycle];
            (plan.nodes[spec.entry].id.clone(), spec.depth + 1)
        }
    }
}

/// The bounds that the flow sets, by node and by cycle.
pub(super) struct Bounds {
    loops: Vec<Option<u32>>,
    cycles: Vec<Option<u32>>,
}

impl Bounds {
    pub fn of(plan: &Plan) -> Self {
        let loops = (0..plan.nodes.len()).map(|node| bound(plan, Repeater::Loop(node)));
        let cycles = (0..plan.cycles.len()).map(|cycle| bound(plan, Repeater::Cycle(cycle)));
        Self { loops: loops.collect(), cycles: cycles.collect() }
    }
}
