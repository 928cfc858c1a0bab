//! Flows: their files, drafts and schema, the examples, and what is wrong with them.

mod autosave;
mod check;
mod commands;
pub mod examples;
mod files;
mod recent;
mod schema;
pub(crate) mod subflows;

pub use autosave::{Autosave, DropAutosave, ListAutosaves, PutAutosave};
pub use check::check_tree;
pub use commands::{CheckFlow, ExampleFlow, ListExamples, NewFlow, OpenExample};
pub use files::{OpenFlow, OpenedFlow, SaveFlow, SavedFlow};
pub use recent::{ForgetFlow, ListRecent, RecentFlow};
pub use schema::flow_schema;
