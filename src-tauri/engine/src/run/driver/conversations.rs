//! The conversations of loops: what the iterations that have succeeded said, as a fold over the events of the run.
//!
//! What the user says in an iteration is seen at once by the nodes that come after it; what models say becomes a turn when the
//! iteration is over. Then all turns of the iteration join the history in plan order, and `history.appended` says so. An
//! iteration that failed leaves no turn. The history belongs to the loop that sets `conversation`: loops inside that set it
//! themselves have their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::Role;
use crate::error::Fault;
use crate::id::{Activation, Epoch, MessageId, NodeId, PortName};
use crate::journal::{Event, LoopEvent, NodeEvent, NodeOutputs};
use crate::loop_history::{
    AiTurnSource, ConversationScope, ConversationSettings, HistorySummary, HistoryTurn, LoopConversation,
    LoopHistory, SummaryAttempt, turn_content,
};
use crate::nodes::SUMMARY;
use crate::origin::Origins;
use crate::plan::{NodeIx, Plan};
use crate::port::{ERROR_PORT, PortKind};
use crate::prompt::tokens;
use crate::run::scheduler::Scheduler;

/// The conversations of the loops that are open.
#[derive(Default)]
pub(super) struct Conversations {
    open: FxHashMap<(NodeIx, Epoch), Conversation>,
    layouts: FxHashMap<NodeIx, Arc<Layout>>,
}

/// The conversation of an open loop.
struct Conversation {
    settings: Arc<ConversationSettings>,
    layout: Arc<Layout>,
    /// What was said in the iterations that are over.
    history: LoopHistory,
    start: Option<MessageId>,
    /// What was said in the iteration that is open.
    pending: Vec<PendingTurn>,
    summary: Option<(HistorySummary, Epoch)>,
    no_summary: Option<(usize, Fault)>,
}

struct PendingTurn {
    /// Where its node stands in the body in plan order: the node, or the loop inside the body that it is in.
    position: NodeIx,
    node: NodeIx,
    turn: HistoryTurn,
}

/// The nodes of a conversational loop.
struct Layout {
    members: Arc<FxHashSet<NodeId>>,
    speakers: Arc<FxHashSet<NodeId>>,
    /// The last nodes of the body: those that feed `next` or, without any, the last one in plan order.
    last: FxHashSet<NodeIx>,
}

impl Conversations {
    /// Takes in an event that the scheduler has taken in, and what it derived from it. Adds what follows here behind its cause.
    pub fn follow(&mut self, plan: &Plan, scheduler: &Scheduler, event: &Event, derived: &mut Vec<Event>) {
        if plan.scopes.len() == 1 {
            return;
        }
        let mut at = 0;
        if let Some(follows) = self.apply(plan, scheduler, event) {
            derived.insert(0, follows);
            at = 1;
        }
        while let Some(cause) = derived.get(at) {
            at += 1;
            if let Some(follows) = self.apply(plan, scheduler, &cause.clone()) {
                derived.insert(at, follows);
                at += 1;
            }
        }
    }

    fn apply(&mut self, plan: &Plan, scheduler: &Scheduler, event: &Event) -> Option<Event> {
        match event {
            Event::Node(at, NodeEvent::Started { .. }) => {
                let (node, settings) = conversational(plan, at)?;
                let key = (node, at.epoch.clone());
                if is_test(plan, node, &at.epoch) || self.open.contains_key(&key) {
                    return None;
                }
                let layout = self.layout(plan, node);
                let conversation = Conversation::new(settings, layout, scheduler, node, at);
                let first = conversation.history.messages().iter().cloned().collect::<Vec<_>>();
                self.open.insert(key, conversation);
                (!first.is_empty())
                    .then(|| Event::Loop(at.clone(), LoopEvent::HistoryAppended { turns: first }))
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
                self.take_output(plan, at, outputs, messages, &origins);
                None
            }
            Event::Node(at, NodeEvent::Failed { .. }) => {
                let (node, _) = conversational(plan, at)?;
                self.open.remove(&(node, at.epoch.clone()));
                None
            }
            Event::Loop(at, LoopEvent::IterationStarted) => {
                let (node, _) = conversational(plan, at)?;
                self.open.get_mut(&(node, outer(&at.epoch)))?.pending.clear();
                None
            }
            Event::Loop(at, LoopEvent::IterationFinished { error, .. }) => {
                let (node, _) = conversational(plan, at)?;
                let epoch = outer(&at.epoch);
                let conversation = self.open.get_mut(&(node, epoch.clone()))?;
                let pending = std::mem::take(&mut conversation.pending);
                let turns = if error.is_none() { conversation.append(pending) } else { Vec::new() };
                let owner = Activation { node: at.node.clone(), epoch };
                (!turns.is_empty()).then(|| Event::Loop(owner, LoopEvent::HistoryAppended { turns }))
            }
            _ => None,
        }
    }

