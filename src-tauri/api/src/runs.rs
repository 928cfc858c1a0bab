//! Runs: starting and controlling them, watching them, and the records of past ones.
//!
//! `registry` and `broadcast` hold the active runs of this process, `launch` builds drivers, `driving` keeps one for each run, `service`
//! owns the life of a run, and `start`, `trials`, `rerun`, `retry`, `control`, `waiting`, `find`, `inquiry` and `records`
//! are the commands.

pub mod answer_text;
pub mod answers;
mod breakpoints;
mod broadcast;
mod child;
mod children;
mod control;
mod debug;
mod driving;
mod find;
mod forecast;
mod import_trial;
mod inquiry;
mod launch;
mod live_export;
mod past_spending;
mod program;
mod program_logs;
mod recording;
mod records;
mod registry;
mod request;
mod rerun;
mod retry;
mod run_host;
mod service;
mod start;
mod state;
mod tree_spans;
mod trials;
mod versions;
mod waiting;
mod watch;

pub use breakpoints::{BreakpointChecker, CheckBreakpoint, DropBreakpoint, PutBreakpoint};
pub use control::{AnswerRun, CancelRun, EndPause, PinTurn, ResumeRun};
pub use debug::{
    ChangeValue, ContinueAll, EditHistory, FindHeld, ForceWay, GoOn, HeldHistory, HeldRun, SetBreakpoints,
    StopRun,
};
pub use find::{FindRuns, FoundPlace, FoundRun, FoundRuns, UnreadableRun};
pub use forecast::ForecastFlow;
pub use import_trial::{CompareImport, ImportComparison};
pub use inquiry::{BeginInquiry, ContinueInquiry};
pub use launch::AcceptedTrials;
pub use live_export::ExportPart;
pub(crate) use past_spending::{count_day, local_bank};
pub use program::{DraftProgram, GetExchanges, ImportTraces, KeepProgram, PROGRAMS_FOLDER};
pub use program_logs::KeptProgram;
pub use recording::{ExportRecording, ExportedRecording, ReadRecording, RecordingSummary};
pub(crate) use records::usage_of_tree;
pub use records::{ForgetReplies, ListRuns, RemoveRun, ResolveRun, RunDetail, RunSummary, ShowRun};
pub use request::{RootInputs, RunRequest, SaidMessage, Speaker};
pub use rerun::{BillRerun, RerunRequest, RerunRun};
pub use retry::RetryRun;
pub(crate) use service::RunParts;
pub use service::RunService;
pub use start::{StartRun, StartedRun};
pub use state::RunState;
pub(crate) use tree_spans::spans_of_tree;
pub use trials::{AcceptTrials, DropTrials, NodeConfig, ShowNodeConfig, TryConfig};
pub use versions::{FlowVersion, ListVersions, VersionRun};
pub use waiting::{CheckWaiting, EditEffect, MoveRun, WaitingRun};
pub use watch::Watch;
