//! What a node type is, and what a node can use while it runs.
//!
//! A node type is one file in `plait_nodes` that implements [`NodeType`]. Knows no canvas positions and no editors.

mod card;
mod descriptor;
mod inputs;
mod loop_outputs;
mod node_context;
mod output;
mod pinned;
mod recent_values;
mod registry;
pub mod template_inputs;
mod unused;

pub use card::{Card, CardPart, EditorTraits};
pub use descriptor::{
    Behavior, CallLimit, Category, ConfigEdge, Example, LoopKind, LoopSpec, NodeDescriptor, Portal,
};
pub use inputs::{Datum, Inputs};
pub use loop_outputs::{CONTINUE, SUMMARY};
pub use node_context::{NodeContext, RunContext, Signal, ToolRound};
pub use output::{NodeOutput, Pause};
pub(crate) use pinned::PinnedNode;
pub use registry::{BoundNode, NodeType, Registry, type_hint};
pub use unused::{LoopPart, Surroundings};
