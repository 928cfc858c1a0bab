//! Building a plan out of the pieces: wiring, forest, clocks, order, leases.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::lease;
use super::nesting::{self, Forest};
use super::order;
use super::restrict::restrict;
use super::wiring::{self, Wire, Wiring};
use super::{Cycle, Plan, PlanEdge, PlanNode, clock, makers};
use crate::diagnostic::{Diagnostic, Severity};
use crate::flow::{Flow, RetryPolicy};
use crate::id::{NodeId, PortName};
use crate::node::Registry;
use crate::port::ERROR_PORT;

/// How many activations run at once where the flow does not say: enough to hide the waiting of model calls, few enough
/// to stay below the rate limits of common providers.
const MAX_CONCURRENCY: u32 = 16;

/// Values given to ports that no edge feeds, by node and port.
pub type InputOverrides = BTreeMap<NodeId, BTreeMap<PortName, Arc<Value>>>;

/// Compiles a flow, restricted to `to` and what it depends on where given. All errors of [`check`](super::check), or a plan.
pub fn plan(
    flow: &Flow,
    registry: &Registry,
    to: Option<&NodeId>,
    given: &InputOverrides,
) -> Result<Plan, Vec<Diagnostic>> {
    if let Some(target) = to
        && !flow.nodes.contains_key(target)
    {
        return Err(vec![
            Diagnostic::error("run.unknown_target", "", format!("There is no node `{target}` to run to."))
                .hint("Name a node of the flow by its id."),
        ]);
    }
    let restricted = to.map(|target| restrict(flow, registry, target, given));
    // A value given to a node that this run does not need is no mistake.
    let needed = |id: &NodeId| {
        restricted.as_ref().is_none_or(|part| part.nodes.contains_key(id) || !flow.nodes.contains_key(id))
    };
    let given = &given.iter().filter(|(id, _)| needed(id)).map(|(id, it)| (id.clone(), it.clone())).collect();
    let flow = restricted.as_ref().unwrap_or(flow);
    let mut study = study(flow, registry, given);
    study.wiring.diagnostics.retain(|found| found.severity == Severity::Error);
    if !study.wiring.diagnostics.is_empty() {
        return Err(study.wiring.diagnostics);
    }
    let mut plan = assemble(study, given);
    plan.max_concurrency = flow.settings.max_concurrency.unwrap_or(MAX_CONCURRENCY) as usize;
    plan.context_window = flow.settings.window().unwrap_or_default();
    plan.target = to.and_then(|target| plan.find(target));
    if let Some(target) = plan.target {
        for (at, node) in plan.nodes.iter_mut().enumerate() {
            node.is_result = at == target;
        }
    }
    if to.is_some() && plan.target.is_none() {
        return Err(vec![Diagnostic::error(
            "run.unknown_target",
            "",
            "A comment or a portal is nothing to run to.",
        )]);
    }
    Ok(plan)
}

/// Everything that is known of a flow before it is a plan.
pub(super) struct Study {
    pub wiring: Wiring,
    pub forest: Forest,
    pub clocks: Vec<Vec<usize>>,
    /// Vertices in plan order.
    pub order: Vec<usize>,
    pub origins: Vec<lease::Origins>,
    pub groups: Vec<Vec<usize>>,
    /// Pairs that follow each other without an edge between them, so that a context is made before it is named.
    pub made_before: Vec<(usize, usize)>,
}

impl Study {
    /// Indices of the wires that are back edges.
    pub fn back_wires(&self) -> impl Iterator<Item = usize> + '_ {
        self.forest.nests.iter().flat_map(|nest| nest.back.iter().copied())
    }
}

