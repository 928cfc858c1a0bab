//! The invariants of running a flow, held as properties on random flows against a naive reference interpreter.
//!
//! `PROPTEST_CASES` sets how many cases each property sees.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that breaks has failed")]

mod generate;
mod nodes;
mod notation;
mod play;
mod properties;
mod reading;
mod reference;
mod world;
