//! One run as lineage reads it: its view, the flow that it ran, and where in the journal its values stand.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use plait_core::flow::{Flow, Node};
use plait_core::id::{Activation, MessageId, NodeId, PortName, RunId};
use plait_journal::view::{EpochView, RunView};
use plait_journal::{CallEvent, ContextEvent, DebugEvent, Entry, Event, NodeEvent, Side, SourceRef};
use plait_llm::context::SharedMessage;
use plait_llm::long_term_memory::Recall;
use serde_json::{Map, Value};

use super::LineageSource;
use super::place::LineageSpot;
use crate::lens::{Lens, SentMessage};

/// The type of a node that is a loop.
pub(crate) const LOOP: &str = "loop";

/// An input and which of its values.
pub(super) type FedInput = (Activation, PortName, usize);

/// A run, folded once for any number of questions.
pub struct RecordedRun {
    pub(super) id: RunId,
    lens: Lens,
    flow: Option<Flow>,
    places: HashMap<Activation, JournalPlaces>,
    /// The outputs whose value is a message.
    said: HashMap<MessageId, (Activation, PortName)>,
    /// The messages that earlier runs of the conversation said.
    earlier: HashSet<MessageId>,
    /// The inputs that each output feeds.
    fed: HashMap<(Activation, PortName), Vec<FedInput>>,
    /// What people changed at stops: on an input before the start, or on an output.
    changed: HashMap<(Activation, PortName, bool), (u64, Arc<Value>)>,
    recalls: HashMap<Activation, Arc<Recall>>,
    /// Whose child a run is.
    parents: HashMap<RunId, Activation>,
}

/// Where the events of an activation stand in the journal.
#[derive(Default)]
struct JournalPlaces {
    ready: Option<u64>,
    finished: Option<u64>,
    prompts: Vec<u64>,
    replies: Vec<u64>,
    called: Vec<u64>,
    returned: HashMap<String, u64>,
    answers: Vec<u64>,
}

impl RecordedRun {
    /// Folds a journal. Without the flow, no template is rendered again, so less is known.
    pub fn new(id: RunId, journal: &[Entry], flow: Option<Flow>) -> Self {
        let mut run = Self {
            id,
            lens: Lens::default(),
            flow,
            places: HashMap::new(),
            said: HashMap::new(),
            earlier: HashSet::new(),
            fed: HashMap::new(),
            changed: HashMap::new(),
            recalls: HashMap::new(),
            parents: HashMap::new(),
        };
        for entry in journal {
            run.lens.apply(entry);
            run.apply(&entry.event, entry.seq.unwrap_or_default());
        }
        run
    }

    pub fn id(&self) -> &RunId {
        &self.id
    }

