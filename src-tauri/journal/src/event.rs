//! What happens in a run.
//!
//! An [`Event`] belongs to the run, to one of its cycles, or to one activation of a node. Code that follows one matter
//! matches one of the groups: the scheduler reads runs, nodes and children, contexts fold [`ContextEvent`]s, model calls
//! read [`CallEvent`]s. The JSON form is flat; see the codec.
//!
//! Each group is one file:
//!
//! | file | events |
//! |---|---|
//! | `run.rs` | `run.started`, `run.waiting`, `run.cancelling`, `run.finished`, `run.failed`, `run.cancelled` |
//! | `cycle.rs` | `loop.iteration`, `loop.exhausted`, `iteration.started`, `iteration.finished`, `history.*` |
//! | `node.rs` | `node.*`, `run.paused`, `input.provided` |
//! | `context.rs` | `context.*`, `turn.*` |
//! | `memory.rs` | `memory.appended` |
//! | `call.rs` | `prompt.rendered`, `model.replied`, `knowledge.retrieved`, `memory.recalled`, `memory.remembered`, `tool.*` |
//! | `child.rs` | `child.*` |
//! | `debug.rs` | `debug.*`, `value.*` |

mod call;
mod child;
mod context;
mod cycle;
mod debug;
mod memory;
mod node;
mod run;
mod type_script;

use crate::event_payload::EventRef;
use plait_core::id::Activation;

pub use call::CallEvent;
pub use child::ChildEvent;
pub use context::ContextEvent;
pub use cycle::LoopEvent;
pub use debug::{BegunAttempt, DebugEvent};
pub use memory::MemoryEvent;
pub use node::{NodeEvent, skip_notice};
pub use run::{RunEnd, RunEvent};

/// How many open questions an event lists. A run may have thousands, and waits again after each answer; each has an event of
/// its own anyway (`run.paused`).
pub const MAX_LISTED_QUESTIONS: usize = 16;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The run as a whole started, waits or ended.
    Run(RunEvent),
    /// A cycle, named by its entry node, or a loop, and one of its epochs: it opened that epoch, was stopped in it or closed it.
    Loop(Activation, LoopEvent),
    /// An activation passed from one phase to another.
    Node(Activation, NodeEvent),
    /// An activation created or changed a context.
    Context(Activation, ContextEvent),
    /// An activation changed the workflow's memory.
    Memory(Activation, MemoryEvent),
    /// An activation called a model or a tool.
    Call(Activation, CallEvent),
    /// An activation runs another flow.
    Child(Activation, ChildEvent),
    /// The debugger held the run, or let it go on.
    Debug(DebugEvent),
}

impl Event {
    /// The activation the event belongs to. Events of the run, of its cycles and of the debugger have none.
    pub fn activation(&self) -> Option<&Activation> {
        match self {
            Self::Run(_) | Self::Loop(..) | Self::Debug(_) => None,
            Self::Node(activation, _)
            | Self::Context(activation, _)
            | Self::Memory(activation, _)
            | Self::Call(activation, _)
            | Self::Child(activation, _) => Some(activation),
        }
    }

    /// The event of an earlier run that a reply, a result, a search or a recall was taken from. It can be taken from there again.
    pub fn reused(&self) -> Option<&EventRef> {
        let Self::Call(_, call) = self else { return None };
        match call {
            CallEvent::ModelReplied { reused, .. }
            | CallEvent::KnowledgeRetrieved { reused, .. }
            | CallEvent::MemoryRecalled { reused, .. }
            | CallEvent::ToolFinished { reused, .. } => reused.as_ref(),
            _ => None,
        }
    }

    /// How the run ended, if this event ends it.
    pub fn run_end(&self) -> Option<RunEnd> {
        match self {
            Self::Run(RunEvent::Finished { .. }) => Some(RunEnd::Finished),
            Self::Run(RunEvent::Failed { .. }) => Some(RunEnd::Failed),
            Self::Run(RunEvent::Canceled { .. }) => Some(RunEnd::Canceled),
            _ => None,
        }
    }

    /// Whether the event ends the run: no entry follows it.
    pub fn is_terminal(&self) -> bool {
        self.run_end().is_some()
    }
}

/// An event of an activation that does not say yet which.
pub trait ActivationEvent {
    fn of(self, activation: Activation) -> Event;
}

impl ActivationEvent for NodeEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Node(activation, self)
    }
}

impl ActivationEvent for ContextEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Context(activation, self)
    }
}

impl ActivationEvent for MemoryEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Memory(activation, self)
    }
}

impl ActivationEvent for CallEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Call(activation, self)
    }
}

impl ActivationEvent for ChildEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Child(activation, self)
    }
}

/// A run has events by the million, and each is moved several times between the scheduler, the journal and its readers: rare parts of an
/// event that take more room than this are in a box.
const _: () = assert!(size_of::<Event>() <= 200);
