//! The properties, one file for each invariant.

mod cancellation;
mod control;
mod coverage;
mod matches_reference;
mod mutated_input;
mod plans;
mod resuming;
mod run_time_contexts;
mod run_to_node;
mod schedule_independence;
mod size;
mod turn_order;

use plait_engine::diagnostic::Severity;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::generate::Case;
use crate::journal_summary::{JournalSummary, format_journal};
use crate::reference::{Expected, FlowAnalysis};
use crate::run_harness::{RunRecord, Scenario};

/// The number of cases of a property: `PROPTEST_CASES`, or the default.
pub fn cases(standard: u32) -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(standard);
    Config { cases, max_global_rejects: cases * 64 + 1024, failure_persistence: None, ..Config::default() }
}

/// A runner that generates the same cases every time.
pub fn deterministic_runner() -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(Config::default(), rng)
}

/// A case that can run: the scenario, its analysis and the expected result. Nothing if the flow is refused or takes too long.
pub fn runnable(case: &Case) -> Option<(Scenario, FlowAnalysis, Expected)> {
    let analysis = FlowAnalysis::of(&case.flow).ok()?;
    let expected = analysis.run(&case.overrides, case.script)?;
    let plan = case.plan().ok()?;
    Some((case.scenario(plan), analysis, expected))
}

/// Asserts that every node of the plan has reached a final state.
pub fn assert_all_final(
    scenario: &Scenario,
    run: &RunRecord,
    summary: &JournalSummary,
) -> Result<(), TestCaseError> {
    for node in &scenario.plan.nodes {
        let mut of_it = summary.activations.iter().filter(|(at, _)| at.node == node.id);
        prop_assert!(
            of_it.next().is_some(),
            "{} has no final state\n{}",
            node.id,
            format_journal(&run.entries)
        );
    }
    Ok(())
}

/// The codes of the errors that the engine finds in a flow.
pub fn errors(diagnostics: &[plait_engine::diagnostic::Diagnostic]) -> Vec<String> {
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let mut codes: Vec<String> = errors.map(|found| found.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    codes
}
