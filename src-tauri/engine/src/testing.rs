//! A world to try nodes in: providers, tools and a clock that are scripted, and a bench that runs one node by itself.
//!
//! For the tests of this and other crates (feature `testing`). It is no scheduler: it runs what it is told to, once.

mod bench;
mod clock;
mod provider;
mod subflows;
mod tools;

pub use bench::{Bench, Ran};
pub use clock::FakeClock;
pub use provider::{FakeProvider, Scripted};
pub use subflows::FakeSubflows;
pub use tools::FakeTools;
