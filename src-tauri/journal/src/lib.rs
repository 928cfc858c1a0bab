//! The journal: the append-only list of events that a run is.
//!
//! Owns the [`Event`], the [`Entry`] that numbers and dates it, the JSON form of both (`codec`), the payloads of
//! events, and what follows from them alone: the [`view`] of a run, the cost of a model call ([`CallAccount`]) and of a run
//! ([`Spending`]), and what a fork takes over ([`earlier_run`]). Storage is behind the [`Journal`] trait. Refuses to know plans
//! and schedulers: they build on this crate.
//!
//! Some events happen (`node.finished`, `input.provided`). Others are *derived* from them (`node.ready`, `run.waiting`,
//! the run's end) and stand directly behind their cause, in the same atomic append. So a journal can be read without
//! running anything. Deltas (`node.delta`, `node.progressed`, `tool.progressed`) are for watchers and never journaled. A run may have
//! thousands of open questions: `run.waiting` and `child.waiting` list only the first ones, so that a journal does not
//! grow with their square.

mod breakpoint;
mod call_account;
mod codec;
pub mod codes;
pub mod divergence;
pub mod earlier_run;
mod entry;
mod event;
mod event_payload;
mod lines;
mod memory_journal;
mod nesting;
mod revision;
mod spending;
pub mod view;
pub mod world_policy;

use futures::future::BoxFuture;

use plait_core::error::Fault;

pub use breakpoint::{
    BREAKPOINT_SYNTAX, Breakpoint, BreakpointText, DebugVerb, OutputRef, Side, StopCause, StopEvent,
    StopPoint, StopScope,
};
pub use call_account::CallAccount;
pub use entry::Entry;
pub use event::{
    ActivationEvent, BegunAttempt, CallEvent, ChildEvent, ContextEvent, DebugEvent, Event, LoopEvent,
    MAX_LISTED_QUESTIONS, MemoryEvent, NodeEvent, RunEnd, RunEvent, skip_notice,
};
pub use event_payload::{
    Answer, ChildQuestion, EventRef, FinishMetadata, FlowRef, FreshFrom, InputOverrides, NodeOutputs,
    ProgramRef, RecordingRef, ReplySource, RunFault, RunOrigin, SkipReason, SourceRef,
};
pub use event_payload::{FINISHES_LOOP, LOOP_TURN};
pub use lines::{JournalLines, LineHead};
pub use memory_journal::MemoryJournal;
pub use nesting::{MAX_NESTING_DEPTH, is_too_deep};
pub use revision::ENGINE_REVISION;
pub use spending::Spending;

/// The journal of one run. The engine appends and flushes; the store decides how.
pub trait Journal: Send {
    /// Appends entries in order, all of them or none. A crash may lose them until the next [`Journal::flush`]; what it
    /// loses is always a suffix.
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault>;

    /// Resolves when everything appended before the call survives a crash. It goes on while more is appended.
    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>>;
}
