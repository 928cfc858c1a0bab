//! The properties, one file for each of the promises.

mod agreement;
mod coverage;
mod leases;
mod mutated;
mod plans;
mod resuming;
mod schedules;
mod size;
mod steering;
mod stopping;
mod targets;

use plait_engine::diagnostic::Severity;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::generate::Case;
use crate::play::{Piece, Played};
use crate::reading::{Reading, show};
use crate::reference::{Expected, Study};

/// How many cases a property sees, unless `PROPTEST_CASES` says otherwise.
pub fn cases(standard: u32) -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(standard);
    Config { cases, max_global_rejects: cases * 64 + 1024, failure_persistence: None, ..Config::default() }
}

/// A runner whose cases are the same every time, for counting them.
pub fn same_every_time() -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(Config::default(), rng)
}

/// A case that can run: the piece to play, and what must become of it. Nothing where it is refused or takes too long.
pub fn playable(case: &Case) -> Option<(Piece, Study, Expected)> {
    let study = Study::of(&case.flow).ok()?;
    let expected = study.run(&case.given, case.script)?;
    let plan = case.plan().ok()?;
    Some((case.piece(plan), study, expected))
}

/// Every node of the plan has come to a final state.
pub fn all_final(piece: &Piece, played: &Played, reading: &Reading) -> Result<(), TestCaseError> {
    for node in &piece.plan.nodes {
        let mut of_it = reading.activations.iter().filter(|(at, _)| at.node == node.id);
        prop_assert!(of_it.next().is_some(), "nothing became of {}\n{}", node.id, show(&played.entries));
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
