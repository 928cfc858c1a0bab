//! The scopes of a flow: the flow itself, and the body of each loop.
//!
//! Each scope becomes a graph of its own, so that the later phases need not know about loops. To the scope around it, a loop
//! is one vertex, and an edge that leads into its body feeds that vertex, on an input of its own. Inside, the border has two
//! vertices: *begin*, the source of what the border's ports carry and of all that comes from outside, and *end*, which takes
//! the result of the iteration.
//!
//! ```text
//! a ─▶ ┌ L ──────────────────────────┐ ─▶ z        scope of the flow:   a → L → z,  b → L (b's edge)
//! b ─▶ │ item ▶ x ▶ y ▶ next         │             scope of L's body:   begin → x → y → end,  begin → y (b's edge)
//!      │     b's edge ▶              │
//!      └─────────────────────────────┘
//! ```
//!
//! An edge out of a body that does not lead to the border is refused: `loop.side_exit`.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use rustc_hash::FxHashMap;

use super::nest::Nest;
use super::wires::Wire;
use super::{Vertex, Wiring};
use crate::codes;
use crate::node::{Behavior, BoundNode, Inputs, NodeContext, NodeOutput, Surroundings};
use plait_core::config::Unused;
use plait_core::diagnostic::Diagnostic;
use plait_core::error::Fault;
use plait_core::flow::Limits;
use plait_core::id::{EdgeId, NodeId, PortName};
use plait_core::port::{InputPort, OutputPort, Ports};

/// The vertices of a border stand before all others.
pub(super) const BORDER_VERTICES: usize = 2;

/// The border of a loop, as vertices of its body.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Border {
    /// Gives what the border's ports carry, and what comes in from outside.
    pub begin: usize,
    /// Takes the result of an iteration.
    pub end: usize,
}

/// Divides the graph of a whole flow into the graphs of its scopes. Returns that of the flow itself.
pub(super) fn divide(whole: Wiring, nest: &Nest<'_>, diagnostics: &mut Vec<Diagnostic>) -> Wiring {
    if whole.vertices.iter().all(|vertex| vertex.node.behavior().repeats.is_none()) {
        return whole;
    }
    Division::new(whole, nest, diagnostics).finish()
}

/// How the names of inputs begin that a loop has for edges into its body.
const ENTERING: &str = "edge:";

/// Whether an input of a loop is one that it has for an edge into its body.
pub fn is_entering(port: &PortName) -> bool {
    port.as_str().starts_with(ENTERING)
}

/// A place in a scope: the scope's loop (nothing for the flow itself), and what stands there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Vertex(usize),
    Begin,
    End,
}

/// A wire of one scope, its ends not yet numbered.
struct ScopeWire {
    edge: EdgeId,
    source: Place,
    source_port: PortName,
    target: Place,
    target_port: TargetPort,
    order: i32,
    kind: plait_core::port::PortKind,
}

enum TargetPort {
    Own(usize),
    /// One of the inputs that a loop has for edges into its body.
    Entering(usize),
}

#[derive(Default)]
struct Scope {
    vertices: Vec<usize>,
    wires: Vec<ScopeWire>,
}

struct Division {
    whole: Wiring,
    /// By vertex, the loops around it, as vertices, outermost first.
    around: Vec<Vec<usize>>,
    /// By loop; that of the flow itself under `None`.
    scopes: BTreeMap<Option<usize>, Scope>,
    /// By loop, the ports for edges into its body.
    entering: BTreeMap<usize, Vec<InputPort>>,
}

impl Division {
    fn new(mut whole: Wiring, nest: &Nest<'_>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let index: FxHashMap<&NodeId, usize> =
            whole.vertices.iter().enumerate().map(|(at, vertex)| (&vertex.id, at)).collect();
        let around: Vec<Vec<usize>> = whole
            .vertices
            .iter()
            .map(|vertex| nest.around(&vertex.id).iter().filter_map(|id| index.get(id).copied()).collect())
            .collect();
        drop(index);
        let mut scopes: BTreeMap<Option<usize>, Scope> = BTreeMap::from([(None, Scope::default())]);
        for (at, around) in around.iter().enumerate() {
            scopes.entry(around.last().copied()).or_default().vertices.push(at);
            if whole.vertices[at].node.behavior().repeats.is_some() {
                scopes.entry(Some(at)).or_default();
            }
        }
        let wires = std::mem::take(&mut whole.wires);
        let mut division = Self { whole, around, scopes, entering: BTreeMap::new() };
        for wire in wires {
            division.add(wire, diagnostics);
        }
        division
    }

