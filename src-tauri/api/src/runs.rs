//! Runs: starting and controlling them, watching them, and the records of past ones.
//!
//! `registry` and `broadcast` hold what is active in this process, `launch` builds drivers, `tree_budgets` bounds whole run trees, `service` owns the life of a
//! run, and `start`, `retry`, `control` and `records` are the commands.

pub mod answer_text;
mod broadcast;
mod children;
mod control;
mod launch;
mod live_export;
mod records;
mod registry;
mod request;
mod retry;
mod run_host;
mod service;
mod start;
mod tree_budgets;
mod watch;

pub use control::{AnswerRun, CancelRun, EndPause, ResumeRun};
pub use records::{ListRuns, RemoveRun, RunDetail, RunSummary, ShowRun};
pub use request::RunRequest;
pub use retry::{ForecastRetry, RetryRun};
pub use service::RunService;
pub use start::{StartRun, StartedRun};
pub(crate) use tree_budgets::TreeBudgets;
pub use watch::Watch;
