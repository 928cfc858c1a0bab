//! The conversations of loops: what the iterations that have succeeded said, as a fold over the events of the run.
//!
//! In an iteration, a turn is seen by the nodes that a path leads to from its node; only the reply of the `last` node
//! waits for the end of the iteration. Then all turns of the iteration join the history in plan order, and
//! `history.appended` says so. An iteration that failed leaves no turn. The history belongs to the loop that sets
//! `conversation`: loops inside that set it themselves have their own.

mod layout;
mod lineage;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::answers::LoopAnswers;
use super::body_path::{Ancestors, BodyPath, container};
use crate::node::SUMMARY;
use crate::plan::{NodeIx, Plan};
use crate::scheduler::Scheduler;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, MessageId, NodeId, PortName};
use plait_core::origin::Origins;
use plait_journal::{
    CallEvent, Event, FinishMetadata, LOOP_TURN, LoopEvent, NodeEvent, NodeOutputs, SourceRef,
};
use plait_llm::context::{Content, Role, SharedMessage};
use plait_llm::loop_history::{
    AiTurnSource, ConversationScope, ConversationSettings, HistorySummary, HistoryTurn, LoopConversation,
    LoopHistory, PersonAnswers, SummaryAttempt, turn_content,
};
use plait_llm::tokens;

use layout::{Layout, said};
use lineage::Lineage;

/// The input of a loop that its conversation begins with.
const INPUT: &str = "input";

/// One of so many tokens of a window stays free for a message that is longer than the one before.
const WINDOW_MARGIN: u64 = 16;

/// The conversations of the loops that are open.
#[derive(Default)]
pub(super) struct Conversations {
    open: FxHashMap<(NodeIx, Epoch), Conversation>,
    layouts: FxHashMap<NodeIx, Arc<Layout>>,
    /// Where the inputs of loops come from that are about to open.
    opening: FxHashMap<(NodeIx, Epoch), SourceRef>,
    answers: LoopAnswers,
}

/// The conversation of an open loop.
struct Conversation {
    settings: Arc<ConversationSettings>,
    layout: Arc<Layout>,
    /// What was said in the iterations that are over.
    history: LoopHistory,
    /// How many of the turns were said before the last iteration that is over.
    before_last: usize,
    start: Option<MessageId>,
    /// Where the loop's input comes from, which is the first turn.
    start_source: Option<SourceRef>,
    /// What was said in the iteration that is open.
    pending: Vec<PendingTurn>,
    lineage: Lineage,
    summary: Option<(HistorySummary, Epoch)>,
    no_summary: Option<(usize, Fault)>,
    /// By node, the tokens that the window of its model had left for turns in its last call.
    rooms: BTreeMap<NodeId, u64>,
    /// The tokens of the turns of the iteration in which most was said.
    most_said: u64,
}

/// Something that was said in an iteration that is not over.
struct PendingTurn {
    path: BodyPath,
    /// See [`BodyPath::order`].
    order: Vec<usize>,
    turn: HistoryTurn,
}

impl Conversations {
    /// Takes in an event that the scheduler has taken in, and what it derived from it. Adds what follows here behind its cause.
    pub fn follow(&mut self, plan: &Plan, scheduler: &Scheduler, event: &Event, derived: &mut Vec<Event>) {
        if plan.scopes.len() == 1 {
            return;
        }
        if !plan.has_conversations {
            for event in std::iter::once(event).chain(derived.iter()) {
                self.answers.apply(plan, event, || scheduler.finished_origins().clone());
            }
            return;
        }
        let mut at = 0;
        if let Some(follows) = self.take(plan, scheduler, event) {
            derived.insert(0, follows);
            at = 1;
        }
        while let Some(cause) = derived.get(at) {
            at += 1;
            if let Some(follows) = self.take(plan, scheduler, cause) {
                derived.insert(at, follows);
                at += 1;
            }
        }
    }

