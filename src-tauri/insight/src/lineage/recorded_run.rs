//! One run as lineage reads it: its view, the flow that it ran, and where in the journal its values stand.

mod fold;
mod lazy_folds;

use std::sync::Arc;

use plait_core::flow::{Flow, LazyFlow, Node};
use plait_core::id::{Activation, Epoch, MessageId, NodeId, PortName, RunId};
use plait_journal::view::{EpochView, RunOutline, RunView};
use plait_journal::{Entry, JournalLines, SourceRef};
use plait_llm::context::SharedMessage;
use plait_llm::long_term_memory::Recall;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::LineageSource;
use super::place::LineageSpot;
use crate::lens::{Lens, SentMessage};
use fold::LineageFold;
use lazy_folds::LazyFolds;

/// The type of a node that is a loop.
pub(crate) const LOOP: &str = "loop";

/// An input and which of its values.
pub(super) type FedInput = (Activation, PortName, usize);
/// The inputs that each output feeds.
type Fed = FxHashMap<(Activation, PortName), Vec<FedInput>>;

/// A run, folded once for any number of questions.
pub struct RecordedRun {
    pub(super) id: RunId,
    flow: Option<Arc<LazyFlow>>,
    folds: Folds,
}

enum Folds {
    Whole(Box<LineageFold>),
    Lazy(Box<LazyFolds>),
}

impl RecordedRun {
    /// Folds a journal. Without the flow, no template is rendered again, so less is known.
    pub fn new(id: RunId, journal: &[Entry], flow: Option<Flow>) -> Self {
        let flow = flow.map(|flow| Arc::new(flow.into()));
        Self { id, flow, folds: Folds::Whole(LineageFold::of(journal)) }
    }

    /// The same for entries that are folded as they are read. The flow is given [later](Self::with_flow).
    pub fn of_entries(id: RunId, journal: impl Iterator<Item = Entry>) -> Self {
        Self { id, flow: None, folds: Folds::Whole(LineageFold::of(journal)) }
    }

    /// The same with a flow, which several runs may share.
    #[must_use]
    pub fn with_flow(self, flow: Option<Arc<LazyFlow>>) -> Self {
        Self { flow, ..self }
    }

    /// The same, for questions about few activations: their entries and nodes are read when they are asked about.
    pub fn of_lines(id: RunId, journal: Box<dyn JournalLines>, flow: Option<LazyFlow>) -> Self {
        let folds = match LazyFolds::new(journal) {
            Ok(folds) => Folds::Lazy(Box::new(folds)),
            Err(journal) => {
                let entries = (0..journal.count()).filter_map(|index| journal.entry(index));
                Folds::Whole(LineageFold::of(entries))
            }
        };
        Self { id, flow: flow.map(Arc::new), folds }
    }

    pub fn id(&self) -> &RunId {
        &self.id
    }

    fn whole(&self) -> &LineageFold {
        match &self.folds {
            Folds::Whole(fold) => fold,
            Folds::Lazy(folds) => folds.whole(),
        }
    }

    /// The fold that knows an activation.
    fn fold_of(&self, at: &Activation) -> Option<&LineageFold> {
        match &self.folds {
            Folds::Whole(fold) => Some(fold),
            Folds::Lazy(folds) => folds.activation(at),
        }
    }

    fn outline_fold(&self) -> &LineageFold {
        match &self.folds {
            Folds::Whole(fold) => fold,
            Folds::Lazy(folds) => folds.outline(),
        }
    }

    fn conversations(&self) -> &LineageFold {
        match &self.folds {
            Folds::Whole(fold) => fold,
            Folds::Lazy(folds) => folds.conversations(),
        }
    }

    /// What its models were sent.
    pub fn lens(&self) -> &Lens {
        &self.whole().lens
    }

    /// The run as its journal says.
    pub fn view(&self) -> &RunView {
        self.lens().view()
    }

    /// What the run was given, and what it came to. What goes on in it is in [`view`](Self::view) alone.
    pub(super) fn outline(&self) -> &RunOutline {
        &self.outline_fold().lens.view().outline
    }

    /// What one activation came to.
    pub fn epoch(&self, at: &Activation) -> Option<&EpochView> {
        self.fold_of(at)?.lens.view().nodes.get(&at.node)?.at(&at.epoch)
    }

    /// What each activation of a node came to, by epoch.
    pub(super) fn epochs(&self, node: &NodeId) -> Vec<&EpochView> {
        match &self.folds {
            Folds::Whole(fold) => {
                fold.lens.view().nodes.get(node).into_iter().flat_map(|node| &node.epochs).collect()
            }
            Folds::Lazy(folds) => {
                let activation = |epoch: &Epoch| Activation { node: node.clone(), epoch: epoch.clone() };
                let epochs = folds.epochs(node).iter();
                epochs.filter_map(|epoch| self.epoch(&activation(epoch))).collect()
            }
        }
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
        self.fold_of(at)?.places.get(at)?.finished
    }

    /// All of the flow. For single nodes, [`node`](Self::node) reads less.
    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref()?.whole()
    }

    /// Whether both are known to have run the same flow.
    pub(crate) fn shares_flow(&self, other: &Self) -> bool {
        self.flow.as_ref().zip(other.flow.as_ref()).is_some_and(|(own, other)| Arc::ptr_eq(own, other))
    }

    pub(crate) fn node(&self, id: &NodeId) -> Option<&Node> {
        self.flow.as_ref()?.node(id.as_str())
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
        let epoch = self.epoch(at);
        epoch.map(|epoch| self.conversations().lens.sent_messages(epoch, at, call)).unwrap_or_default()
    }

    pub(super) fn said(&self, id: &MessageId) -> Option<&(Activation, PortName)> {
        self.conversations().said.get(id)
    }

    pub(crate) fn is_of_earlier_run(&self, id: &MessageId) -> bool {
        self.conversations().earlier.contains(id)
    }

    pub(super) fn fed_by(&self, at: &Activation, port: &PortName) -> &[FedInput] {
        let fed = match &self.folds {
            Folds::Whole(fold) => &fold.fed,
            Folds::Lazy(folds) => folds.fed(),
        };
        fed.get(&(at.clone(), port.clone())).map_or(&[], Vec::as_slice)
    }

    /// What a person put on an input or output in place of another value, and the number of the event that says so.
    pub(crate) fn changed(
        &self,
        at: &Activation,
        port: &PortName,
        is_input: bool,
    ) -> Option<&(u64, Arc<Value>)> {
        let changed = &self.outline_fold().changed;
        if changed.is_empty() {
            return None;
        }
        changed.get(&(at.clone(), port.clone(), is_input))
    }

    pub(super) fn recall(&self, at: &Activation) -> Option<&Arc<Recall>> {
        self.fold_of(at)?.recalls.get(at)
    }

    /// The activation that began this child run.
    pub(super) fn parent_of(&self, child: &RunId) -> Option<&Activation> {
        self.outline_fold().parents.get(child)
    }

    /// The places of the model calls of the run, in their order.
    pub(super) fn calls(&self) -> Box<dyn Iterator<Item = (&Activation, usize)> + '_> {
        match &self.folds {
            Folds::Whole(fold) => Box::new(fold.lens.call_places().map(|(_, at, call)| (at, call))),
            Folds::Lazy(folds) => Box::new(folds.calls()),
        }
    }

    /// Where the event that gave a place its text stands in the journal.
    pub(super) fn seq(&self, spot: &LineageSpot) -> Option<u64> {
        let at = spot.activation();
        let places = at.as_ref().and_then(|at| self.fold_of(at)?.places.get(at));
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