    /// Adds a wire to the scope that it lies in, or to each scope that it leads through on its way in.
    fn add(&mut self, wire: Wire, diagnostics: &mut Vec<Diagnostic>) {
        let scope_of = |vertex: usize, is_inside: bool| {
            let mut path = self.around[vertex].clone();
            path.extend(is_inside.then_some(vertex));
            path
        };
        let (from, to) = (scope_of(wire.source, wire.from_border), scope_of(wire.target, wire.to_border));
        if !to.starts_with(&from) {
            let id = &self.whole.vertices[wire.target].id;
            let ports = self.whole.vertices[wire.target].node.ports();
            let inputs = if wire.to_border { &ports.inner_inputs } else { &ports.inputs };
            self.whole.omitted.insert((id.clone(), inputs[wire.target_port].name.clone()));
            diagnostics.push(self.side_exit(&wire, &from, &to));
            return;
        }
        let mut source = if wire.from_border { Place::Begin } else { Place::Vertex(wire.source) };
        let mut source_port = wire.source_port.clone();
        let mut scope = from.last().copied();
        for &inner in &to[from.len()..] {
            let name = self.enter(inner, &wire);
            let port = self.entering[&inner].len() - 1;
            self.scopes.entry(scope).or_default().wires.push(ScopeWire {
                edge: wire.edge.clone(),
                source,
                source_port,
                target: Place::Vertex(inner),
                target_port: TargetPort::Entering(port),
                order: 0,
                kind: wire.kind,
            });
            (source, source_port, scope) = (Place::Begin, name, Some(inner));
        }
        let target = if wire.to_border { Place::End } else { Place::Vertex(wire.target) };
        self.scopes.entry(scope).or_default().wires.push(ScopeWire {
            edge: wire.edge,
            source,
            source_port,
            target,
            target_port: TargetPort::Own(wire.target_port),
            order: wire.order,
            kind: wire.kind,
        });
    }

    /// Gives a loop an input for a wire into its body. Returns its name.
    fn enter(&mut self, inner: usize, wire: &Wire) -> PortName {
        let ports = self.whole.vertices[wire.target].node.ports();
        let inputs = if wire.to_border { &ports.inner_inputs } else { &ports.inputs };
        let entering = self.entering.entry(inner).or_default();
        // Behind a portal, several wires have the same edge. A number makes each name unique.
        let name = PortName::from(format!("{ENTERING}{}:{}", entering.len(), wire.edge));
        entering.push(InputPort {
            name: name.clone(),
            required: false,
            required_when_fed: false,
            many: false,
            order_only: false,
            ..inputs[wire.target_port].clone()
        });
        name
    }

    fn side_exit(&self, wire: &Wire, from: &[usize], to: &[usize]) -> Diagnostic {
        let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        let id = |vertex: usize| &self.whole.vertices[vertex].id;
        let around = from.get(shared).map_or(wire.source, |&around| around);
        let message = format!(
            "This edge leads out of the loop `{}` from `{}` to `{}` by the side.",
            id(around),
            id(wire.source),
            id(wire.target)
        );
        Diagnostic::on_edge(codes::LOOP_SIDE_EXIT, &wire.edge, message).hint(format!(
            "Connect `{}` to `next` of the loop, and `result` of the loop to `{}`.",
            id(wire.source),
            id(wire.target)
        ))
    }

    fn finish(mut self) -> Wiring {
        let mut vertices: Vec<Option<Vertex>> =
            std::mem::take(&mut self.whole.vertices).into_iter().map(Some).collect();
        let depth: BTreeMap<usize, usize> =
            self.scopes.keys().flatten().map(|&at| (at, self.around[at].len())).collect();
        let mut loops: Vec<usize> = depth.keys().copied().collect();
        // Inner loops first: a loop's vertex needs to know its body.
        loops.sort_by_key(|at| std::cmp::Reverse(depth[at]));
        let mut bodies: BTreeMap<usize, Wiring> = BTreeMap::new();
        for at in loops {
            let scope = self.scopes.remove(&Some(at)).unwrap_or_default();
            let entering = self.entering.remove(&at).unwrap_or_default();
            let border = vertices[at].as_ref().map(|vertex| border_vertices(vertex, &entering));
            let body = self.number(scope, border, &mut vertices, &mut bodies);
            if let Some(vertex) = &mut vertices[at] {
                vertex.can_ask |= body.vertices.iter().any(|vertex| vertex.can_ask);
                vertex.node = Arc::new(LoopNode::new(Arc::clone(&vertex.node), entering));
            }
            bodies.insert(at, body);
        }
        let root = self.scopes.remove(&None).unwrap_or_default();
        let mut wiring = self.number(root, None, &mut vertices, &mut bodies);
        wiring.bound = std::mem::take(&mut self.whole.bound);
        wiring
    }

