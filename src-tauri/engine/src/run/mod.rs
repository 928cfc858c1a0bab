//! Running a flow: facts, the pure scheduler, and the driver that carries out its commands.

pub mod driver;
pub mod fact;
pub mod scheduler;
pub mod view;

pub use driver::{Control, Driver, RunEnd, RunHandle, RunSetup, Watcher};
pub use fact::{
    Answer, Entry, Fact, FinishMetadata, FlowRef, NodeOutputs, SkipReason, SourceRef, TokenUsage,
};
pub use scheduler::{Scheduler, Standing, Start};
