//! The conversation of the innermost conversational loop around a node, as it stands at the node's place.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{ConversationSettings, HistoryBounds, HistorySummary, LoopHistory, SummaryPlan, turn_content};
use crate::context::conversation::MESSAGE_ID_PREFIX;
use crate::context::{History, Message, SharedMessage};
use plait_core::error::Fault;
use plait_core::flow::SummarizerAgent;
use plait_core::id::{Activation, Epoch, MessageId, NodeId, PortName};

/// Something that was said on the way to an input of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceivedText {
    /// A turn, by its position, and what its author said, if that is known: the content of the turn may have a text file after it.
    Turn(usize, Option<Arc<Value>>),
    /// What became no turn.
    Other(Arc<Value>),
}

/// A message of a context that stands among the turns of a loop and is none of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Insertion {
    /// How many turns stand before it.
    pub at: usize,
    pub message: SharedMessage,
}

/// The conversation around a node.
#[derive(Clone, Debug)]
pub struct LoopConversation {
    pub settings: Arc<ConversationSettings>,
    pub owner: Activation,
    /// What was said so far: in the iterations that are over, and in this one before the node.
    pub turns: LoopHistory,
    /// How many of the turns were said before this iteration.
    pub appended: usize,
    /// By input of the node, what was said on the way to it, nearest first.
    pub received: BTreeMap<PortName, Vec<ReceivedText>>,
    /// The summary of the oldest turns, and the iteration that wrote it.
    pub summary: Option<(HistorySummary, Epoch)>,
    /// Through which turn the last summary that was due was not written, and why.
    pub no_summary: Option<(usize, Fault)>,
    /// The tokens that the turns may have before an iteration so that they fit the windows of the models in the loop, if that is known.
    pub window_room: Option<u64>,
    /// The agent that writes summaries, if the loop names one or a default is set.
    pub summarizer: Option<Arc<SummarizerAgent>>,
    /// The first turn, if it is the loop's input.
    pub start: Option<MessageId>,
    /// The outermost conversational loop around the node.
    pub scope: ConversationScope,
}

/// The outermost conversational loop around a node. What its nodes say reaches models as turns, and not as messages of a
/// context as well.
#[derive(Clone, Debug)]
pub struct ConversationScope {
    /// The loop.
    pub owner: Activation,
    /// The nodes in it, at any depth, with their places in plan order.
    pub order: Arc<FxHashMap<NodeId, usize>>,
    /// The nodes with messages that are turns or could be: models, and nodes that ask a person.
    pub speakers: Arc<FxHashSet<NodeId>>,
    /// Whether other nodes in it may write to contexts.
    pub others_write: bool,
}

impl LoopConversation {
    /// The bounds of the settings.
    pub fn bounds(&self) -> HistoryBounds {
        let management = &self.settings.history_management;
        HistoryBounds {
            max_tokens: management.token_bound().map(u64::from),
            max_turns: management.turn_bound().map(|turns| turns as usize),
            window_room: None,
        }
    }

    /// The turn that a node gets as its own message: on this input, as a message of a context, if it is one, with this text. It is
    /// the message itself, or what the one said who said this first on the way to the input.
    pub fn own_turn(&self, port: &str, message: Option<&MessageId>, text: &str) -> Option<usize> {
        let turns = self.turns.messages();
        if let Some(at) = message.and_then(|id| turns.position(id)) {
            return Some(at);
        }
        let on_the_way = self.received.get(port)?.iter();
        let is_text = |value: &Value| turn_content(value).as_deref() == Some(text);
        let mut same = on_the_way.filter_map(|said| match said {
            ReceivedText::Turn(at, value) => {
                let is_same = value.as_deref().is_some_and(is_text) || turns.get(*at)?.content.is_text(text);
                is_same.then_some(Some(*at))
            }
            ReceivedText::Other(value) => is_text(value).then_some(None),
        });
        same.next().flatten()
    }