    /// Makes the graph of one scope, with its vertices in order of their ids behind those of its border.
    fn number(
        &self,
        scope: Scope,
        border: Option<[Vertex; BORDER_VERTICES]>,
        vertices: &mut [Option<Vertex>],
        bodies: &mut BTreeMap<usize, Wiring>,
    ) -> Wiring {
        let has_border = border.is_some();
        let shift = if has_border { BORDER_VERTICES } else { 0 };
        let position: FxHashMap<usize, usize> =
            scope.vertices.iter().enumerate().map(|(local, &at)| (at, local + shift)).collect();
        let mut own: Vec<Vertex> = Vec::with_capacity(scope.vertices.len() + shift);
        own.extend(border.into_iter().flatten());
        let mut own_bodies = BTreeMap::new();
        for &at in &scope.vertices {
            own.extend(vertices[at].take());
            if let Some(body) = bodies.remove(&at) {
                own_bodies.insert(position[&at], body);
            }
        }
        let place = |place: Place| match place {
            Place::Vertex(at) => position[&at],
            Place::Begin => 0,
            Place::End => 1,
        };
        let wires = scope.wires.into_iter().map(|wire| {
            let target = place(wire.target);
            let target_port = match wire.target_port {
                TargetPort::Own(port) => port,
                TargetPort::Entering(port) => own_ports(&own[target]) + port,
            };
            Wire {
                edge: wire.edge,
                source: place(wire.source),
                source_port: wire.source_port,
                target,
                target_port,
                order: wire.order,
                kind: wire.kind,
                from_border: false,
                to_border: false,
            }
        });
        Wiring {
            wires: wires.collect(),
            vertices: own,
            bound: Vec::new(),
            unbound: self.whole.unbound.clone(),
            omitted: self.whole.omitted.clone(),
            bodies: own_bodies,
            border: has_border.then_some(Border { begin: 0, end: 1 }),
        }
    }
}

/// How many inputs a loop has without those for edges into its body, which come behind them.
fn own_ports(vertex: &Vertex) -> usize {
    let inputs = &vertex.node.ports().inputs;
    inputs.iter().position(|port| port.name.as_str().starts_with("edge:")).unwrap_or(inputs.len())
}

fn begin_ports(ports: &Ports, entering: &[InputPort]) -> Ports {
    let mut outputs = ports.inner_outputs.clone();
    outputs.extend(entering.iter().map(|input| OutputPort {
        name: input.name.clone(),
        kind: input.kind,
        value_type: input.value_type,
        description: input.description.clone(),
    }));
    Ports { outputs, ..Ports::default() }
}

fn end_ports(ports: &Ports) -> Ports {
    Ports { inputs: ports.inner_inputs.clone(), ..Ports::default() }
}

/// The ends of a loop's border: begin, end.
fn border_vertices(vertex: &Vertex, entering: &[InputPort]) -> [Vertex; BORDER_VERTICES] {
    let ports = vertex.node.ports();
    [begin_ports(ports, entering), end_ports(ports)].map(|ports| border_vertex(&vertex.id, ports))
}

fn border_vertex(id: &NodeId, ports: Ports) -> Vertex {
    let node = Arc::new(BorderNode { ports: Arc::new(ports), behavior: Behavior::default() });
    Vertex { id: id.clone(), node, limits: Limits::default(), retry: None, can_ask: false }
}

/// One end of a loop's border. It is decided and passed on, and never executed.
struct BorderNode {
    ports: Arc<Ports>,
    behavior: Behavior,
}

impl BoundNode for BorderNode {
    fn ports(&self) -> &Arc<Ports> {
        &self.ports
    }

    fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    fn execute(&self, _: Inputs, _: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        Box::pin(std::future::ready(Ok(NodeOutput::new())))
    }
}

/// A loop, with an input for each edge into its body.
struct LoopNode {
    node: Arc<dyn BoundNode>,
    ports: Arc<Ports>,
}

impl LoopNode {
    fn new(node: Arc<dyn BoundNode>, entering: Vec<InputPort>) -> Self {
        let mut ports = node.ports().as_ref().clone();
        ports.inputs.extend(entering);
        Self { node, ports: Arc::new(ports) }
    }
}

impl BoundNode for LoopNode {
    fn ports(&self) -> &Arc<Ports> {
        &self.ports
    }

    fn behavior(&self) -> &Behavior {
        self.node.behavior()
    }

    fn unused(&self, around: &Surroundings<'_>) -> Vec<Unused> {
        self.node.unused(around)
    }

    fn execute(&self, inputs: Inputs, node_context: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        self.node.execute(inputs, node_context)
    }
}
