//! Phase 5, the plan: an analysis without errors, turned into what the scheduler works on.

use crate::error::ErrorCode;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::analysis::{Analysis, analyze};
use super::clocks::Clocks;
use super::context_names::{ContextDeclaration, ContextTable};
use super::context_roles::{ContextRoles, ContextSource, PlanContexts};
use super::graph::common_prefix_length;
use super::input_overrides::InputOverrides;
use super::nesting::Nesting;
use super::restrict::restrict;
use super::wiring::{BoundFlow, Wiring};
use super::{Cycle, Plan, PlanEdge, PlanNode};
use crate::diagnostic::{Diagnostic, Severity};
use crate::flow::{Flow, RetryPolicy};
use crate::id::NodeId;
use crate::memory::MemorySettings;
use crate::node::Registry;
use crate::port::ERROR_PORT;

/// How many activations run at once if the flow does not say: enough to hide the latency of model calls, few enough to stay
/// below the rate limits of common providers.
const DEFAULT_MAX_CONCURRENCY: u32 = 16;

/// After how many epochs in a row without a question a cycle without `limits.maxEpochs` ends if the flow does not say: more
/// than a model needs to correct itself, few enough that a mistake stays cheap.
const DEFAULT_MAX_UNATTENDED_EPOCHS: u32 = 100;

