//! The shapes of the flows: chain, fan-out, join, diamond ladder.

use std::sync::Arc;

use plait_core::flow::{Edge, Flow, Node};
use plait_core::id::NodeId;
use plait_journal::InputOverrides;
use plait_run::plan::{Plan, plan};

use super::first_error::BenchError;
use super::nodes::{Evaluate, evaluate_fn, registry};

/// A shape of flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each node feeds the next.
    Chain,
    /// One feeds all others.
    FanOut,
    /// One feeds all others, which feed one.
    Join,
    /// Diamonds, one below the other: each top feeds two, which feed the next top.
    Ladder,
}

impl Shape {
    pub const ALL: [Self; 4] = [Self::Chain, Self::FanOut, Self::Join, Self::Ladder];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::FanOut => "fan-out",
            Self::Join => "join",
            Self::Ladder => "ladder",
        }
    }

    /// The largest size up to `nodes` that a flow of this shape can have.
    pub fn max_nodes(self, nodes: usize) -> usize {
        if self == Self::Ladder { (nodes - 1) / 3 * 3 + 1 } else { nodes }
    }

    fn flow(self, nodes: usize) -> Flow {
        let mut builder = FlowBuilder(Flow::default());
        builder.add_node(0, "source");
        match self {
            Self::Chain => (1..nodes).for_each(|at| builder.add_fed_node(at, "pass", &[(at - 1, "in")])),
            Self::FanOut => (1..nodes).for_each(|at| builder.add_fed_node(at, "pass", &[(0, "in")])),
            Self::Join => {
                (1..nodes - 1).for_each(|at| builder.add_fed_node(at, "pass", &[(0, "in")]));
                let feeds: Vec<_> = (1..nodes - 1).map(|at| (at, "in")).collect();
                builder.add_fed_node(nodes - 1, "gather", &feeds);
            }
            Self::Ladder => (0..(nodes - 1) / 3).for_each(|diamond| {
                let top = 3 * diamond;
                builder.add_fed_node(top + 1, "pass", &[(top, "in")]);
                builder.add_fed_node(top + 2, "pass", &[(top, "in")]);
                builder.add_fed_node(top + 3, "pair", &[(top + 1, "left"), (top + 2, "right")]);
            }),
        }
        builder.0
    }
}

struct FlowBuilder(Flow);

impl FlowBuilder {
    fn add_node(&mut self, at: usize, node_type: &str) {
        self.0.nodes.insert(id(at), Node { node_type: node_type.to_owned(), ..Node::default() });
    }

    fn add_fed_node(&mut self, at: usize, node_type: &str, feeds: &[(usize, &str)]) {
        self.add_node(at, node_type);
        for (source, input) in feeds {
            let edge = Edge {
                source: id(*source),
                source_output: "out".into(),
                target: id(at),
                target_input: (*input).into(),
                order: None,
                metadata: serde_json::Map::new(),
                extra: serde_json::Map::new(),
            };
            self.0.edges.insert(format!("e{at:06}.{source}.{input}").into(), edge);
        }
    }
}

fn id(at: usize) -> NodeId {
    format!("n{at:06}").into()
}

/// A planned flow, for the engine and for the floor.
pub struct PlannedFlow {
    pub plan: Arc<Plan>,
    /// The function of each node, in plan order.
    pub evaluate: Vec<Evaluate>,
}

pub fn plan_shape(shape: Shape, nodes: usize) -> Result<PlannedFlow, BenchError> {
    compile(&shape.flow(nodes), None)
}

/// The same, restricted to its last node and the nodes that it depends on ("run to").
pub fn plan_shape_to_last(shape: Shape, nodes: usize) -> Result<PlannedFlow, BenchError> {
    let flow = shape.flow(nodes);
    compile(&flow, flow.nodes.keys().next_back())
}

fn compile(flow: &Flow, to: Option<&NodeId>) -> Result<PlannedFlow, BenchError> {
    let plan = plan(flow, &registry(), to, &InputOverrides::new())
        .map_err(|problems| format!("the benchmark's own flow is wrong: {problems:?}"))?;
    let evaluate = plan.nodes.iter().map(|node| evaluate_fn(&flow.nodes[&node.id].node_type)).collect();
    Ok(PlannedFlow { plan: Arc::new(plan), evaluate })
}
