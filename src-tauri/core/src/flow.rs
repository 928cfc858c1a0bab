//! The flow document: what people edit and keep in version control. Knows nothing about running it.

mod confirmation;
mod document;
mod drawing;
mod executable_nodes;
mod folders;
mod lazy_flow;
mod memory;
mod migrate;
mod pin;
#[cfg(test)]
mod random_documents;
mod read;
mod spelling;
mod summarizer_agent;
mod tree_limits;
mod trigger;
mod unconfirmed;
mod ways_in;
mod write;

pub use document::MAX_ATTEMPTS;
pub use document::{Edge, Flow, FlowSettings, Limits, Node, RetryPolicy, VERSION};
pub use drawing::{CanvasColor, Frame, Point, Position};
pub use folders::FolderAccess;
pub use lazy_flow::LazyFlow;
pub use memory::{
    DEFAULT_RECENT_TURNS, MAX_RECENT_TURNS, MemoryMode, MemorySettings, MemoryUse, SummarizerSettings,
};
pub use pin::{IterationPath, MAX_PIN_BYTES, Pin};
pub use read::{ReadError, read, read_written};
pub use summarizer_agent::SummarizerAgent;
pub use tree_limits::TreeLimits;
pub use trigger::Trigger;
pub use unconfirmed::Unconfirmed;
pub use write::write;
pub use write::write_whole_numbers;
