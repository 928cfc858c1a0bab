//! The flow document: what a person edits and git keeps. Knows nothing of running.

mod document;
mod migrate;
mod read;
mod write;

pub(crate) use document::MOST_ATTEMPTS;
pub use document::{Edge, Flow, FlowSettings, Limits, Node, Position, RetryPolicy, VERSION};
pub use read::{ReadError, read};
pub use write::write;