/// Studies a flow; what is wrong with it is in `wiring.diagnostics`.
pub(super) fn study(flow: &Flow, registry: &Registry, given: &InputOverrides) -> Study {
    let mut wiring = wiring::wire(flow, registry);
    wiring.diagnostics.extend(flow.settings.window().err());
    wiring.diagnostics.extend(flow.settings.concurrency().err());
    let fed = super::check::unfed_ports(&wiring, given);
    wiring.diagnostics.extend(fed);
    let mut forest = nesting::nest(&wiring);
    wiring.diagnostics.append(&mut forest.diagnostics);
    if forest.refused {
        return Study {
            wiring,
            forest: Forest::default(),
            clocks: vec![],
            order: vec![],
            origins: vec![],
            groups: vec![],
            made_before: vec![],
        };
    }
    let mut is_back = vec![false; wiring.wires.len()];
    for nest in &forest.nests {
        for &wire in &nest.back {
            is_back[wire] = true;
        }
    }
    let forward: Vec<usize> = (0..wiring.wires.len()).filter(|&wire| !is_back[wire]).collect();
    let ends: Vec<(usize, usize)> =
        forward.iter().map(|&wire| (wiring.wires[wire].source, wiring.wires[wire].target)).collect();
    let vertices = wiring.vertices.len();
    let (clocks, mixed) = clock::clocks(&wiring, &forest, &forward, &order::topological(vertices, &ends));
    wiring.diagnostics.extend(mixed);
    let told = makers::told(&wiring, given);
    let named = makers::by_name(&wiring, &clocks);
    let mut made_before = makers::before(&told, &named);
    let early = makers::too_early(&wiring, &ends, &made_before);
    if !early.is_empty() {
        wiring.diagnostics.extend(early);
        made_before.clear();
    }
    let order = order::plan_order(vertices, &forest, &clocks, ends.iter().chain(&made_before).copied());
    let doubled = super::feeds::doubly_fed(&wiring, &forward, &order);
    wiring.diagnostics.extend(doubled);
    let addressed = lease::addressed(&wiring, &told, &named);
    let origins = lease::origins(&wiring, &addressed, &order);
    let used = lease::used(&wiring, &origins, &addressed);
    let groups = lease::groups(&used, &order);
    made_before.extend(lease::made_in_turn(&wiring, &addressed, &clocks, &order));
    let shared = super::check::shared_contexts(&wiring, &forest, &clocks, &groups);
    wiring.diagnostics.extend(shared);
    let named = makers::named_contexts(&wiring, &clocks);
    wiring.diagnostics.extend(named);
    Study { wiring, forest, clocks, order, origins, groups, made_before }
}

/// Turns a study without errors into a plan.
fn assemble(study: Study, given: &InputOverrides) -> Plan {
    let back: FxHashMap<usize, usize> = study
        .forest
        .nests
        .iter()
        .enumerate()
        .flat_map(|(nest, found)| found.back.iter().map(move |&wire| (wire, nest)))
        .collect();
    let Study { wiring, forest, clocks, order, groups, made_before, .. } = study;
    let mut place = vec![0; wiring.vertices.len()];
    for (at, &vertex) in order.iter().enumerate() {
        place[vertex] = at;
    }
    let mut edges = value_edges(&wiring, &clocks, &place, &back);
    edges.extend(turn_edges(&forest, &clocks, &place, &groups));
    edges.extend(made_before.iter().map(|&(source, target)| waits(source, target, None, &clocks, &place)));
    edges.sort_by_key(|edge| edge.source);
    let results = results(&wiring, &back);
    let mut plan = Plan {
        nodes: nodes(wiring, &forest, &clocks, &order, &results, given),
        cycles: cycles(&forest, &place),
        edges,
        root: Vec::new(),
        target: None,
        max_concurrency: 1,
        context_window: None,
        index: FxHashMap::default(),
    };
    link(&mut plan);
    plan
}

