//! One open activation: its phase, and what its inputs have so far.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::given_origins::GivenOrigins;
use super::{Answer, Start};
use crate::node::{Datum, Inputs};
use crate::plan::{NodeIx, PlanNode};
use plait_core::id::{ContextId, Epoch, PortName};
use plait_core::origin::Origins;
use plait_journal::{FinishMetadata, SourceRef};
use plait_llm::transcript::said_id;

/// Where an open activation stands. The transitions head the [scheduler](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Some of its edges are undecided.
    Waiting,
    /// Its inputs are decided, but turns in its context that come before its own are not.
    AwaitingTurn,
    /// It may start.
    Ready,
    /// It was started.
    Running,
    /// It was started, and its child run waits for a person.
    AwaitingChild,
    /// It asks a person.
    Paused,
    /// It asks, and the answer of an earlier run follows.
    AnswerFollows,
    /// The person answered, so it may start again.
    Answered,
    /// It is a loop, and its iterations run.
    Repeating,
}

impl Phase {
    /// Whether the driver has something to do or to wait for.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Ready | Self::Running | Self::AnswerFollows | Self::Answered)
    }

    /// Whether only a person can make it go on.
    pub fn needs_person(self) -> bool {
        matches!(self, Self::Paused | Self::AwaitingChild)
    }

    /// Whether it was started and has not ended.
    pub fn is_started(self) -> bool {
        matches!(self, Self::Running | Self::AwaitingChild | Self::AnswerFollows | Self::Repeating)
    }
}

/// How many activations of a run are open, by phase.
#[derive(Default)]
pub(super) struct Counts {
    /// Activations that the driver has to start or to wait for.
    pub active: usize,
    /// Activations that only a person can continue.
    pub needing_person: usize,
    /// Those of them that wait for a person in a child run.
    pub awaiting_child: usize,
}

impl Counts {
    /// An activation has left one phase for another. `None`: it was opened or closed.
    pub fn change(&mut self, from: Option<Phase>, to: Option<Phase>) {
        let moves = |is: fn(Phase) -> bool| (from.is_some_and(is), to.is_some_and(is));
        adjust(&mut self.active, moves(Phase::is_active));
        adjust(&mut self.needing_person, moves(Phase::needs_person));
        adjust(&mut self.awaiting_child, moves(|phase| phase == Phase::AwaitingChild));
    }
}

fn adjust(count: &mut usize, (was, is): (bool, bool)) {
    match (was, is) {
        (true, false) => *count -= 1,
        (false, true) => *count += 1,
        _ => {}
    }
}

pub(super) struct Slot {
    pub epoch: Epoch,
    pub phase: Phase,
    /// How many edges are undecided yet.
    pub pending: usize,
    /// The live values so far.
    pub arrived: SmallVec<[Arrival; 2]>,
    /// What the ports were decided to hold; filled when the activation becomes ready.
    pub inputs: Inputs,
    /// Where its inputs came from, while it awaits its turn.
    pub sources: Option<Box<Sources>>,
    /// A context that it names and must not see.
    pub hidden_context: Option<ContextId>,
    pub attempt: u32,
    pub answer: Option<Answer>,
    /// Whether it has written to contexts or to the memory; noted in loops only.
    pub has_written: bool,
}

/// By input, where its values came from.
pub(super) type Sources = BTreeMap<PortName, Vec<SourceRef>>;

/// A live value on an edge, and where it came from.
#[derive(Clone)]
pub(super) struct Delivered {
    pub datum: Datum,
    pub source: SourceRef,
}

/// A live value that arrived at a port.
#[derive(Clone)]
pub(super) struct Arrival {
    pub port: usize,
    /// Values over back edges come before values held from outside; then the order of the edges, then plan order decides.
    pub rank: (bool, i32, usize),
    pub value: Delivered,
}

impl Slot {
    pub fn new(epoch: Epoch) -> Self {
        Self {
            epoch,
            phase: Phase::Waiting,
            pending: 0,
            arrived: SmallVec::new(),
            inputs: Inputs::default(),
            sources: None,
            hidden_context: None,
            attempt: 1,
            answer: None,
            has_written: false,
        }
    }

    /// Where its outputs come from, if the node itself adds these places.
    pub fn output_origins(&self, added: &Origins) -> Origins {
        let mut origins = self.inputs.origins();
        origins.add(added);
        origins
    }

    /// Where the outputs of a success come from. Those of a pin come from none of the inputs.
    pub fn finished_origins(&self, metadata: &FinishMetadata) -> Origins {
        if metadata.pinned { metadata.origins.clone() } else { self.output_origins(&metadata.origins) }
    }

    pub fn start(&self, node: NodeIx) -> Start {
        Start {
            node,
            epoch: self.epoch.clone(),
            inputs: self.inputs.clone(),
            attempt: self.attempt,
            answer: self.answer.clone(),
            hidden_context: self.hidden_context.clone(),
        }
    }

    /// Decides what each port holds. `given` is where values come from that were given to the run. Returns the sources of the
    /// values, or the place of a required port that is dead.
    pub fn decide(&mut self, node: &PlanNode, given: &GivenOrigins) -> Result<Sources, usize> {
        let mut arrived = std::mem::take(&mut self.arrived);
        arrived.sort_by_key(|arrival| (arrival.port, arrival.rank));
        let ports = &node.node.ports().inputs;
        let first = self.epoch.0.last().is_none_or(|&counter| counter == 0);
        let must = if first { &node.required_first } else { &node.required_later };
        let behavior = node.node.behavior();
        let takes_messages = behavior.is_agent || behavior.uses_context;
        let mut sources = BTreeMap::new();
        let mut arrived = arrived.into_iter().peekable();
        for (at, port) in ports.iter().enumerate() {
            let mut values: SmallVec<[Delivered; 1]> = SmallVec::new();
            let mut from_back = false;
            while let Some(Arrival { rank, value, .. }) = arrived.next_if(|arrival| arrival.port == at) {
                // A live back edge takes the place of everything held from outside.
                if !port.many || rank.0 && !from_back {
                    values.clear();
                }
                from_back |= rank.0;
                values.push(value);
            }
            if let Some(value) = node.overrides.get(&at) {
                let origins = given.of_port(&node.id, &port.name);
                let datum = Datum { value: value.clone(), message: None, origins };
                self.inputs.push(&port.name, datum);
            } else if values.is_empty() && must[at] {
                return Err(at);
            }
            if port.order_only {
                continue;
            }
            let mut from = Vec::with_capacity(values.len());
            for Delivered { datum, source } in values {
                let said = || said_id(&source.node, &source.epoch, &source.port, &self.epoch);
                let message = datum.message.or_else(|| takes_messages.then(said));
                self.inputs.push(&port.name, Datum { message, ..datum });
                from.push(source);
            }
            if !from.is_empty() {
                sources.insert(port.name.clone(), from);
            }
        }
        Ok(sources)
    }
}
