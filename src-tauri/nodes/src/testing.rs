//! A harness that executes one node once, without a scheduler.

mod harness;

pub use harness::{NodeHarness, NodeRun};
