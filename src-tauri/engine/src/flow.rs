//! The flow document: what people edit and keep in version control. Knows nothing about running it.

mod disabled;
mod document;
mod drawing;
mod folders;
mod foreign_format;
mod migrate;
#[cfg(test)]
mod random_documents;
mod read;
mod tree_limits;
mod write;

pub(crate) use document::MAX_ATTEMPTS;
pub use document::{Edge, Flow, FlowSettings, Limits, Node, RetryPolicy, VERSION};
pub use drawing::{CanvasColor, Frame, Point, Position};
pub use folders::FolderAccess;
pub use read::{ReadError, read};
pub use tree_limits::TreeLimits;
pub use write::write;
pub(crate) use write::write_whole_numbers;