/// Compiles a flow; with a `target`, only the target and what it depends on. Returns the plan, or all errors of
/// [`check`](super::check()).
pub fn plan(
    flow: &Flow,
    registry: &Registry,
    target: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<Plan, Vec<Diagnostic>> {
    let settings = &flow.settings;
    let (analysis, overrides) = prepare(BoundFlow::new(flow, registry), registry, target, overrides)?;
    let mut plan = assemble(analysis, &overrides, settings.memory.clone().unwrap_or_default());
    plan.max_concurrency = settings.max_concurrency.unwrap_or(DEFAULT_MAX_CONCURRENCY) as usize;
    plan.max_unattended_epochs = settings.max_unattended_epochs.unwrap_or(DEFAULT_MAX_UNATTENDED_EPOCHS);
    plan.folders = settings.folders.as_slice().into();
    plan.context_window = settings.window().unwrap_or_default();
    if let Some(target) = target.and_then(|id| plan.find(id)) {
        plan.target = Some(target);
        for (at, node) in plan.nodes.iter_mut().enumerate() {
            node.is_result = at == target;
        }
    }
    Ok(plan)
}

/// Whether [`plan()`] would succeed, or its errors.
pub fn check_plan(
    flow: BoundFlow<'_>,
    registry: &Registry,
    target: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<(), Vec<Diagnostic>> {
    prepare(flow, registry, target, overrides).map(|_| ())
}

/// The analysis of a flow, or of the part of it that a target needs, and the overrides of the nodes in it.
fn prepare(
    flow: BoundFlow<'_>,
    registry: &Registry,
    target: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<(Analysis, InputOverrides), Vec<Diagnostic>> {
    let not_a_target = |message: String| Diagnostic::error(ErrorCode::RunUnknownTarget, "", message);
    let nodes = &flow.flow.nodes;
    if let Some(target) = target.filter(|target| !nodes.contains_key(*target)) {
        let found = not_a_target(format!("There is no node `{target}` to run to."));
        return Err(vec![found.hint("Use the id of a node in the flow.")]);
    }
    let restricted = target.map(|target| restrict(&flow, target, overrides));
    // Overrides of nodes that this run does not need are no error.
    let is_needed = |id: &NodeId| {
        restricted.as_ref().is_none_or(|part| part.nodes.contains_key(id) || !nodes.contains_key(id))
    };
    let needed = overrides.iter().filter(|(id, _)| is_needed(id));
    let overrides: InputOverrides = needed.map(|(id, values)| (id.clone(), values.clone())).collect();
    let flow = restricted.as_ref().map_or(flow, |part| BoundFlow::new(part, registry));
    // Which flows its nodes run is decided when they run, so any of them may ask.
    let mut analysis = analyze(flow, &overrides, &BTreeSet::new());
    analysis.diagnostics.retain(|found| found.severity == Severity::Error);
    if !analysis.diagnostics.is_empty() {
        return Err(analysis.diagnostics);
    }
    let vertices = &analysis.wiring.vertices;
    match target.filter(|target| vertices.binary_search_by(|vertex| vertex.id.cmp(target)).is_err()) {
        Some(id) => Err(vec![not_a_target(format!("Can't run to `{id}`: it is a comment or a portal."))]),
        None => Ok((analysis, overrides)),
    }
}

fn assemble(analysis: Analysis, overrides: &InputOverrides, memory: MemorySettings) -> Plan {
    let Analysis { wiring, nesting, clocks, contexts, turns, .. } = analysis;
    let mut position = vec![0; wiring.vertices.len()];
    for (at, &vertex) in turns.order.iter().enumerate() {
        position[vertex] = at;
    }
    let mut wires: Vec<_> = wiring.wires.iter().enumerate().collect();
    wires.sort_by_key(|(_, wire)| (position[wire.source], &wire.edge));
    let values = wires.into_iter().map(|(at, wire)| PlanEdge {
        source: position[wire.source],
        port: wire.source_port.clone(),
        target: position[wire.target],
        target_port: wire.target_port,
        level: common_prefix_length(clocks.of(wire.source), clocks.of(wire.target)),
        back: nesting.back_wires.get(&at).copied(),
    });
    let edges: Vec<PlanEdge> = values.collect();
    let plan_contexts = build_contexts(&contexts, &clocks, &position);
    let is_result = find_results(&wiring, &nesting);
    let mut plan = Plan {
        cycles: build_cycles(&nesting, &position),
        nodes: build_nodes(wiring, &nesting, &clocks, &turns.order, &is_result, overrides),
        contexts: plan_contexts,
        edges,
        root: Vec::new(),
        target: None,
        max_concurrency: 1,
        max_unattended_epochs: DEFAULT_MAX_UNATTENDED_EPOCHS,
        context_window: None,
        memory: Arc::new(memory),
        folders: Arc::default(),
        index: FxHashMap::default(),
    };
    link(&mut plan);
    assign_contexts(&mut plan, contexts, &turns.order, &position);
    plan
}

/// By vertex, whether its outputs are the run's: of nodes of an output type; without any, of nodes that feed nothing; without
/// any of these (the flow is all cycles), of nodes that feed only the next epoch.
fn find_results(wiring: &Wiring, nesting: &Nesting) -> Vec<bool> {
    let is_output: Vec<_> = wiring.vertices.iter().map(|vertex| vertex.node.behavior().is_output).collect();
    let mut feeds_nothing = vec![true; is_output.len()];
    let mut feeds_next_epoch_only = feeds_nothing.clone();
    for (at, wire) in wiring.wires.iter().enumerate() {
        feeds_nothing[wire.source] = false;
        feeds_next_epoch_only[wire.source] &= nesting.back_wires.contains_key(&at);
    }
    let choices = [is_output, feeds_nothing];
    choices.into_iter().find(|choice| choice.contains(&true)).unwrap_or(feeds_next_epoch_only)
}

fn build_nodes(
    wiring: Wiring,
    nesting: &Nesting,
    clocks: &Clocks,
    order: &[usize],
    is_result: &[bool],
    overrides: &InputOverrides,
) -> Vec<PlanNode> {
    let mut vertices: Vec<_> = wiring.vertices.into_iter().map(Some).collect();
    let mut handles_error = vec![false; vertices.len()];
    for wire in &wiring.wires {
        handles_error[wire.source] |= wire.source_port.as_str() == ERROR_PORT;
    }
    let node = |&at: &usize| {
        let vertex = vertices[at].take()?;
        let inputs = &vertex.node.ports().inputs;
        let overrides = overrides.get(&vertex.id).into_iter().flatten().filter_map(|(port, value)| {
            Some((inputs.iter().position(|input| input.name == *port)?, Arc::clone(value)))
        });
        let single_attempt = || RetryPolicy { attempts: 1, ..RetryPolicy::default() };
        let retries_itself = vertex.node.behavior().has_inner_retries;
        Some(PlanNode {
            required_first: inputs.iter().map(|input| input.required).collect(),
            required_later: inputs.iter().map(|input| input.required).collect(),
            overrides: overrides.collect(),
            clock: clocks.of(at).iter().copied().collect(),
            is_follower: clocks.is_follower(at, nesting),
            incoming: SmallVec::new(),
            outgoing: SmallVec::new(),
            contexts: ContextRoles::default(),
            context_source: ContextSource::Edge,
            handles_error: handles_error[at],
            is_result: is_result[at],
            retry: vertex.retry.or_else(|| retries_itself.then(single_attempt)),
            timeout_ms: vertex.limits.timeout_ms,
            id: vertex.id,
            node: vertex.node,
        })
    };
    let mut nodes = Vec::with_capacity(order.len());
    nodes.extend(order.iter().filter_map(node));
    nodes
}

fn build_cycles(nesting: &Nesting, position: &[usize]) -> Vec<Cycle> {
    let mut cycles: Vec<Cycle> = Vec::with_capacity(nesting.cycles.len());
    for (at, cycle) in nesting.cycles.iter().enumerate() {
        let depth = cycle.parent.map_or(0, |parent| cycles[parent].depth + 1);
        if let Some(parent) = cycle.parent {
            cycles[parent].inner.push(at);
        }
        cycles.push(Cycle {
            entry: position[cycle.entry],
            parent: cycle.parent,
            depth,
            position: position[cycle.entry],
            contexts: ContextRoles::default(),
            context_followers: Vec::new(),
            nodes: Vec::new(),
            inner: Vec::new(),
            back: Vec::new(),
            exits: Vec::new(),
            max_epochs: cycle.max_epochs,
        });
    }
    cycles
}

/// Fills in what nodes and cycles know of the edges, and cycles of their nodes.
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
        let port = plan.edges[at].target_port;
        let node = &mut plan.nodes[target];
        if node.node.ports().inputs[port].required_when_fed {
            node.required_later[port] = true;
            node.required_first[port] |= back.is_none();
        }
        match back {
            Some(cycle) => plan.cycles[cycle].back.push(at),
            None => plan.nodes[target].incoming.push(at),
        }
        if let Some(cycle) = plan.cycle_left_by(at) {
            plan.cycles[cycle].exits.push(at);
        }
    }
}

/// Numbers the contexts that the flow makes.
fn build_contexts(table: &ContextTable, clocks: &Clocks, position: &[usize]) -> PlanContexts {
    let mut contexts = PlanContexts::default();
    for (vertex, row) in table.rows.iter().enumerate() {
        let Some(name) = &row.declared.makes else { continue };
        let runs_once = clocks.runs_once(vertex);
        let names = if runs_once { &mut contexts.made_once } else { &mut contexts.made_per_epoch };
        names.insert(name.clone(), contexts.makers.len());
        contexts.makers.push(position[vertex]);
    }
    contexts
}

/// Fills in which contexts the nodes and cycles make and may work in.
fn assign_contexts(plan: &mut Plan, table: ContextTable, order: &[usize], position: &[usize]) {
    let mut context_of = vec![None; plan.nodes.len()];
    for (context, &maker) in plan.contexts.makers.iter().enumerate() {
        context_of[maker] = Some(context);
    }
    let mut rows: Vec<_> = table.rows.into_iter().map(Some).collect();
    for (at, &vertex) in order.iter().enumerate() {
        let Some(row) = rows[vertex].take() else { continue };
        let makers = row.works_in.known().iter();
        let roles = ContextRoles {
            makes: context_of[at].into_iter().collect(),
            works_in: makers.filter_map(|&maker| context_of[position[maker]]).collect(),
            works_in_any: row.works_in.is_any(),
            memory: plan.nodes[at].node.behavior().memory.mode(&plan.memory),
        };
        if !roles.is_empty() {
            let node = &plan.nodes[at];
            for &cycle in node.place() {
                plan.cycles[cycle].contexts.merge(&roles);
            }
            for &cycle in &node.clock[node.place().len()..] {
                plan.cycles[cycle].context_followers.push(at);
            }
        }
        plan.nodes[at].contexts = roles;
        plan.nodes[at].context_source = context_source(row.declared);
    }
    for cycle in &mut plan.cycles {
        cycle.contexts.deduplicate();
    }
}

fn context_source(declared: ContextDeclaration) -> ContextSource {
    match (declared.names, declared.input) {
        (Some(name), _) => ContextSource::Name(name),
        (None, Some(input)) => ContextSource::Input(input.into()),
        (None, None) => ContextSource::Edge,
    }
}
