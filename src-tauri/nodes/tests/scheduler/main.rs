//! Property tests of running a flow: the invariants hold on random flows, and runs match a naive reference interpreter.
//!
//! [`generate`] makes random flows of the node types in [`nodes`]. [`run_harness`] runs them in a deterministic
//! [`simulation`], [`journal_summary`] reads the journals, and [`reference`] computes what they must say.
//!
//! The cases are the same every time. `PROPTEST_CASES` sets the number of cases per property, `SCHEDULER_SEED` chooses others:
//! `PROPTEST_CASES=100000 cargo nextest run --workspace --lib --bins --tests -E 'binary(scheduler) and test(matches_reference)'`.
//! What fails is printed in the short notation; `properties/regressions.txt` keeps it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that breaks has failed"
)]

mod generate;
mod journal_summary;
mod nodes;
mod notation;
mod properties;
mod reference;
mod run_harness;
mod simulation;
