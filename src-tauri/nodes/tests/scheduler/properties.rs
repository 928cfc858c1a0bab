//! The properties, one file for each invariant.

mod cancellation;
mod control;
mod coverage;
mod fresh_forks;
mod loops;
mod matches_reference;
mod memory;
mod mutated_input;
mod origins;
mod plans;
mod regressions;
mod replayed_stops;
mod resuming;
mod rules_of_design;
mod run_time_contexts;
mod run_to_node;
mod schedule_independence;
mod size;
mod stops;
mod turn_order;

use plait_core::diagnostic::Severity;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::generate::{Case, case, case_with_loops};
use crate::journal_summary::{JournalSummary, format_journal};
use crate::reference::{Expected, FlowAnalysis};
use crate::run_harness::{RunRecord, Scenario};

/// Asserts that a property holds: for the cases that once failed, and then for random ones of up to `size` nodes.
///
/// These are the same every time. `SCHEDULER_SEED` chooses others, and `PROPTEST_CASES` how many.
pub fn assert_holds(cases: u32, size: usize, property: fn(&Case) -> Result<(), TestCaseError>) {
    for (name, case) in regressions::all() {
        if let Err(TestCaseError::Fail(why)) = property(&case) {
            panic!("{name}: {why}{case:?}");
        }
    }
    holds_for(cases, &case(size), property);
}

/// Asserts that a property holds for random cases with loops.
pub fn assert_holds_with_loops(cases: u32, property: fn(&Case) -> Result<(), TestCaseError>) {
    holds_for(cases, &case_with_loops(), property);
}

fn holds_for(
    cases: u32,
    strategy: &impl Strategy<Value = Case>,
    property: fn(&Case) -> Result<(), TestCaseError>,
) {
    let cases = std::env::var("PROPTEST_CASES").map_or(cases, |text| text.parse().unwrap());
    if let Err(failure) = runner(cases).run(strategy, |case| property(&case)) {
        panic!("{failure}");
    }
}

/// A runner with cases that depend on `SCHEDULER_SEED` alone.
pub fn runner(cases: u32) -> TestRunner {
    let seed: u64 = std::env::var("SCHEDULER_SEED").map_or(0, |text| text.parse().unwrap());
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases,
        max_global_rejects: cases * 64 + 1024,
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// A case that can run: the scenario, its analysis and the expected result. It is rejected if the flow is refused or takes
/// too long.
pub fn runnable(case: &Case) -> Result<(Scenario, FlowAnalysis, Expected), TestCaseError> {
    let analysis = FlowAnalysis::with_overrides(&case.flow, &case.overrides)
        .map_err(|_| TestCaseError::reject("refused"))?;
    let plan = case.plan().map_err(|_| TestCaseError::reject("refused"))?;
    let expected = expected(case, &analysis)?;
    Ok((case.scenario(plan), analysis, expected))
}

/// The expected result of a case. It is rejected if it takes too long.
pub fn expected(case: &Case, analysis: &FlowAnalysis) -> Result<Expected, TestCaseError> {
    let expected = analysis.run(&case.overrides, case.script).ok_or(TestCaseError::reject("too long"))?;
    prop_assert_eq!(&expected.contradiction, &None, "the rules contradict each other");
    if expected.is_ambiguous {
        return Err(TestCaseError::reject("which of several failures comes first depends on timing"));
    }
    Ok(expected)
}

/// Asserts that every node of the plan has reached a final state.
pub fn assert_all_final(
    scenario: &Scenario,
    run: &RunRecord,
    summary: &JournalSummary,
) -> Result<(), TestCaseError> {
    for node in scenario.plan.nodes.iter().filter(|node| node.scope == 0 && !node.is_border) {
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
pub fn errors(diagnostics: &[plait_core::diagnostic::Diagnostic]) -> Vec<String> {
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let mut codes: Vec<String> = errors.map(|found| found.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    codes
}
