//! `suite.open`: what is in a suite, and what came of its cases.

use plait_suites::{CaseOutcome, DatasetRow, Variant, variants};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::results::{by_case, of_case, outcome};
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// A suite.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct OpenedSuite {
    /// The file, as an absolute path.
    pub file: String,
    /// Its flow's file.
    pub flow: String,
    pub cases: Vec<SuiteCase>,
}

/// A case, as one of its variants.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SuiteCase {
    pub name: String,
    #[ts(type = "Record<string, unknown>")]
    pub variant: Variant,
    /// The row of a dataset that it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub row: Option<DatasetRow>,
    /// Whether models and tools are called each time.
    pub live: bool,
    /// Whether running it may cost something.
    pub may_buy: bool,
    /// How often it runs.
    pub repeats: u32,
    /// What is checked.
    pub checks: Vec<String>,
    /// What came of it when it was last run, if all of the case is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub outcome: Option<CaseOutcome>,
}

/// `suite.open`: reads a suite. Runs nothing. `suite.*` with the line of what is wrong.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenSuite {
    /// An absolute path.
    pub file: String,
}

impl Command for OpenSuite {
    const NAME: &'static str = "suite.open";
    type Service = SuiteService;
    type Reply = OpenedSuite;

    async fn run(self, service: &SuiteService) -> Result<OpenedSuite, ErrorReply> {
        let file = service.file(&self.file).await?;
        let kept = service.kept_results(&file).await?;
        let registry = service.runs.registry();
        run_blocking(move || {
            let (suite, by_case) = (&file.suite, by_case(&kept));
            // Without results, no recording and no sub-flow has to be read.
            let subflows = if kept.is_empty() { Vec::new() } else { file.subflows(&registry) };
            let cases = suite.cases.iter().flat_map(|case| {
                variants(suite, case).into_iter().map(|variant| {
                    let key = (!kept.is_empty()).then(|| file.key(case, &variant, &subflows));
                    let found = key.map(|key| of_case(&by_case, case, &variant, &key)).unwrap_or_default();
                    let results: Vec<_> = found.into_iter().map(|kept| kept.result.clone()).collect();
                    let is_whole = results.len() == suite.repeats_of(case) as usize;
                    SuiteCase {
                        name: case.name.clone(),
                        row: file.rows.get(&case.name).cloned(),
                        live: case.live,
                        may_buy: suite.may_buy(case),
                        repeats: suite.repeats_of(case),
                        checks: suite.checks_of(case).map(plait_suites::Check::label).collect(),
                        outcome: is_whole.then(|| outcome(suite, case, variant.clone(), results)),
                        variant,
                    }
                })
            });
            Ok(OpenedSuite { file: file.name(), flow: file.flow_name(), cases: cases.collect() })
        })
        .await
    }
}