    /// The conversation that an activation takes part in, as it stands at its place. Only for models, and for a loop before an
    /// iteration.
    pub fn view(&self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<Arc<LoopConversation>> {
        if self.open.is_empty() {
            return None;
        }
        let behavior = plan.nodes[node].node.behavior();
        let is_test = behavior.conversation.is_some() && is_test(plan, node, epoch);
        if !is_test && !behavior.is_agent {
            return None;
        }
        let owner = if is_test { (node, outer(epoch)) } else { around(plan, node, epoch)? };
        let conversation = self.open.get(&owner)?;
        let mut turns = conversation.history.clone();
        let appended = turns.len();
        if !is_test {
            let pending = conversation.pending.iter();
            let mut said: Vec<_> = pending
                .filter(|said| said.turn.message.role == Role::User && said.is_before(plan, node, epoch))
                .collect();
            said.sort_by(|one, other| one.place().cmp(&other.place()));
            for said in said {
                turns.push(said.turn.clone());
            }
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
            summary: conversation.summary.clone(),
            no_summary: conversation.no_summary.clone(),
            summarizer: agent.and_then(|agent| plan.summarizers.get(agent)).cloned(),
            start: conversation.start.clone(),
            scope: ConversationScope {
                owner: activation(outermost),
                members: Arc::clone(&scope.members),
                speakers: Arc::clone(&scope.speakers),
            },
        }))
    }

    /// How the summary before an iteration ended.
    fn take_summary(&mut self, node: NodeIx, at: &Activation, outputs: &NodeOutputs) {
        let Some(conversation) = self.open.get_mut(&(node, outer(&at.epoch))) else { return };
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
        outputs: &NodeOutputs,
        messages: &BTreeMap<PortName, MessageId>,
        origins: &Origins,
    ) -> Option<()> {
        if self.open.is_empty() || outputs.is_empty() {
            return None;
        }
        let node = plan.find(&at.node)?;
        let owner = around(plan, node, &at.epoch)?;
        let conversation = self.open.get_mut(&owner)?;
        let role = conversation.role(plan, node)?;
        let (port, value) = said(plan, node, outputs)?;
        let content = turn_content(value)?;
        let tokens = tokens::count_message("", &content.as_str().into());
        let id = messages.get(port).cloned();
        let turn = HistoryTurn::new(role, content, at.clone(), id, origins.clone(), tokens);
        let position = place_in_body(plan, node, &at.epoch, owner.0)?.0;
        conversation.pending.push(PendingTurn { position, node, turn });
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
        Self { settings, layout, history, start, pending: Vec::new(), summary: None, no_summary: None }
    }

    /// Whose turn what this node says becomes, if it becomes one.
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

    /// Adds what was said in an iteration, in plan order. Of several last nodes, the last one counts.
    fn append(&mut self, mut pending: Vec<PendingTurn>) -> Vec<crate::context::SharedMessage> {
        pending.sort_by(|one, other| one.place().cmp(&other.place()));
        if self.settings.ai_turn_source == AiTurnSource::Last {
            let is_reply = |said: &PendingTurn| said.turn.message.role == Role::Assistant;
            let last = pending.iter().rposition(is_reply);
            let mut at = 0;
            pending.retain(|said| {
                at += 1;
                !is_reply(said) || last == Some(at - 1)
            });
        }
        let turns = pending.iter().map(|said| Arc::clone(&said.turn.message)).collect();
        for said in pending {
            self.history.push(said.turn);
        }
        turns
    }
}

impl PendingTurn {
    /// What it is ordered by.
    fn place(&self) -> (NodeIx, &Epoch, NodeIx) {
        (self.position, &self.turn.message.author.epoch, self.node)
    }