    fn take(&mut self, plan: &Plan, scheduler: &Scheduler, event: &Event) -> Option<Event> {
        // The answer of a node is a turn once the node has finished with it.
        let follows = self.apply(plan, scheduler, event);
        self.answers.apply(plan, event, || scheduler.finished_origins().clone());
        follows
    }

    fn apply(&mut self, plan: &Plan, scheduler: &Scheduler, event: &Event) -> Option<Event> {
        match event {
            Event::Node(at, NodeEvent::Ready { inputs }) => {
                let node = plan.find(&at.node)?;
                let key = (node, at.epoch.clone());
                let input = inputs.get(INPUT).and_then(|sources| sources.last());
                if let Some(input) = input
                    && plan.nodes[node].node.behavior().conversation.is_some()
                {
                    self.opening.insert(key.clone(), input.clone());
                }
                if !self.open.is_empty() {
                    let owner = around(plan, node, &at.epoch)?;
                    self.open.get_mut(&owner)?.lineage.receive(plan, key, inputs);
                }
                None
            }
            Event::Node(at, NodeEvent::Started { .. }) => {
                let (node, settings) = conversational(plan, at)?;
                let key = (node, at.epoch.clone());
                if is_test(plan, node, &at.epoch) || self.open.contains_key(&key) {
                    return None;
                }
                let layout = self.layout(plan, node);
                let mut conversation = Conversation::new(settings, layout, scheduler, node, at);
                conversation.start_source = self.opening.remove(&key);
                let first: Vec<SharedMessage> = conversation.history.messages().iter().cloned().collect();
                self.open.insert(key, conversation);
                (!first.is_empty()).then(|| {
                    Event::Loop(at.clone(), LoopEvent::HistoryAppended { turns: first, pinned: Vec::new() })
                })
            }
            Event::Node(at, NodeEvent::Finished { outputs, messages, metadata }) => {
                if let Some((node, _)) = conversational(plan, at) {
                    if is_test(plan, node, &at.epoch) {
                        self.take_summary(node, at, outputs);
                        return None;
                    }
                    self.open.remove(&(node, at.epoch.clone()));
                }
                let mut origins = scheduler.finished_origins().clone();
                origins.add(&metadata.origins);
                self.take_output(plan, at, (outputs, messages), metadata, &origins);
                None
            }
            Event::Node(at, NodeEvent::Failed { .. }) => {
                let (node, _) = conversational(plan, at)?;
                self.open.remove(&(node, at.epoch.clone()));
                None
            }
            Event::Loop(at, LoopEvent::IterationStarted) => {
                let (node, _) = conversational(plan, at)?;
                self.open.get_mut(&(node, at.epoch.outer()))?.pending.clear();
                None
            }
            Event::Loop(at, LoopEvent::IterationFinished { error, .. }) => {
                self.forget_inner(plan, at);
                let (node, _) = conversational(plan, at)?;
                let epoch = at.epoch.outer();
                let conversation = self.open.get_mut(&(node, epoch.clone()))?;
                let pending = std::mem::take(&mut conversation.pending);
                conversation.lineage.advance();
                let appended = error.is_none().then(|| conversation.append(pending)).flatten();
                let owner = Activation { node: at.node.clone(), epoch };
                appended.map(|appended| Event::Loop(owner, appended))
            }
            Event::Call(at, CallEvent::PromptRendered { prompt, .. }) => {
                let record = prompt.conversation.as_deref()?;
                let owner = (plan.find(&record.node)?, record.epoch.clone());
                self.open.get_mut(&owner)?.rooms.insert(at.node.clone(), record.room?);
                None
            }
            Event::Loop(at, LoopEvent::HistoryPinned { turn, pinned }) => {
                let (node, _) = conversational(plan, at)?;
                let history = &mut self.open.get_mut(&(node, at.epoch.clone()))?.history;
                let position = history.messages().position(turn)?;
                history.set_pinned(position, *pinned);
                None
            }
            _ => None,
        }
    }

