//! Tests of flows: `suite.*`. Suites beside flows, the runs of their cases, and the case that a run is made into.
//!
//! A replay is `run.rerun` with a recording, a live case `run.start`: nothing is run in another way than by a person. A replay that
//! passes leaves no run behind.

mod add;
mod bill;
mod debug;
mod evidence;
mod file;
mod find;
mod flow_nodes;
mod grade;
mod judge;
mod list;
mod results;
mod run_case;
mod run_follower;
mod service;
mod table;

pub use add::{AddTest, AddedTest};
pub use bill::{BillSuite, SuiteBill, TestRef};
pub use debug::{DebugTest, DebuggedTest};
pub use find::FindSuites;
pub use grade::GradeResult;
pub use list::{OpenSuite, OpenedSuite, SuiteCase};
pub use plait_suites::{
    CaseOutcome, CheckFailure, GradeVerdict, Mark, PassRate, ResultRow, ResultTable, TestResult, Variant,
    schema as suite_schema,
};
pub use run_case::{ForgetResults, RunTest};
pub use service::SuiteService;
pub use table::{ExportResults, TabulateResults};
