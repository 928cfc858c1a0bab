//! Runs: starting and steering them, watching them, and the records of past ones.

mod access;
pub mod answer_text;
mod broadcast;
mod children;
pub mod control;
pub mod records;
mod registry;
pub(crate) mod service;
mod watch;

pub use control::{AnswerRun, CancelRun, EndPause, ResumeRun, RunStarted, StartRun};
pub use records::{ListRuns, RemoveRun, RunDetail, RunSummary, ShowRun};
pub use watch::Watch;
