//! Trivial node types that pass their inputs on.
//!
//! Each is a plain function, so that the floor evaluates exactly the same.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{Behavior, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Registry};
use serde_json::{Map, Value};

/// The node types of the benchmarks.
pub fn registry() -> Registry {
    with_trivial(Registry::default())
}

/// The same with the real ones beside them.
pub fn registry_with_built_in() -> Registry {
    with_trivial(plait_nodes::registry())
}

fn with_trivial(registry: Registry) -> Registry {
    registry.with::<Source>().with::<Pass>().with::<Pair>().with::<Gather>()
}

pub type Evaluate = fn(&Inputs) -> NodeOutput;

pub fn evaluate_fn(node_type: &str) -> Evaluate {
    match node_type {
        Source::TYPE => source,
        Pair::TYPE => pair,
        Gather::TYPE => gather,
        _ => pass,
    }
}

fn source(_inputs: &Inputs) -> NodeOutput {
    NodeOutput::of("out", "x")
}

fn pass(inputs: &Inputs) -> NodeOutput {
    pass_on(inputs, "in")
}

fn pair(inputs: &Inputs) -> NodeOutput {
    pass_on(inputs, "left")
}

fn gather(inputs: &Inputs) -> NodeOutput {
    let texts: String = inputs.all("in").iter().map(|datum| as_text(&datum.value)).collect();
    NodeOutput::of("out", texts)
}

fn pass_on(inputs: &Inputs, port: &str) -> NodeOutput {
    match inputs.datum(port) {
        Some(datum) => NodeOutput::new().with_shared("out", Arc::clone(&datum.value)),
        None => NodeOutput::new(),
    }
}

macro_rules! node_type {
    ($name:ident, $type:literal, $evaluate:ident, $ports:expr) => {
        struct $name;

        impl NodeType for $name {
            type Config = Map<String, Value>;

            const TYPE: &'static str = $type;
            const TITLE: &'static str = $type;
            const SUMMARY: &'static str = "";
            const DESCRIPTION: &'static str = "";
            const CATEGORY: Category = Category::Data;
            const ICON: &'static str = "circle";

            fn ports(_config: &Self::Config) -> Ports {
                $ports(Ports::new()).output("out", PortKind::Data, PortType::Any, "")
            }

            fn behavior(_config: &Self::Config) -> Behavior {
                Behavior::default()
            }

            fn examples() -> Vec<Example> {
                Vec::new()
            }

            async fn execute(
                _config: &Self::Config,
                inputs: Inputs,
                _node_context: NodeContext,
            ) -> Result<NodeOutput, Fault> {
                Ok($evaluate(&inputs))
            }
        }
    };
}

node_type!(Source, "source", source, |ports: Ports| ports);
node_type!(Pass, "pass", pass, |ports: Ports| ports.input("in", PortKind::Data, PortType::Any, ""));
node_type!(Pair, "pair", pair, |ports: Ports| ports.input("left", PortKind::Data, PortType::Any, "").input(
    "right",
    PortKind::Data,
    PortType::Any,
    ""
));
node_type!(Gather, "gather", gather, |ports: Ports| ports.at_least_one(
    "in",
    PortKind::Data,
    PortType::Any,
    ""
));
