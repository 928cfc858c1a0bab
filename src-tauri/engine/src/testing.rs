//! Test doubles for the host (providers, tools, clock, sub-flows) and a harness that executes one node.
//!
//! For the tests of this and other crates (feature `testing`). There is no scheduler: the harness runs one node once.

mod attachments;
mod clock;
mod flows;
mod harness;
mod memories;
mod provider;
mod retriever;
mod subflows;
mod tools;

pub use attachments::{FakeAttachmentStore, PIXEL};
pub use clock::FakeClock;
pub use flows::flow_of;
pub use harness::{NodeHarness, NodeRun};
pub use memories::FakeMemoryStore;
pub use provider::{FakeProvider, ScriptedReply};
pub use retriever::FakeRetriever;
pub use subflows::FakeSubflows;
pub use tools::{CALLS_THAT_MEET, FakeTools};
