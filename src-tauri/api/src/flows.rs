//! Flows: their files, drafts and schema, the example flows, and their problems.

mod autosave;
mod bundle;
mod check;
mod diff;
pub mod examples;
mod files;
mod import;
mod installed;
mod never_runs;
mod node_names;
mod placed_flows;
mod read;
mod recent;
mod refused_sampling;
mod runnable;
mod schema;
pub(crate) mod secrets;
mod service;
pub(crate) mod subflows;
mod templates;
pub(crate) mod text;
mod trigger;
mod unknown_names;

pub use autosave::{Autosave, DropAutosave, ListAutosaves, PutAutosave};
pub use bundle::bundle_flow;
pub use check::{CheckFlow, check_with_subflows};
pub use diff::DiffFlows;
pub use examples::{ExampleFlow, ListExamples, OpenExample};
pub(crate) use files::unreadable;
pub use files::{NewFlow, OpenFlow, OpenedFlow, SaveFlow, SavedFlow};
pub use import::{ImportFlow, ImportedFlow};
pub use installed::Installed;
pub(crate) use installed::InstalledSources;
pub use node_names::{NodeNames, names_with_subflows, nodes_with_subflows};
pub use placed_flows::{PlacedFlow, placed_flows};
pub use read::{ListNearbyFlows, ReadFlow, is_flow_file};
pub use recent::{ForgetFlow, ListRecent, RecentFlow};
pub use runnable::RunnableFlow;
pub use schema::flow_schema;
pub use service::FlowService;
pub use templates::{
    ListTemplates, OpenTemplate, RemoveTemplate, RenameTemplate, SaveTemplate, SavedTemplate, TemplateSummary,
};
pub use text::name_tool;
pub use trigger::choose_trigger;
