//! What lineage needs to know of entries: all of a run, or some of them.

use std::borrow::Borrow;
use std::sync::Arc;

use plait_core::id::{Activation, MessageId, PortName, RunId};
use plait_journal::{CallEvent, ChildEvent, ContextEvent, DebugEvent, Entry, Event, NodeEvent, Side};
use plait_llm::long_term_memory::Recall;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::Fed;
use crate::lens::Lens;

/// A fold of entries in their order. What it says of an activation, a message or a run is whole if it was given all entries about that.
#[derive(Default)]
pub(super) struct LineageFold {
    pub(super) lens: Lens,
    pub(super) places: FxHashMap<Activation, JournalPlaces>,
    /// The outputs whose value is a message.
    pub(super) said: FxHashMap<MessageId, (Activation, PortName)>,
    /// The messages that earlier runs of the conversation said.
    pub(super) earlier: FxHashSet<MessageId>,
    /// The inputs that each output feeds.
    pub(super) fed: Fed,
    /// What people changed at stops: on an input before the start, or on an output.
    pub(super) changed: FxHashMap<(Activation, PortName, bool), (u64, Arc<Value>)>,
    pub(super) recalls: FxHashMap<Activation, Arc<Recall>>,
    /// Whose child a run is.
    pub(super) parents: FxHashMap<RunId, Activation>,
}

/// Where the events of an activation stand in the journal.
#[derive(Default)]
pub(super) struct JournalPlaces {
    pub(super) ready: Option<u64>,
    pub(super) finished: Option<u64>,
    pub(super) prompts: Vec<u64>,
    pub(super) replies: Vec<u64>,
    pub(super) called: Vec<u64>,
    pub(super) returned: FxHashMap<String, u64>,
    pub(super) answers: Vec<u64>,
}

impl LineageFold {
    pub(super) fn of(entries: impl IntoIterator<Item = impl Borrow<Entry>>) -> Box<Self> {
        let mut fold = Box::<Self>::default();
        entries.into_iter().for_each(|entry| fold.apply(entry.borrow()));
        fold
    }

    pub(super) fn apply(&mut self, entry: &Entry) {
        self.lens.apply(entry);
        let seq = entry.seq.unwrap_or_default();
        match &entry.event {
            Event::Node(at, event) => self.apply_node_event(at, event, seq),
            Event::Call(at, event) => self.apply_call_event(at, event, seq),
            Event::Context(_, ContextEvent::Created { context })
                if self.lens.view().outline.conversation.is_some() =>
            {
                self.earlier.extend(context.message_history.iter().map(|message| message.id.clone()));
            }
            Event::Child(at, ChildEvent::Started { run }) => {
                self.parents.insert(run.clone(), at.clone());
            }
            Event::Debug(DebugEvent::Overridden { point, port, value, .. }) => {
                let key = (point.activation(), port.clone(), point.side == Side::Before);
                self.changed.insert(key, (seq, Arc::clone(value)));
            }
            _ => {}
        }
    }

    fn apply_node_event(&mut self, at: &Activation, event: &NodeEvent, seq: u64) {
        let places = self.places.entry(at.clone()).or_default();
        match event {
            NodeEvent::Ready { inputs } => {
                places.ready = Some(seq);
                for (port, sources) in inputs {
                    for (index, source) in sources.iter().enumerate() {
                        let from = Activation { node: source.node.clone(), epoch: source.epoch.clone() };
                        let fed = self.fed.entry((from, source.port.clone())).or_default();
                        fed.push((at.clone(), port.clone(), index));
                    }
                }
            }
            NodeEvent::Finished { messages, .. } => {
                places.finished = Some(seq);
                for (port, id) in messages {
                    self.said.entry(id.clone()).or_insert_with(|| (at.clone(), port.clone()));
                }
            }
            NodeEvent::Failed { .. } => places.finished = Some(seq),
            NodeEvent::Answered { .. } => places.answers.push(seq),
            _ => {}
        }
    }

    fn apply_call_event(&mut self, at: &Activation, event: &CallEvent, seq: u64) {
        let places = self.places.entry(at.clone()).or_default();
        match event {
            CallEvent::PromptRendered { .. } => places.prompts.push(seq),
            CallEvent::ModelReplied { .. } => places.replies.push(seq),
            CallEvent::ToolCalled { .. } => places.called.push(seq),
            CallEvent::ToolFinished { call_id, .. } => {
                places.returned.insert(call_id.clone(), seq);
            }
            CallEvent::MemoryRecalled { recall, .. } => {
                self.recalls.insert(at.clone(), Arc::clone(recall));
            }
            _ => {}
        }
    }
}