    /// Whether it was said before an activation of the same iteration: upstream of it, or in an earlier iteration of what is around
    /// both.
    fn is_before(&self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> bool {
        let (mut said, mut by) = ((self.node, self.turn.message.author.epoch.clone()), (node, epoch.clone()));
        while plan.nodes[said.0].scope != plan.nodes[by.0].scope {
            let depth = |node: NodeIx| plan.scopes[plan.nodes[node].scope].depth;
            let inner = if depth(said.0) >= depth(by.0) { &mut said } else { &mut by };
            match container(plan, inner.0, &inner.1) {
                Some(further) => *inner = further,
                None => return false,
            }
        }
        let common = said.1.depth().min(by.1.depth());
        match said.1.prefix(common).cmp(&by.1.prefix(common)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => said.0 != by.0 && is_upstream(plan, said.0, by.0),
            std::cmp::Ordering::Greater => false,
        }
    }
}

impl Layout {
    fn of(plan: &Plan, node: NodeIx) -> Self {
        let body = plan.nodes[node].body;
        let is_inside = |mut inner: NodeIx| {
            while let Some(container) = plan.scopes[plan.nodes[inner].scope].container {
                if container.node == node {
                    return true;
                }
                inner = container.node;
            }
            false
        };
        let inside = (0..plan.nodes.len()).filter(|inner| !plan.nodes[*inner].is_border && is_inside(*inner));
        let inside: Vec<NodeIx> = inside.collect();
        let speaks = |inner: &&NodeIx| {
            let behavior = plan.nodes[**inner].node.behavior();
            behavior.is_agent || behavior.pauses
        };
        let id = |inner: &NodeIx| plan.nodes[*inner].id.clone();
        let mut last = FxHashSet::default();
        if let Some(container) = body.and_then(|body| plan.scopes[body].container) {
            let next = plan.nodes[container.end].incoming.iter().map(|edge| &plan.edges[*edge]);
            last.extend(next.filter(|edge| edge.target_port == 0).map(|edge| edge.source));
        }
        if last.is_empty() {
            last.extend(inside.iter().copied().filter(|inner| Some(plan.nodes[*inner].scope) == body).max());
        }
        Self {
            members: Arc::new(inside.iter().map(id).collect()),
            speakers: Arc::new(inside.iter().filter(speaks).map(id).collect()),
            last,
        }
    }
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

/// The epoch around an iteration.
fn outer(epoch: &Epoch) -> Epoch {
    epoch.prefix(epoch.depth().saturating_sub(1))
}

/// The loop directly around an activation.
fn container(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<(NodeIx, Epoch)> {
    let (scope, inner) = plan.iteration_of(node, epoch)?;
    Some((plan.scopes[scope].container?.node, outer(&inner)))
}

/// The innermost conversational loop around an activation.
fn around(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<(NodeIx, Epoch)> {
    let mut at = container(plan, node, epoch)?;
    while plan.nodes[at.0].node.behavior().conversation.is_none() {
        at = container(plan, at.0, &at.1)?;
    }
    Some(at)
}

/// An activation, or the loop around it that stands in the body of `owner`.
fn place_in_body(plan: &Plan, node: NodeIx, epoch: &Epoch, owner: NodeIx) -> Option<(NodeIx, Epoch)> {
    let mut at = (node, epoch.clone());
    while Some(plan.nodes[at.0].scope) != plan.nodes[owner].body {
        at = container(plan, at.0, &at.1)?;
    }
    Some(at)
}

/// Whether a way along forward edges leads from one node of a scope to another.
fn is_upstream(plan: &Plan, from: NodeIx, to: NodeIx) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![to];
    while let Some(node) = open.pop() {
        for edge in &plan.nodes[node].incoming {
            let source = plan.edges[*edge].source;
            if source == from {
                return true;
            }
            // Plan order is topological: nothing before `from` is behind it.
            if source > from && seen.insert(source) {
                open.push(source);
            }
        }
    }
    false
}

/// What a node said: its first live output that is a value of its own.
fn said<'a>(
    plan: &Plan,
    node: NodeIx,
    outputs: &'a NodeOutputs,
) -> Option<(&'a PortName, &'a serde_json::Value)> {
    let ports = &plan.nodes[node].node.ports().outputs;
    let mut own = ports.iter().filter(|port| port.kind == PortKind::Data && port.name.as_str() != ERROR_PORT);
    own.find_map(|port| outputs.get_key_value(&port.name)).map(|(name, value)| (name, &**value))
}
