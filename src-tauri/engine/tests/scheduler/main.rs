//! Property tests of running a flow: the invariants hold on random flows, and runs match a naive reference interpreter.
//!
//! [`generate`] makes random flows of the node types in [`nodes`]. [`run_harness`] runs them in a deterministic
//! [`simulation`], [`journal_summary`] reads the journals, and [`reference`] computes what they must say.
//!
//! `PROPTEST_CASES` sets the number of cases per property.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that breaks has failed")]

mod generate;
mod journal_summary;
mod nodes;
mod notation;
mod properties;
mod reference;
mod run_harness;
mod simulation;
