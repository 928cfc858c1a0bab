//! The flow document: what a person edits and git keeps. Knows nothing of running.

mod document;

pub use document::{Edge, Flow, FlowSettings, Limits, Node, Position, RetryPolicy, VERSION};