    /// The messages of a context that nodes of the loop added which do not speak in it, such as injected ones, in order and each at its
    /// place among the turns. A message that is a turn as well is none of them.
    pub fn insertions(&self, history: &History) -> Vec<Insertion> {
        let scope = &self.scope;
        if !scope.others_write {
            return Vec::new();
        }
        let turns = self.turns.messages();
        let inside = history.focus().narrow(scope.begin(history)..).into_iter();
        let added = inside.filter(|message| !scope.speakers.contains(&message.author.node));
        let mut at = 0;
        let added = added.map(|message| {
            at = self.place_of(&message.author).max(at);
            Insertion { at, message: Arc::clone(message) }
        });
        let added: Vec<Insertion> = added.collect();
        let ids: Vec<&MessageId> = added
            .iter()
            .flat_map(|added| std::iter::once(&added.message.id).chain(&added.message.repeats))
            .collect();
        let known: FxHashSet<&MessageId> =
            ids.iter().zip(turns.has_each(&ids)).filter(|(_, known)| *known).map(|(id, _)| *id).collect();
        let is_turn = |message: &Message| {
            known.contains(&message.id) || message.repeats.as_ref().is_some_and(|id| known.contains(id))
        };
        added.iter().filter(|added| !is_turn(&added.message)).cloned().collect()
    }

    /// How many turns stand before what this activation adds.
    fn place_of(&self, author: &Activation) -> usize {
        let owner = &self.owner;
        let is_inside =
            |at: &Activation| at.epoch.depth() > owner.epoch.depth() && at.epoch.starts_with(&owner.epoch);
        if !is_inside(author) {
            return 0;
        }
        let is_before = |turn: &SharedMessage| {
            !is_inside(&turn.author)
                || compare_places(&self.scope.order, owner, &turn.author, author) == Ordering::Less
        };
        self.turns.messages().iter().rposition(is_before).map_or(0, |last| last + 1)
    }

    /// What a summary should condense now, if one is due.
    pub fn summary_plan(&self) -> Option<SummaryPlan> {
        let failed = self.no_summary.as_ref().map(|(through, _)| *through);
        let management = &self.settings.history_management;
        let bounds = self.bounds();
        let max_tokens = bounds.max_tokens.into_iter().chain(self.window_room).min();
        SummaryPlan::new(
            &self.turns,
            self.summary(),
            failed,
            management,
            HistoryBounds { max_tokens, ..bounds },
        )
    }

    /// The summary of the oldest turns.
    pub fn summary(&self) -> Option<&HistorySummary> {
        self.summary.as_ref().map(|(summary, _)| summary)
    }
}

impl ConversationScope {
    /// A context's messages from before the loop.
    pub fn before(&self, history: &History) -> History {
        history.prefix(self.begin(history))
    }

    /// The position in a context's history at which the messages from inside of the loop begin.
    fn begin(&self, history: &History) -> usize {
        // A context that a loop works in gets the loop's messages at its end.
        let is_inside =
            |message: &SharedMessage| if self.has(message) { Ordering::Greater } else { Ordering::Less };
        history.binary_search_by(is_inside).unwrap_or_else(|end| end)
    }

    fn has(&self, message: &Message) -> bool {
        let Activation { node, epoch } = &message.author;
        epoch.depth() > self.owner.epoch.depth()
            && epoch.starts_with(&self.owner.epoch)
            && self.order.contains_key(node)
            && !message.id.as_str().starts_with(MESSAGE_ID_PREFIX)
    }
}

/// Compares activations inside of a loop by iteration, then by their place in plan order.
fn compare_places(
    order: &FxHashMap<NodeId, usize>,
    owner: &Activation,
    one: &Activation,
    other: &Activation,
) -> Ordering {
    let counters =
        |at: &Activation| -> Vec<u32> { at.epoch.0.iter().skip(owner.epoch.depth()).copied().collect() };
    let (one_counters, other_counters) = (counters(one), counters(other));
    let by_iteration = one_counters.first().cmp(&other_counters.first());
    let by_order = order.get(&one.node).cmp(&order.get(&other.node));
    // Nodes of one inner loop are apart by its iterations first.
    let by_inner = if one_counters.len() == other_counters.len() {
        one_counters.cmp(&other_counters)
    } else {
        Ordering::Equal
    };
    by_iteration.then(by_inner).then(by_order)
}
