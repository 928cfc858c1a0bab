//! The shapes of the flows: chain, fan-out, join, diamond ladder.

use std::sync::Arc;

use plait_engine::flow::{Edge, Flow, Node};
use plait_engine::id::NodeId;
use plait_engine::journal::InputOverrides;
use plait_engine::plan::{Plan, plan};

use super::failure::Wrong;
use super::nodes::{Evaluate, evaluation, registry};

/// A shape of flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One after the other.
    Chain,
    /// One feeds all others.
    FanOut,
    /// One feeds all others, which feed one.
    Join,
    /// Diamonds, one below the other: each top feeds two, which feed the next top.
    Ladder,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Chain, Self::FanOut, Self::Join, Self::Ladder];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::FanOut => "fan-out",
            Self::Join => "join",
            Self::Ladder => "ladder",
        }
    }

    /// The largest number of nodes up to `nodes` that a flow of this shape can have.
    pub fn closed(self, nodes: usize) -> usize {
        if self == Self::Ladder { (nodes - 1) / 3 * 3 + 1 } else { nodes }
    }

    /// A flow of this shape with that many nodes.
    fn flow(self, nodes: usize) -> Flow {
        let mut made = Made(Flow::default());
        made.node(0, "source");
        match self {
            Self::Chain => (1..nodes).for_each(|at| made.fed(at, "pass", &[(at - 1, "in")])),
            Self::FanOut => (1..nodes).for_each(|at| made.fed(at, "pass", &[(0, "in")])),
            Self::Join => {
                (1..nodes - 1).for_each(|at| made.fed(at, "pass", &[(0, "in")]));
                let feeds: Vec<_> = (1..nodes - 1).map(|at| (at, "in")).collect();
                made.fed(nodes - 1, "gather", &feeds);
            }
            Self::Ladder => (0..(nodes - 1) / 3).for_each(|diamond| {
                let top = 3 * diamond;
                made.fed(top + 1, "pass", &[(top, "in")]);
                made.fed(top + 2, "pass", &[(top, "in")]);
                made.fed(top + 3, "pair", &[(top + 1, "left"), (top + 2, "right")]);
            }),
        }
        made.0
    }
}

struct Made(Flow);

impl Made {
    fn node(&mut self, at: usize, node_type: &str) {
        self.0.nodes.insert(id(at), Node { node_type: node_type.to_owned(), ..Node::default() });
    }

    fn fed(&mut self, at: usize, node_type: &str, feeds: &[(usize, &str)]) {
        self.node(at, node_type);
        for (source, input) in feeds {
            let edge = Edge {
                source: id(*source),
                source_output: "out".into(),
                target: id(at),
                target_input: (*input).into(),
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

/// A flow as it is to be run, and by hand.
pub struct Planned {
    /// For the engine, and for the order and the edges.
    pub plan: Arc<Plan>,
    /// What each node does, in plan order.
    pub evaluate: Vec<Evaluate>,
}

/// A flow of that shape and size.
pub fn planned(shape: Shape, nodes: usize) -> Result<Planned, Wrong> {
    compile(&shape.flow(nodes), None)
}

/// The same, restricted to its last node and what that depends on ("run to").
pub fn planned_to(shape: Shape, nodes: usize) -> Result<Planned, Wrong> {
    let flow = shape.flow(nodes);
    compile(&flow, flow.nodes.keys().next_back())
}

fn compile(flow: &Flow, to: Option<&NodeId>) -> Result<Planned, Wrong> {
    let plan = plan(flow, &registry(), to, &InputOverrides::new())
        .map_err(|problems| format!("the benchmark's own flow is wrong: {problems:?}"))?;
    let evaluate = plan.nodes.iter().map(|node| evaluation(&flow.nodes[&node.id].node_type)).collect();
    Ok(Planned { plan: Arc::new(plan), evaluate })
}