    /// What people answered in the innermost loop around an activation, as it stands at its place.
    pub fn answers(&self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> PersonAnswers {
        self.answers.view(plan, node, epoch, plan.nodes[node].body.is_some() && is_test(plan, node, epoch))
    }

    /// Whether a turn of the conversation of a loop is pinned. Nothing if there is no such turn.
    pub fn is_pinned(&self, plan: &Plan, owner: &Activation, turn: &MessageId) -> Option<bool> {
        let node = plan.find(&owner.node)?;
        let history = &self.open.get(&(node, owner.epoch.clone()))?.history;
        let position = history.messages().position(turn)?;
        Some(history.pinned().any(|pinned| pinned == position))
    }

    /// The conversation that an activation takes part in, as it stands at its place. Only for models, for nodes that
    /// ask a person, and for a loop before an iteration.
    pub fn view(&self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<Arc<LoopConversation>> {
        if self.open.is_empty() {
            return None;
        }
        let behavior = plan.nodes[node].node.behavior();
        let is_test = behavior.conversation.is_some() && is_test(plan, node, epoch);
        if !(is_test || behavior.is_agent || behavior.pauses) {
            return None;
        }
        let owner = if is_test { (node, epoch.outer()) } else { around(plan, node, epoch)? };
        let conversation = self.open.get(&owner)?;
        let mut turns = conversation.history.clone();
        let appended = turns.len();
        let mut received = BTreeMap::new();
        if !is_test {
            let path = BodyPath::of(plan, node, epoch, owner.0)?;
            let mut ancestors = Ancestors::default();
            let mut said: Vec<&PendingTurn> = conversation.pending.iter().collect();
            said.retain(|said| conversation.shows(said) && said.path.is_before(&path, plan, &mut ancestors));
            said.sort_by(|one, other| one.order.cmp(&other.order));
            for said in said {
                turns.push(said.turn.clone());
            }
            let find = |source: &SourceRef| conversation.turn_of(source, &owner, &turns, plan);
            received = conversation.lineage.trace(plan, &(node, epoch.clone()), find);
        }
        let mut outermost = owner.clone();
        while let Some(further) = around(plan, outermost.0, &outermost.1) {
            outermost = further;
        }
        let scope = self.open.get(&outermost).map_or(&conversation.layout, |outermost| &outermost.layout);
        let agent = conversation.settings.history_management.summarizer_agent.as_ref();
        let activation =
            |(node, epoch): (NodeIx, Epoch)| Activation { node: plan.nodes[node].id.clone(), epoch };
        Some(Arc::new(LoopConversation {
            settings: Arc::clone(&conversation.settings),
            owner: activation(owner),
            turns,
            appended,
            received,
            summary: conversation.summary.clone(),
            no_summary: conversation.no_summary.clone(),
            window_room: conversation.window_room(),
            summarizer: agent
                .and_then(|agent| plan.summarizers.get(agent))
                .or(plan.default_summarizer.as_ref())
                .cloned(),
            start: conversation.start.clone(),
            scope: ConversationScope {
                owner: activation(outermost),
                order: Arc::clone(&scope.order),
                speakers: Arc::clone(&scope.speakers),
                others_write: scope.others_write,
            },
        }))
    }

    /// How the summary before an iteration ended.
    fn take_summary(&mut self, node: NodeIx, at: &Activation, outputs: &NodeOutputs) {
        let Some(conversation) = self.open.get_mut(&(node, at.epoch.outer())) else { return };
        let attempt = outputs.get(SUMMARY).and_then(|value| serde_json::from_value((**value).clone()).ok());
        match attempt {
            Some(SummaryAttempt::Failed { through, error }) => {
                conversation.no_summary = Some((through, error));
            }
            Some(written) => {
                let summary = HistorySummary::of(&written, at);
                conversation.summary = summary.map(|summary| (summary, at.epoch.clone()));
                conversation.no_summary = None;
            }
            None => {}
        }
    }

    /// What a node said, if that becomes a turn.
    fn take_output(
        &mut self,
        plan: &Plan,
        at: &Activation,
        (outputs, messages): (&NodeOutputs, &BTreeMap<PortName, MessageId>),
        metadata: &FinishMetadata,
        origins: &Origins,
    ) -> Option<()> {
        if self.open.is_empty() || outputs.is_empty() {
            return None;
        }
        let node = plan.find(&at.node)?;
        let owner = around(plan, node, &at.epoch)?;
        let conversation = self.open.get_mut(&owner)?;
        let role = conversation.role(plan, node);
        // A message of somebody else that a model passes on is not said by the model.
        let own =
            |port: &PortName| role == Some(Role::User) || messages.get(port).is_none_or(|id| is_by(id, at));
        let (port, output) = said(plan, node, outputs, own)?;
        let key = (node, at.epoch.clone());
        // The person's turn is the answer itself, not the output that the node makes of it.
        let answer = self.answers.answer(&key);
        let value = answer.unwrap_or(output);
        if plan.nodes[node].node.behavior().is_agent || answer.is_some() {
            conversation.lineage.say(plan, &key, value);
        }
        let role = role?;
        // Journals of earlier versions do not say what was attached. Their turns stay text alone.
        let attached = metadata.extra.get(LOOP_TURN).and_then(|said| Content::deserialize(said).ok());
        let content = attached.or_else(|| Some(turn_content(value)?.into()))?;
        let tokens = tokens::count_message("", &content);
        let id = messages.get(port).filter(|_| value == output).cloned();
        let turn = HistoryTurn::new(role, content, at.clone(), id, origins.clone(), tokens);
        let turn = HistoryTurn { pinned: plan.nodes[node].node.behavior().pins_turns, ..turn };
        let path = BodyPath::of(plan, node, &at.epoch, owner.0)?;
        conversation.pending.push(PendingTurn { order: path.order(plan), path, turn });
        Some(())
    }

    /// The end of an iteration of a loop inside a conversational one.
    fn forget_inner(&mut self, plan: &Plan, at: &Activation) -> Option<()> {
        if self.open.is_empty() {
            return None;
        }
        let node = plan.find(&at.node)?;
        let body = plan.nodes[node].body?;
        let owner = around(plan, node, &at.epoch.outer())?;
        self.open.get_mut(&owner)?.lineage.forget(&(body, at.epoch.clone()));
        Some(())
    }

    fn layout(&mut self, plan: &Plan, node: NodeIx) -> Arc<Layout> {
        Arc::clone(self.layouts.entry(node).or_insert_with(|| Arc::new(Layout::of(plan, node))))
    }
}

impl Conversation {
    fn new(
        settings: Arc<ConversationSettings>,
        layout: Arc<Layout>,
        scheduler: &Scheduler,
        node: NodeIx,
        at: &Activation,
    ) -> Self {
        let mut history = LoopHistory::default();
        let takes_input = settings.init.history.start_with.from_initial_input;
        let input = takes_input.then(|| scheduler.loop_input(node, &at.epoch)).flatten();
        if let Some((input, content)) = input.and_then(|input| Some((input, turn_content(&input.value)?))) {
            let tokens = tokens::count_message("", &content.as_str().into());
            let (id, origins) = (input.message.clone(), input.origins.clone());
            history.push(HistoryTurn::new(Role::User, content, at.clone(), id, origins, tokens));
        }
        let start = history.messages().front().map(|turn| turn.id.clone());
        Self {
            settings,
            layout,
            history,
            before_last: 0,
            start,
            start_source: None,
            pending: Vec::new(),
            lineage: Lineage::default(),
            summary: None,
            no_summary: None,
            rooms: BTreeMap::new(),
            most_said: 0,
        }
    }

    /// The tokens that the turns may have before the next iteration, so that the windows of all models that get them have room for
    /// what is said in it: as much as in the longest one. Nothing before the first call.
    fn window_room(&self) -> Option<u64> {
        let room = self.rooms.values().min()?;
        Some((room - room / WINDOW_MARGIN).saturating_sub(self.most_said))
    }

    /// Whether it is a turn before its iteration is over.
    fn shows(&self, said: &PendingTurn) -> bool {
        said.turn.message.role == Role::User || self.settings.ai_turn_source != AiTurnSource::Last
    }

    /// The position of the turn that a source is: of this iteration or the one before it, or the loop's input.
    fn turn_of(
        &self,
        source: &SourceRef,
        owner: &(NodeIx, Epoch),
        turns: &LoopHistory,
        plan: &Plan,
    ) -> Option<usize> {
        let is_input = self.start_source.as_ref() == Some(source)
            || (source.node == plan.nodes[owner.0].id && source.epoch == owner.1);
        if is_input {
            return self.start.as_ref().map(|_| 0);
        }
        let is_author =
            |turn: &SharedMessage| turn.author.node == source.node && turn.author.epoch == source.epoch;
        let recent = turns.messages().focus().narrow(self.before_last..);
        recent.into_iter().position(is_author).map(|at| self.before_last + at)
    }

    /// The role of this node's turn, if its output becomes one.
    fn role(&self, plan: &Plan, node: NodeIx) -> Option<Role> {
        let (id, behavior) = (&plan.nodes[node].id, plan.nodes[node].node.behavior());
        if self.settings.is_user_source(id, behavior.pauses) {
            return Some(Role::User);
        }
        let is_named = self.settings.ai_turn_source == AiTurnSource::NamedSteps;
        let last = self.layout.last.contains(&node).then_some(id);
        let is_source = (is_named || behavior.is_agent) && self.settings.is_ai_source(id, last);
        is_source.then_some(Role::Assistant)
    }

    /// Adds what was said in an iteration, in plan order. Of several last nodes, the last one counts. The event of it, if anything
    /// was said.
    fn append(&mut self, mut pending: Vec<PendingTurn>) -> Option<LoopEvent> {
        pending.sort_by(|one, other| one.order.cmp(&other.order));
        if self.settings.ai_turn_source == AiTurnSource::Last {
            let is_reply = |said: &PendingTurn| said.turn.message.role == Role::Assistant;
            let last = pending.iter().rposition(is_reply);
            let mut at = 0;
            pending.retain(|said| {
                at += 1;
                !is_reply(said) || last == Some(at - 1)
            });
        }
        self.before_last = self.history.len();
        let turns: Vec<SharedMessage> = pending.iter().map(|said| Arc::clone(&said.turn.message)).collect();
        let pinned = pending.iter().filter(|said| said.turn.pinned).map(|said| said.turn.message.id.clone());
        let appended = LoopEvent::HistoryAppended { turns, pinned: pinned.collect() };
        let is_any = !pending.is_empty();
        self.most_said =
            self.most_said.max(pending.iter().map(|said| u64::from(said.turn.message.tokens)).sum());
        for said in pending {
            self.history.push(said.turn);
        }
        is_any.then_some(appended)
    }
}

/// Whether an activation wrote a message.
fn is_by(id: &MessageId, author: &Activation) -> bool {
    id.as_str().rsplit_once('/').is_some_and(|(by, _)| by == author.to_string())
}

/// The loop that an activation is of, if it has a conversation.
fn conversational(plan: &Plan, at: &Activation) -> Option<(NodeIx, Arc<ConversationSettings>)> {
    let node = plan.find(&at.node)?;
    let settings = plan.nodes[node].node.behavior().conversation.as_ref()?;
    Some((node, Arc::clone(settings)))
}

/// Whether an activation of a loop is that before an iteration, and not the loop itself.
fn is_test(plan: &Plan, node: NodeIx, epoch: &Epoch) -> bool {
    let spec = &plan.nodes[node];
    epoch.depth() > plan.scopes[spec.scope].depth + spec.clock.len()
}

/// The innermost conversational loop around an activation.
fn around(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<(NodeIx, Epoch)> {
    let mut at = container(plan, node, epoch)?;
    while plan.nodes[at.0].node.behavior().conversation.is_none() {
        at = container(plan, at.0, &at.1)?;
    }
    Some(at)
}
