//! Running a flow: plans, the journal, the pure scheduler, the driver that performs its effects, and the view that people see.
//!
//! Owns what a run *is*: its events, contexts, memory and quotas, and what a node type and its host have to offer ([`node`], [`provider`],
//! [`tool`], [`retriever`], [`host`]). Refuses to know any node type, and to touch the outside: no HTTP, files, database, system clock
//! or randomness.

pub mod breakpoint;
pub mod codes;
pub mod context;
pub mod debugger;
pub mod driver;
pub mod earlier_run;
pub mod grant;
pub mod host;
pub mod http_tool;
pub mod journal;
pub mod long_term_memory;
pub mod loop_history;
pub mod memory;
pub mod models;
pub mod needs;
pub mod node;
pub mod plan;
pub mod prompt_record;
pub mod provider;
pub mod quota;
pub mod retriever;
pub mod scheduler;
pub mod stream_pace;
pub mod tokens;
pub mod tool;
pub mod transcript;
mod unused_setting;
pub mod view;
pub mod world_policy;

pub use breakpoint::check_breakpoints;
pub use driver::{Control, DebugCommand, Driver, RunHandle, RunSetup, TrialConfigs, TrialPlanner, Watcher};
pub use scheduler::{RunPhase, Scheduler, Start};