fn common(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn value_edges(
    wiring: &Wiring,
    clocks: &[Vec<usize>],
    place: &[usize],
    back: &FxHashMap<usize, usize>,
) -> Vec<PlanEdge> {
    let edge = |(at, wire): (usize, &Wire)| PlanEdge {
        source: place[wire.source],
        port: Some(wire.source_port.clone()),
        target: place[wire.target],
        target_port: wire.target_port,
        level: common(&clocks[wire.source], &clocks[wire.target]),
        back: back.get(&at).copied(),
    };
    wiring.wires.iter().enumerate().map(edge).collect()
}

/// An edge that carries nothing and only makes its target wait.
fn waits(
    source: usize,
    target: usize,
    back: Option<usize>,
    clocks: &[Vec<usize>],
    place: &[usize],
) -> PlanEdge {
    PlanEdge {
        source: place[source],
        port: None,
        target: place[target],
        target_port: 0,
        level: common(&clocks[source], &clocks[target]),
        back,
    }
}

/// Edges without a value between those that share a context, each to the next in plan order; and from a follower back to
/// the cycle it follows, so that the next round's turns come after its own.
fn turn_edges(
    forest: &Forest,
    clocks: &[Vec<usize>],
    place: &[usize],
    groups: &[Vec<usize>],
) -> Vec<PlanEdge> {
    let mut edges = Vec::new();
    let mut edge = |source: usize, target: usize, back: Option<usize>| {
        edges.push(waits(source, target, back, clocks, place));
    };
    for group in groups {
        for pair in group.windows(2) {
            edge(pair[0], pair[1], None);
        }
        for &vertex in group {
            if forest.around[vertex].is_empty()
                && let Some(&nest) = clocks[vertex].last()
            {
                edge(vertex, forest.nests[nest].entry, Some(nest));
            }
        }
    }
    edges
}

/// Whose outputs are the run's: the outputs that were drawn, else those that feed nothing. Where that is nobody, since all of
/// it is cycles, those that feed only the next round.
fn results(wiring: &Wiring, back: &FxHashMap<usize, usize>) -> Vec<bool> {
    let drawn: Vec<_> = wiring.vertices.iter().map(|vertex| vertex.node.behavior().is_output).collect();
    let mut last = vec![true; drawn.len()];
    let mut last_of_round = last.clone();
    for (at, wire) in wiring.wires.iter().enumerate() {
        last[wire.source] = false;
        last_of_round[wire.source] &= back.contains_key(&at);
    }
    let kinds = [drawn, last];
    kinds.into_iter().find(|kind| kind.contains(&true)).unwrap_or(last_of_round)
}

fn nodes(
    wiring: Wiring,
    forest: &Forest,
    clocks: &[Vec<usize>],
    order: &[usize],
    results: &[bool],
    given: &InputOverrides,
) -> Vec<PlanNode> {
    let mut vertices: Vec<_> = wiring.vertices.into_iter().map(Some).collect();
    let mut handled = vec![false; vertices.len()];
    for wire in &wiring.wires {
        handled[wire.source] |= wire.source_port.as_str() == ERROR_PORT;
    }
    let node = |&at: &usize| {
        let vertex = vertices[at].take()?;
        let ports = &vertex.node.ports().inputs;
        let given = given.get(&vertex.id).into_iter().flatten().filter_map(|(port, value)| {
            Some((ports.iter().position(|input| input.name == *port)?, Arc::clone(value)))
        });
        let once = vertex.node.behavior().tries_inside;
        Some(PlanNode {
            must_first: ports.iter().map(|port| port.required).collect(),
            must_later: ports.iter().map(|port| port.required).collect(),
            given: given.collect(),
            clock: clocks[at].iter().copied().collect(),
            follows: forest.around[at].is_empty() && !clocks[at].is_empty(),
            incoming: Vec::new(),
            outgoing: Vec::new(),
            handles_error: handled[at],
            is_result: results[at],
            retry: vertex
                .retry
                .or_else(|| once.then(|| RetryPolicy { attempts: 1, ..RetryPolicy::default() })),
            timeout_ms: vertex.limits.timeout_ms,
            id: vertex.id,
            node: vertex.node,
        })
    };
    order.iter().filter_map(node).collect()
}

fn cycles(forest: &Forest, place: &[usize]) -> Vec<Cycle> {
    let mut cycles: Vec<Cycle> = Vec::with_capacity(forest.nests.len());
    for nest in &forest.nests {
        let depth = nest.parent.map_or(0, |parent| cycles[parent].depth + 1);
        cycles.push(Cycle {
            entry: place[nest.entry],
            parent: nest.parent,
            depth,
            nodes: Vec::new(),
            inner: Vec::new(),
            back: Vec::new(),
            exits: Vec::new(),
            max_epochs: nest.max_epochs,
        });
    }
    for (at, nest) in forest.nests.iter().enumerate() {
        if let Some(parent) = nest.parent {
            cycles[parent].inner.push(at);
        }
    }
    cycles
}

/// Fills in who is joined to whom.
fn link(plan: &mut Plan) {
    plan.index = plan.nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
    for at in 0..plan.nodes.len() {
        match plan.nodes[at].clock.last() {
            Some(&cycle) => plan.cycles[cycle].nodes.push(at),
            None => plan.root.push(at),
        }
    }
    for at in 0..plan.edges.len() {
        let (source, target, back) = (plan.edges[at].source, plan.edges[at].target, plan.edges[at].back);
        plan.nodes[source].outgoing.push(at);
        if plan.edges[at].port.is_some() {
            let port = plan.edges[at].target_port;
            let node = &mut plan.nodes[target];
            if node.node.ports().inputs[port].required_when_fed {
                node.must_later[port] = true;
                node.must_first[port] |= back.is_none();
            }
        }
        match back {
            Some(cycle) => plan.cycles[cycle].back.push(at),
            None => plan.nodes[target].incoming.push(at),
        }
        if let Some(cycle) = plan.collapses(at) {
            plan.cycles[cycle].exits.push(at);
        }
    }
}