    fn apply(&mut self, event: &Event, seq: u64) {
        match event {
            Event::Node(at, event) => self.apply_node_event(at, event, seq),
            Event::Call(at, event) => self.apply_call_event(at, event, seq),
            Event::Context(_, ContextEvent::Created { context })
                if self.view().outline.conversation.is_some() =>
            {
                self.earlier.extend(context.message_history.iter().map(|message| message.id.clone()));
            }
            Event::Child(at, plait_journal::ChildEvent::Started { run }) => {
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

    /// What its models were sent.
    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    /// The run as its journal says.
    pub fn view(&self) -> &RunView {
        self.lens.view()
    }

    /// What one activation came to.
    pub fn epoch(&self, at: &Activation) -> Option<&EpochView> {
        self.view().nodes.get(&at.node)?.at(&at.epoch)
    }

    /// The output that a value on an input came from.
    pub(crate) fn source_of(
        &self,
        at: &Activation,
        port: &PortName,
        index: usize,
    ) -> Option<(Activation, PortName)> {
        let SourceRef { node, epoch, port } = self.epoch(at)?.inputs.get(port)?.get(index)?.clone();
        Some((Activation { node, epoch }, port))
    }

    /// The value of an output. What a loop gives to the nodes inside of it is not journaled; it follows from the loop's inputs.
    pub(crate) fn output_value(&self, at: &Activation, port: &PortName) -> Option<Arc<Value>> {
        if let Some(value) = self.epoch(at).and_then(|epoch| epoch.outputs.get(port)) {
            return Some(Arc::clone(value));
        }
        if self.node(&at.node).is_none_or(|node| node.node_type != LOOP) {
            return None;
        }
        let index = *at.epoch.0.last()?;
        match port.as_str() {
            "index" => Some(Arc::new(index.into())),
            "item" => {
                let outer = Activation { node: at.node.clone(), epoch: at.epoch.outer() };
                let (from, port) = self.source_of(&outer, &"items".into(), 0)?;
                let items = self.output_value(&from, &port)?;
                Some(Arc::new(items.get(index as usize)?.clone()))
            }
            _ => None,
        }
    }

    /// The number of the event that ended an activation. Nothing if it was skipped or has not ended.
    pub(crate) fn ended_at(&self, at: &Activation) -> Option<u64> {
        self.places.get(at)?.finished
    }

    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref()
    }

    pub(crate) fn node(&self, id: &NodeId) -> Option<&Node> {
        self.flow.as_ref()?.nodes.get(id)
    }

    /// The config that an activation had: that of the flow, or one that a person tried.
    pub(super) fn config(&self, at: &Activation) -> Option<&Map<String, Value>> {
        let tried = self.epoch(at).and_then(|epoch| epoch.trial.as_deref());
        tried.or_else(|| Some(&self.node(&at.node)?.config))
    }

    /// Where a text comes from that a setting of an activation has, by its pointer.
    pub(super) fn setting(&self, at: &Activation, setting: String) -> LineageSource {
        let node = at.node.clone();
        match self.epoch(at).and_then(|epoch| epoch.trial.as_ref()) {
            Some(_) => LineageSource::Trial { node, setting },
            None => LineageSource::Flow { node, setting: Some(setting) },
        }
    }

    /// The messages of a prompt as they were sent.
    pub fn messages(&self, at: &Activation, call: usize) -> Vec<(SentMessage, Option<SharedMessage>)> {
        self.lens.sent_messages(at, call)
    }

    pub(super) fn said(&self, id: &MessageId) -> Option<&(Activation, PortName)> {
        self.said.get(id)
    }

    pub(crate) fn is_of_earlier_run(&self, id: &MessageId) -> bool {
        self.earlier.contains(id)
    }

    pub(super) fn fed_by(&self, at: &Activation, port: &PortName) -> &[FedInput] {
        self.fed.get(&(at.clone(), port.clone())).map_or(&[], Vec::as_slice)
    }

    /// What a person put on an input or output in place of another value, and the number of the event that says so.
    pub(crate) fn changed(
        &self,
        at: &Activation,
        port: &PortName,
        is_input: bool,
    ) -> Option<&(u64, Arc<Value>)> {
        if self.changed.is_empty() {
            return None;
        }
        self.changed.get(&(at.clone(), port.clone(), is_input))
    }

    pub(super) fn recall(&self, at: &Activation) -> Option<&Arc<Recall>> {
        self.recalls.get(at)
    }

    /// The activation that began this child run.
    pub(super) fn parent_of(&self, child: &RunId) -> Option<&Activation> {
        self.parents.get(child)
    }

    /// The places of the model calls of the run, in their order.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&Activation, usize)> {
        self.lens.call_places()
    }

    /// Where the event that gave a place its text stands in the journal.
    pub(super) fn seq(&self, spot: &LineageSpot) -> Option<u64> {
        let places = spot.activation().and_then(|at| self.places.get(&at));
        match spot {
            LineageSpot::Output { .. } => places?.finished,
            LineageSpot::Input { .. } => places?.ready,
            LineageSpot::Message { call, .. } => places?.prompts.get(*call).copied(),
            // A call that failed has no reply: the replies after it have lower numbers.
            LineageSpot::Reply { node, epoch, call } => {
                let at = Activation { node: node.clone(), epoch: epoch.clone() };
                let calls = self.epoch(&at)?.calls.get(..*call)?;
                let earlier = calls.iter().filter(|call| call.reply.is_some()).count();
                places?.replies.get(earlier).copied()
            }
            LineageSpot::ToolArguments { tool, .. } => places?.called.get(*tool).copied(),
            LineageSpot::ToolResult { node, epoch, tool } => {
                let at = Activation { node: node.clone(), epoch: epoch.clone() };
                let id = &self.epoch(&at)?.tools.get(*tool)?.call.id;
                places?.returned.get(id).copied()
            }
            LineageSpot::Answer { question, .. } => places?.answers.get(*question).copied(),
            LineageSpot::RunInput | LineageSpot::Set { .. } => Some(0),
        }
    }
}
