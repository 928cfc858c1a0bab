//! Running a flow: events, the pure scheduler, and the driver that carries out its commands.

mod account;
mod carried;
mod cost;
pub(crate) mod depth;
pub mod driver;
pub mod event;
pub mod scheduler;
mod spending;
mod usage;
pub mod view;

pub use account::CallAccount;
pub use carried::{Answer, FinishMetadata, FlowRef, NodeOutputs, SkipReason, SourceRef};
pub use cost::Cost;
pub use driver::{Control, Driver, RunEnd, RunHandle, RunSetup, Watcher};
pub use event::{Entry, Event};
pub use scheduler::{RunPhase, Scheduler, Start};
pub use spending::Spending;
pub use usage::TokenUsage;
