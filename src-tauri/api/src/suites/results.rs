//! The results of tests, as they are kept.

use std::collections::{BTreeMap, HashMap};

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
    /// Its own, which grades name. Earlier versions wrote none.
    #[serde(default)]
    pub(super) id: String,
    pub(super) result: TestResult,
}

/// Results by the names of their cases, in their order.
pub(super) type ResultsByCase<'k> = HashMap<&'k str, Vec<&'k KeptResult>>;

pub(super) fn by_case(kept: &[KeptResult]) -> ResultsByCase<'_> {
    let mut found = ResultsByCase::new();
    for result in kept {
        found.entry(&result.case).or_default().push(result);
    }
    found
}

/// The newest result of each repeat of a case, by repeat, if all that decides it is as it was.
pub(super) fn of_case<'k>(
    kept: &ResultsByCase<'k>,
    case: &TestCase,
    variant: &Variant,
    key: &str,
) -> Vec<&'k KeptResult> {
    let of_case = kept.get(case.name.as_str()).into_iter().flatten();
    let wanted = of_case.filter(|result| result.variant == *variant && result.key == key);
    // A later one takes the place of an earlier one.
    let newest: BTreeMap<u32, &KeptResult> = wanted.map(|result| (result.repeat, *result)).collect();
    newest.into_values().collect()
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
