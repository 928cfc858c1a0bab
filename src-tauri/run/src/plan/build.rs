//! Phase 5, the plan: an analysis without errors, turned into what the scheduler works on.
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::analysis::{Analysis, ScopeAnalysis, analyze};
use super::clocks::Clocks;
use super::context_names::{ContextDeclaration, ContextTable};
use super::context_roles::{ContextIx, ContextRoles, ContextSource, OuterContext, PlanContexts};
use super::graph::common_prefix_length;
use super::input_overrides::InputOverrides;
use super::nesting::Nesting;
use super::restrict::restrict;
use super::wiring::{BoundFlow, Vertex, Wire, Wiring, is_entering};
use super::{
    Container, Cycle, CycleIx, EdgeIx, NodeIx, Plan, PlanEdge, PlanNode, PlanScope, ROOT_SCOPE, ScopeIx,
    quota_branches, summarizers,
};
use crate::codes;
use crate::node::Registry;
use plait_core::config;
use plait_core::diagnostic::{Diagnostic, Severity};
use plait_core::flow::{Flow, MemoryMode, MemorySettings, RetryPolicy};
use plait_core::id::{ContextId, NodeId, PortName};
use plait_core::port::ERROR_PORT;
use plait_core::quota::FlowQuotas;

/// A flow compiled for running, with what its checks need to know.
pub struct PlannedFlow {
    pub plan: Plan,
    /// The node that makes the context of each node, as [`CheckedFlow::contexts`](super::CheckedFlow::contexts).
    pub contexts: BTreeMap<NodeId, NodeId>,
}

