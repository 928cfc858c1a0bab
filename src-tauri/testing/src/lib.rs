//! Test doubles for the host: providers, tools, a clock, memories, attachments and sub-flows; flows in short notation; the first event of
//! a run, and the event of a reply.
//!
//! For tests only; nothing that is shipped depends on it.

mod attachments;
mod bought_reply;
mod clock;
mod flows;
mod memories;
mod provider;
mod retriever;
mod run_start;
mod subflows;
mod tools;

pub use attachments::{FakeAttachmentStore, PIXEL};
pub use bought_reply::bought_reply;
pub use clock::FakeClock;
pub use flows::flow_of;
pub use memories::FakeMemoryStore;
pub use provider::{FakeProvider, FakeProviders, ScriptedReply};
pub use retriever::FakeRetriever;
pub use run_start::RunStart;
pub use subflows::FakeSubflows;
pub use tools::{CALLS_THAT_MEET, FakeTools};
