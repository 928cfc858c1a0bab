//! The results of tests, as they are kept.

use plait_suites::{CaseOutcome, Suite, TestCase, TestResult, Variant};
use serde::{Deserialize, Serialize};

use super::file::SuiteFile;
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;

/// A result with what it is of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptResult {
    pub(super) case: String,
    #[serde(default)]
    pub(super) variant: Variant,
    /// Which of the repeats, from 0.
    pub(super) repeat: u32,
    /// See [`SuiteFile::key`].
    pub(super) key: String,
    pub(super) result: TestResult,
}

/// The newest result of each repeat of a case, if all that decides it is as it was.
pub(super) fn of_case(
    kept: &[KeptResult],
    case: &TestCase,
    variant: &Variant,
    key: &str,
) -> Vec<(u32, TestResult)> {
    let mut found: Vec<(u32, TestResult)> = Vec::new();
    for result in kept.iter().rev() {
        let is_wanted = result.case == case.name && result.variant == *variant && result.key == key;
        if is_wanted && !found.iter().any(|(repeat, _)| *repeat == result.repeat) {
            found.push((result.repeat, result.result.clone()));
        }
    }
    found.sort_by_key(|(repeat, _)| *repeat);
    found
}

/// What the results of a case come to.
pub(super) fn outcome(
    suite: &Suite,
    case: &TestCase,
    variant: Variant,
    results: Vec<TestResult>,
) -> CaseOutcome {
    CaseOutcome::of(case.name.clone(), variant, results, suite.pass_rate_of(case))
}

impl SuiteService {
    pub(super) async fn kept_results(&self, file: &SuiteFile) -> Result<Vec<KeptResult>, ErrorReply> {
        let (store, name) = (self.store.clone(), file.name());
        run_blocking(move || {
            let lines = store.test_results(&name)?;
            // A line of another version says nothing about this one.
            Ok(lines.into_iter().filter_map(|line| serde_json::from_value(line).ok()).collect())
        })
        .await
    }
}
