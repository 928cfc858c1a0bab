//! Running a flow: plans, the pure scheduler, the driver that performs its effects, and the debugger.
//!
//! Owns what happens in which order, and what a node type and its host have to offer ([`node`], [`host`]). Refuses to know any node
//! type, and to touch the outside: no HTTP, files, database, system clock or randomness.

pub mod breakpoint;
pub mod codes;
pub mod debugger;
pub mod driver;
pub mod host;
pub mod node;
pub mod plan;
pub mod scheduler;

pub use breakpoint::check_breakpoints;
pub use driver::{Control, DebugCommand, Driver, RunHandle, RunSetup, TrialConfigs, TrialPlanner, Watcher};
pub use scheduler::{RunPhase, Scheduler, Start};
