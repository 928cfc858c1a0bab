//! What came of a case.

use std::collections::BTreeMap;

use plait_core::error::ErrorCode;
use plait_core::id::RunId;
use plait_llm::models::{Cost, TokenUsage};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::PassRate;

/// A check that does not hold, or why a run gave nothing to check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CheckFailure {
    /// What is checked: `contains out.text`, or `run` for the run itself.
    pub check: String,
    /// The code of the error, if the run ended with one or could not be started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<ErrorCode>,
    pub message: String,
    /// The node that it is about, in a sub-flow with the nodes that lead there: `a/b`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<String>,
}

/// One run of a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TestResult {
    /// Why it did not pass. Empty if it did.
    pub failures: Vec<CheckFailure>,
    /// The run. Nothing for a replay that passed, which leaves none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
    /// The outputs of the run by `NODE.PORT`; of a large one, the beginning.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub outputs: BTreeMap<String, serde_json::Value>,
    /// What its model calls used, those of a recording included.
    pub tokens: TokenUsage,
    /// What they cost.
    pub cost: Cost,
    /// In milliseconds, without waits for people.
    #[ts(type = "number")]
    pub duration_ms: u64,
}

/// `contains out.text: “tea” is not in “milk”.`, with the code where there is one.
impl std::fmt::Display for CheckFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.check)?;
        if let Some(code) = &self.code {
            write!(f, "{code}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl TestResult {
    pub fn has_passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// All runs of a case, as one of its variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CaseOutcome {
    pub case: String,
    /// What of the matrix it ran with; empty without one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub variant: BTreeMap<String, serde_json::Value>,
    /// Whether enough of its runs passed.
    pub passed: bool,
    pub rate: PassRate,
    pub results: Vec<TestResult>,
}

impl CaseOutcome {
    /// Of these runs, of which this part has to pass.
    pub fn of(
        case: String,
        variant: BTreeMap<String, serde_json::Value>,
        results: Vec<TestResult>,
        part: f64,
    ) -> Self {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let passed = results.iter().filter(|result| result.has_passed()).count();
        let rate = PassRate::of(count(passed), count(results.len()));
        Self { case, variant, passed: rate.reaches(part), rate, results }
    }
}
