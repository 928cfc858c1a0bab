//! The results of tests as `JUnit` XML, for continuous integration.

use std::path::Path;
use std::time::Duration;

use plait_api::suites::CaseOutcome;
use plait_api::{ErrorReply, flow_files};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{rate_text, title};
use crate::codes;

/// Writes the outcomes, by suite.
pub(super) fn write(file: &Path, outcomes: &[(String, CaseOutcome)]) -> Result<(), ErrorReply> {
    let mut report = Report::new("plait");
    // A suite is added when it is whole: the report counts its cases then.
    for of_suite in outcomes.chunk_by(|(path, _), (other, _)| path == other) {
        let Some((path, _)) = of_suite.first() else { continue };
        let mut suite = TestSuite::new(path.as_str());
        suite.add_test_cases(of_suite.iter().map(|(_, outcome)| case(path, outcome)));
        report.add_test_suite(suite);
    }
    let refused = |problem: String| {
        ErrorReply::new(codes::OUTPUT_FAILED, format!("`{}` can't be written: {problem}.", file.display()))
    };
    let text = report.to_string().map_err(|error| refused(error.to_string()))?;
    Ok(flow_files::write_bytes(file, text.as_bytes())?)
}

fn case(suite: &str, outcome: &CaseOutcome) -> TestCase {
    let mut status = TestCaseStatus::success();
    if !outcome.passed {
        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let failures = outcome.results.iter().flat_map(|result| &result.failures);
        let lines: Vec<String> = failures.map(ToString::to_string).collect();
        status.set_message(lines.first().cloned().unwrap_or_default());
        status.set_type(lines.first().and_then(|line| line.split(':').next()).unwrap_or("check").to_owned());
        let rate =
            if outcome.results.len() > 1 { format!("{}\n", rate_text(outcome)) } else { String::new() };
        status.set_description(rate + &lines.join("\n"));
    }
    let mut case = TestCase::new(title(&outcome.case, &outcome.variant), status);
    let stem =
        Path::new(suite).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    case.set_classname(stem);
    case.set_time(Duration::from_millis(outcome.results.iter().map(|result| result.duration_ms).sum()));
    case
}
