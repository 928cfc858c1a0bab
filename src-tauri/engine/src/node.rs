//! What a node type is, and what it is given when it runs.
//!
//! A node type is one file in [`crate::nodes`] that implements [`NodeType`]. No canvas positions and no editors here.

mod card;
mod descriptor;
mod inputs;
mod node_context;
mod output;
mod registry;
pub(crate) mod template_inputs;

pub use card::{Card, CardPart, EditorTraits};
pub use descriptor::{Behavior, Category, Example, NodeDescriptor, Portal, Reads};
pub use inputs::{Datum, Inputs};
pub use node_context::{NodeContext, Signal};
pub use output::{NodeOutput, Pause};
pub use registry::{BoundNode, NodeType, Registry};
