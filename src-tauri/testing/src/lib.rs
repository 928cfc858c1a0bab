//! Test doubles for the host: providers, tools, a clock, memories, attachments and sub-flows, and flows in short notation.
//!
//! For tests only; nothing that is shipped depends on it.

mod attachments;
mod clock;
mod flows;
mod memories;
mod provider;
mod retriever;
mod subflows;
mod tools;

pub use attachments::{FakeAttachmentStore, PIXEL};
pub use clock::FakeClock;
pub use flows::flow_of;
pub use memories::FakeMemoryStore;
pub use provider::{FakeProvider, FakeProviders, ScriptedReply};
pub use retriever::FakeRetriever;
pub use subflows::FakeSubflows;
pub use tools::{CALLS_THAT_MEET, FakeTools};
