//! A world to try nodes in: providers, tools and a clock that are scripted, and a harness that runs one node by itself.
//!
//! For the tests of this and other crates (feature `testing`). It is no scheduler: it runs one node once.

mod clock;
mod harness;
mod provider;
mod subflows;
mod tools;

pub use clock::FakeClock;
pub use harness::{NodeHarness, Ran};
pub use provider::{FakeProvider, Scripted};
pub use subflows::FakeSubflows;
pub use tools::FakeTools;
