//! Running a flow: the pure scheduler, the driver that performs its effects, and the view that people see.

pub mod driver;
pub mod scheduler;
pub mod view;

pub use driver::{Control, Driver, RunHandle, RunSetup, Watcher};
pub use scheduler::{RunPhase, Scheduler, Start};