/// Compiles a flow; with a `target`, only the target and what it depends on. Returns the plan, or all errors of
/// [`check`](super::check()).
pub fn plan(
    flow: &Flow,
    registry: &Registry,
    target: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<Plan, Vec<Diagnostic>> {
    let planned = plan_bound(BoundFlow::new(flow, registry), registry, target, overrides)?;
    Ok(planned.plan)
}

/// Compiles a flow whose nodes are bound already, as [`plan()`] does.
pub fn plan_bound(
    flow: BoundFlow<'_>,
    registry: &Registry,
    target: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<PlannedFlow, Vec<Diagnostic>> {
    let document = flow.flow;
    let settings = &document.settings;
    let (analysis, overrides) = prepare(flow, registry, target, overrides)?;
    let contexts = analysis.root.context_makers();
    let mut plan = assemble(analysis, &overrides, settings.memory.clone().unwrap_or_default());
    plan.max_concurrency = config::max_concurrency(settings);
    plan.max_unattended_epochs = config::max_unattended_epochs(settings);
    plan.quotas = settings.quotas.clone();
    plan.folders = settings.folders.as_slice().into();
    plan.default_summarizer = config::default_summarizer(settings).map(Arc::new);
    plan.summarizers = summarizers::agents(document, plan.default_summarizer.as_deref());
    plan.context_window = settings.window().unwrap_or_default();
    if let Some(target) = target.and_then(|id| plan.find(id)) {
        plan.target = Some(target);
        for (at, node) in plan.nodes.iter_mut().enumerate() {
            node.is_result = at == target;
        }
    }
    Ok(PlannedFlow { plan, contexts })
}

/// The analysis of a flow, or of the part of it that a target needs, and the overrides of the nodes in it.
fn prepare(
    flow: BoundFlow<'_>,
    registry: &Registry,
    target: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<(Analysis, InputOverrides), Vec<Diagnostic>> {
    let not_a_target = |message: String| Diagnostic::error(codes::RUN_UNKNOWN_TARGET, "", message);
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
    let runs = |target: &&NodeId| analysis.root.scopes().iter().any(|scope| scope.wiring.runs(target));
    match target.filter(|target| !runs(target)) {
        Some(id) => Err(vec![not_a_target(format!(
            "Can't run to `{id}`: it is a comment, a portal, disabled, inside of a pinned loop or reached by another trigger only."
        ))]),
        None => Ok((analysis, overrides)),
    }
}

/// By loop and input, the edge into it.
type Entering = FxHashMap<(NodeIx, PortName), EdgeIx>;

/// A scope to be assembled.
struct ScopeParts {
    analysis: ScopeAnalysis,
    /// The loop around it.
    container: Option<NodeIx>,
    depth: usize,
    /// The position of its first node.
    first: NodeIx,
    /// By vertex, the position in the plan.
    position: Vec<NodeIx>,
    /// By vertex, the scope of its body.
    bodies: BTreeMap<usize, ScopeIx>,
}

fn assemble(analysis: Analysis, overrides: &InputOverrides, memory: MemorySettings) -> Plan {
    let mut plan = Plan {
        nodes: Vec::new(),
        edges: Vec::new(),
        cycles: Vec::new(),
        scopes: Vec::new(),
        target: None,
        max_concurrency: 1,
        max_unattended_epochs: config::DEFAULT_MAX_UNATTENDED_EPOCHS,
        context_window: None,
        memory: Arc::new(memory),
        last_memory_reader: None,
        folders: Arc::default(),
        summarizers: BTreeMap::new(),
        has_conversations: false,
        splits: Vec::new(),
        quotas: FlowQuotas::default(),
        default_summarizer: None,
        index: FxHashMap::default(),
    };
    let parts = number_scopes(analysis.root);
    let has_output = parts.iter().any(|part| part.analysis.wiring.vertices.iter().any(is_output));
    let memory = memory_modes(&parts, &plan.memory);
    let mut entering = FxHashMap::default();
    for (at, part) in parts.into_iter().enumerate() {
        add_scope(&mut plan, at, part, overrides, has_output, &memory, &mut entering);
    }
    plan.index = plan
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| !node.is_border)
        .map(|(at, node)| (node.id.clone(), at))
        .collect();
    plan.has_conversations = plan.nodes.iter().any(|node| node.node.behavior().conversation.is_some());
    let reads = |node: &PlanNode| node.scope == ROOT_SCOPE && node.contexts.memory.reads();
    plan.last_memory_reader = plan.nodes.iter().rposition(reads);
    quota_branches::assign(&mut plan);
    plan
}

/// Gives every node of every scope its position, outer scopes first.
fn number_scopes(root: ScopeAnalysis) -> Vec<ScopeParts> {
    let mut parts: Vec<ScopeParts> = Vec::new();
    let mut queue = VecDeque::from([(root, None, 0)]);
    let mut first = 0;
    let mut scopes = 1;
    while let Some((mut analysis, container, depth)) = queue.pop_front() {
        let mut position = vec![0; analysis.wiring.vertices.len()];
        for (at, &vertex) in analysis.turns.order.iter().enumerate() {
            position[vertex] = first + at;
        }
        let mut bodies = BTreeMap::new();
        for (vertex, body) in std::mem::take(&mut analysis.bodies) {
            bodies.insert(vertex, scopes);
            scopes += 1;
            // The counters around the loop, and one for its iterations.
            queue.push_back((body, Some(position[vertex]), depth + analysis.clocks.of(vertex).len() + 1));
        }
        let count = analysis.turns.order.len();
        parts.push(ScopeParts { analysis, container, depth, first, position, bodies });
        first += count;
    }
    parts
}

/// By scope, what its nodes do with the workflow's memory, at most.
fn memory_modes(parts: &[ScopeParts], settings: &MemorySettings) -> Vec<MemoryMode> {
    let mut modes = vec![MemoryMode::default(); parts.len()];
    for (at, part) in parts.iter().enumerate().rev() {
        let own =
            part.analysis.wiring.vertices.iter().map(|vertex| vertex.node.behavior().memory.mode(settings));
        let inside = part.bodies.values().map(|&body| modes[body]);
        modes[at] = own.chain(inside).max().unwrap_or_default();
    }
    modes
}

fn add_scope(
    plan: &mut Plan,
    at: ScopeIx,
    part: ScopeParts,
    overrides: &InputOverrides,
    has_output: bool,
    memory: &[MemoryMode],
    entering: &mut Entering,
) {
    let ScopeParts { analysis, container, depth, first, position, bodies } = part;
    let ScopeAnalysis { wiring, nesting, clocks, contexts, turns, .. } = analysis;
    let (first_edge, first_cycle) = (plan.edges.len(), plan.cycles.len());
    let mut wires: Vec<_> = wiring.wires.iter().enumerate().collect();
    // What enters a body comes from the border, but keeps the plan order of where it comes from, before the border's own ports.
    let edge_outside = |wire: &Wire| {
        let is_border = wiring.border.is_some_and(|border| border.begin == wire.source);
        let inner = container.filter(|_| is_border).map(|container| (container, wire.source_port.clone()));
        inner.and_then(|port| entering.get(&port).copied()).unwrap_or(EdgeIx::MAX)
    };
    wires.sort_by_cached_key(|(_, wire)| (position[wire.source], edge_outside(wire), wire.edge.clone()));
    for (index, (_, wire)) in wires.iter().enumerate() {
        if bodies.contains_key(&wire.target) {
            let name = wiring.vertices[wire.target].node.ports().inputs[wire.target_port].name.clone();
            if is_entering(&name) {
                entering.insert((position[wire.target], name), first_edge + index);
            }
        }
    }
    plan.edges.extend(wires.into_iter().map(|(at, wire)| PlanEdge {
        source: position[wire.source],
        port: wire.source_port.clone(),
        target: position[wire.target],
        target_port: wire.target_port,
        order: wire.order,
        level: depth + common_prefix_length(clocks.of(wire.source), clocks.of(wire.target)),
        back: nesting.back_wires.get(&at).map(|cycle| first_cycle + cycle),
    }));
    build_cycles(&mut plan.cycles, &nesting, &position, depth);
    let border = wiring.border;
    let container = container.zip(border).map(|(node, border)| Container {
        node,
        begin: position[border.begin],
        end: position[border.end],
    });
    let mut plan_contexts = build_contexts(&contexts, &clocks, &position);
    plan_contexts.outer =
        find_outer_contexts(plan, container.map(|it| it.node), &contexts, plan_contexts.len());
    let is_result = if has_output {
        wiring.vertices.iter().map(is_output).collect()
    } else if container.is_none() {
        find_results(&wiring, &nesting)
    } else {
        vec![false; wiring.vertices.len()]
    };
    let build = NodeBuild {
        scope: at,
        first_cycle,
        nesting: &nesting,
        clocks: &clocks,
        is_result: &is_result,
        bodies: &bodies,
    };
    let nodes = build.nodes(wiring, &turns.order, overrides);
    plan.nodes.extend(nodes);
    plan.scopes.push(PlanScope {
        container,
        depth,
        nodes: first..plan.nodes.len(),
        cycles: first_cycle..plan.cycles.len(),
        root: Vec::new(),
        contexts: plan_contexts,
    });
    link(plan, at, first_edge);
    assign_contexts(plan, at, contexts, &turns.order, &position, memory);
}

fn is_output(vertex: &Vertex) -> bool {
    vertex.node.behavior().is_output
}

/// By vertex of a flow without nodes of an output type, whether its outputs are the run's: of nodes that feed nothing; without
/// any of these (the flow is all cycles), of nodes that feed only the next epoch.
fn find_results(wiring: &Wiring, nesting: &Nesting) -> Vec<bool> {
    let mut feeds_nothing = vec![true; wiring.vertices.len()];
    let mut feeds_next_epoch_only = feeds_nothing.clone();
    for (at, wire) in wiring.wires.iter().enumerate() {
        feeds_nothing[wire.source] = false;
        feeds_next_epoch_only[wire.source] &= nesting.back_wires.contains_key(&at);
    }
    if feeds_nothing.contains(&true) { feeds_nothing } else { feeds_next_epoch_only }
}

/// What the nodes of one scope are built from.
struct NodeBuild<'a> {
    scope: ScopeIx,
    first_cycle: CycleIx,
    nesting: &'a Nesting,
    clocks: &'a Clocks,
    is_result: &'a [bool],
    /// By vertex, the scope of its body.
    bodies: &'a BTreeMap<usize, ScopeIx>,
}

impl NodeBuild<'_> {
    fn nodes(&self, wiring: Wiring, order: &[usize], overrides: &InputOverrides) -> Vec<PlanNode> {
        let border = wiring.border;
        let is_border = |at: usize| border.is_some_and(|border| at == border.begin || at == border.end);
        let mut vertices: Vec<_> = wiring.vertices.into_iter().map(Some).collect();
        let mut handles_error = vec![false; vertices.len()];
        for wire in &wiring.wires {
            handles_error[wire.source] |= wire.source_port.as_str() == ERROR_PORT;
        }
        let node = |&at: &usize| {
            let vertex = vertices[at].take()?;
            let inputs = &vertex.node.ports().inputs;
            let given = overrides.get(&vertex.id).filter(|_| !is_border(at)).into_iter().flatten();
            let overrides = given.filter_map(|(port, value)| {
                Some((inputs.iter().position(|input| input.name == *port)?, Arc::clone(value)))
            });
            let single_attempt = || RetryPolicy { attempts: 1, ..RetryPolicy::default() };
            // One that is not executed needs no input, but waits for those that are connected.
            let is_pinned = vertex.node.behavior().is_pinned;
            let retries_itself = vertex.node.behavior().has_inner_retries;
            Some(PlanNode {
                scope: self.scope,
                body: self.bodies.get(&at).copied(),
                is_border: is_border(at),
                required_first: inputs.iter().map(|input| input.required && !is_pinned).collect(),
                required_later: inputs.iter().map(|input| input.required && !is_pinned).collect(),
                overrides: overrides.collect(),
                clock: self.clocks.of(at).iter().map(|cycle| self.first_cycle + cycle).collect(),
                is_follower: self.clocks.is_follower(at, self.nesting),
                incoming: SmallVec::new(),
                outgoing: SmallVec::new(),
                contexts: ContextRoles::default(),
                context_source: ContextSource::Edge,
                handles_error: handles_error[at],
                is_result: self.is_result[at] && !is_border(at),
                retry: vertex.retry.or_else(|| retries_itself.then(single_attempt)),
                timeout_ms: vertex.limits.timeout_ms,
                quota: vertex.limits.quota.map(Arc::new),
                split: None,
                branches: SmallVec::new(),
                id: vertex.id,
                node: vertex.node,
            })
        };
        let mut nodes = Vec::with_capacity(order.len());
        nodes.extend(order.iter().filter_map(node));
        nodes
    }
}

