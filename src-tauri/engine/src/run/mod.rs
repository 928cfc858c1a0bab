//! Running a flow: facts, the pure scheduler, and the driver that carries out its commands.

pub mod driver;
pub mod fact;
pub mod scheduler;
mod usage;
pub mod view;

pub use driver::{Control, Driver, RunEnd, RunHandle, RunSetup, Watcher};
pub use fact::{Answer, Entry, Fact, FinishMetadata, FlowRef, NodeOutputs, SkipReason, SourceRef};
pub use scheduler::{Scheduler, Standing, Start};
pub use usage::TokenUsage;