/// Adds the cycles of a scope with `scope_depth` counters in its epochs.
fn build_cycles(cycles: &mut Vec<Cycle>, nesting: &Nesting, position: &[usize], scope_depth: usize) {
    let first = cycles.len();
    for (at, cycle) in nesting.cycles.iter().enumerate() {
        let parent = cycle.parent.map(|parent| first + parent);
        let depth = parent.map_or(scope_depth, |parent| cycles[parent].depth + 1);
        if let Some(parent) = parent {
            cycles[parent].inner.push(first + at);
        }
        cycles.push(Cycle {
            entry: position[cycle.entry],
            parent,
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
}

/// Fills in what the nodes and cycles of a scope know of its edges, and cycles of their nodes.
fn link(plan: &mut Plan, scope: ScopeIx, first_edge: EdgeIx) {
    for at in plan.scopes[scope].nodes.clone() {
        match plan.nodes[at].clock.last() {
            Some(&cycle) => plan.cycles[cycle].nodes.push(at),
            None => plan.scopes[scope].root.push(at),
        }
    }
    for at in first_edge..plan.edges.len() {
        let (source, target, back) = (plan.edges[at].source, plan.edges[at].target, plan.edges[at].back);
        plan.nodes[source].outgoing.push(at);
        let port = plan.edges[at].target_port;
        let node = &mut plan.nodes[target];
        let input = &node.node.ports().inputs[port];
        if input.required_when_fed || (input.required && node.node.behavior().is_pinned) {
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

/// The contexts that are made outside of a scope and used in it, numbered from `first`. The scopes around it are in the plan.
fn find_outer_contexts(
    plan: &Plan,
    container: Option<NodeIx>,
    table: &ContextTable,
    first: ContextIx,
) -> FxHashMap<ContextId, OuterContext> {
    let Some(container) = container else { return FxHashMap::default() };
    let around = &plan.scopes[plan.nodes[container].scope].contexts;
    let counters_of = |name: &ContextId| match (around.made_per_epoch.get(name), around.outer.get(name)) {
        (Some(&made), _) => plan.nodes[around.maker(made)].clock.len(),
        (None, Some(outer)) => outer.counters,
        (None, None) => 0,
    };
    let numbered = table.outer.iter().zip(first..);
    numbered
        .map(|(name, index)| (name.clone(), OuterContext { index, counters: counters_of(name) }))
        .collect()
}

/// Fills in which contexts the nodes and cycles of a scope make and may work in. `memory` is the use of the workflow's
/// memory by scope.
fn assign_contexts(
    plan: &mut Plan,
    scope: ScopeIx,
    table: ContextTable,
    order: &[usize],
    position: &[usize],
    memory: &[MemoryMode],
) {
    let nodes = plan.scopes[scope].nodes.clone();
    let mut context_of = vec![None; nodes.len()];
    for (context, &maker) in plan.scopes[scope].contexts.makers.iter().enumerate() {
        context_of[maker - nodes.start] = Some(context);
    }
    let first_outer = plan.scopes[scope].contexts.makers.len();
    // Makers outside of the scope are numbered after its vertices.
    let context_of = |maker: usize| match maker.checked_sub(order.len()) {
        Some(outer) => Some(first_outer + outer),
        None => context_of[position[maker] - nodes.start],
    };
    let mut rows: Vec<_> = table.rows.into_iter().map(Some).collect();
    for (at, &vertex) in nodes.clone().zip(order) {
        let Some(row) = rows[vertex].take() else { continue };
        let makers = row.works_in.known().iter();
        let own_memory = plan.nodes[at].node.behavior().memory.mode(&plan.memory);
        let roles = ContextRoles {
            makes: row.declared.makes.as_ref().and_then(|_| context_of(vertex)).into_iter().collect(),
            works_in: makers.filter_map(|&maker| context_of(maker)).collect(),
            works_in_any: row.works_in.is_any(),
            memory: plan.nodes[at].body.map_or(own_memory, |body| memory[body]),
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
    for cycle in plan.scopes[scope].cycles.clone() {
        plan.cycles[cycle].contexts.deduplicate();
    }
}

fn context_source(declared: ContextDeclaration) -> ContextSource {
    match (declared.names, declared.input) {
        (Some(name), _) => ContextSource::Name(name),
        (None, Some(input)) => ContextSource::Input(input.into()),
        (None, None) => ContextSource::Edge,
    }
}
