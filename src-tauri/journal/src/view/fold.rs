//! The fold of nodes and contexts: one entry at a time, each in time independent of the journal's length.

use std::cmp::Ordering;
use std::collections::btree_map;
use std::sync::Arc;

use super::node::{EpochView, ForcedWay, NodeState, NodeView};
use super::{ContextView, MemoryState, RunTotals, RunView};
use crate::{CallEvent, ContextEvent, DebugEvent, Entry, Event, LoopEvent, MemoryEvent, NodeEvent, RunEvent};
use plait_core::id::{Activation, ContextId};
use plait_llm::context::{ContextChange, ContextRecord, Contexts, History, SharedMessage};
use plait_llm::models::{Cost, TokenUsage};

impl RunView {
    /// Takes in one entry. Entries of the journal that were seen before are ignored; those of `node.delta` have no
    /// place in it and are always taken.
    pub fn apply(&mut self, entry: &Entry) {
        let waiting_since = self.outline.waiting_since;
        // While only branches are held, time passes for the others.
        let stopped = self.outline.whole_stop().map(|stop| (stop.number, stop.since));
        if !self.outline.apply(entry) {
            return;
        }
        if waiting_since.is_none() && stopped.is_none() {
            self.totals.interrupted_ms += entry.interrupted_ms;
        }
        if let Some(since) = waiting_since
            && self.outline.waiting_since != waiting_since
        {
            self.totals.waited_ms += entry.at.saturating_sub(since);
        }
        if let Some((number, since)) = stopped
            && matches!(entry.event, Event::Debug(DebugEvent::Stopped { .. } | DebugEvent::Continued { .. }))
            && self.outline.whole_stop().is_none_or(|stop| stop.number != number)
        {
            self.totals.stopped_ms += entry.at.saturating_sub(since);
        }
        self.add_to_totals(&entry.event);
        self.apply_to_contexts(&entry.event, entry.at);
        self.apply_to_memory(&entry.event, entry.at);
        self.apply_to_quotas(&entry.event);
        if let Some(activation) = entry.event.activation() {
            let trial = self.outline.trials.get(&activation.node).map(|trial| Arc::clone(&trial.config));
            self.change_activation(activation, |view| {
                if let Event::Node(_, NodeEvent::Started { attempt }) = &entry.event
                    && !view.goes_on_with(*attempt)
                {
                    view.trial = trial;
                }
                view.apply(&entry.event, entry.at);
            });
        }
        if let Event::Debug(DebugEvent::Rerouted { point, from, to, .. }) = &entry.event {
            let forced = ForcedWay { from: from.clone(), to: to.clone() };
            self.change_activation(&point.activation(), |view| view.force(forced));
        }
        if let Event::Loop(iteration, LoopEvent::IterationStarted) = &entry.event {
            let epoch = iteration.epoch.prefix(iteration.epoch.depth().saturating_sub(1));
            let of_loop = Activation { node: iteration.node.clone(), epoch };
            self.change_activation(&of_loop, |view| view.begin_iteration(entry.at));
        }
    }

    fn add_to_totals(&mut self, event: &Event) {
        match event {
            Event::Call(_, CallEvent::ModelReplied { reused: Some(_), .. }) => self.totals.reused_calls += 1,
            Event::Call(_, CallEvent::ModelReplied { .. }) => self.totals.model_calls += 1,
            Event::Call(_, CallEvent::ToolCalled { .. }) => self.totals.tool_calls += 1,
            Event::Node(_, NodeEvent::Retrying { .. }) => self.totals.retries += 1,
            _ => {}
        }
    }

    fn apply_to_quotas(&mut self, event: &Event) {
        let Event::Call(
            _,
            CallEvent::QuotaReserved { quotas, .. } | CallEvent::QuotaReconciled { quotas, .. },
        ) = event
        else {
            return;
        };
        for quota in quotas {
            // Of a loop that runs often, the latest time counts.
            let known = self.quotas.iter_mut().find(|known| {
                (known.scope, &known.run, &known.node) == (quota.scope, &quota.run, &quota.node)
            });
            match known {
                Some(known) => *known = quota.clone(),
                None => self.quotas.push(quota.clone()),
            }
        }
    }

    fn apply_to_contexts(&mut self, event: &Event, at: u64) {
        match event {
            Event::Context(activation, ContextEvent::Created { context }) => {
                self.contexts.insert(context.context_id.clone(), create_context(activation, context, at));
            }
            Event::Context(_, ContextEvent::Changed { context_id, change, .. }) => {
                self.change_context(context_id, change, at);
            }
            Event::Context(activation, ContextEvent::TurnStarted { context_id }) => {
                self.set_turn(context_id, Some(activation.clone()));
            }
            Event::Context(_, ContextEvent::TurnCommitted { context_id, messages, learned, .. }) => {
                self.set_turn(context_id, None);
                let (messages, learned) = (messages.clone(), learned.clone());
                let change = ContextChange::Turn { messages, learned };
                self.change_context(context_id, &change, at);
            }
            Event::Context(_, ContextEvent::Discarded { activations }) => {
                for view in self.contexts.values_mut() {
                    view.discard(activations, at);
                }
            }
            Event::Context(_, ContextEvent::TurnDiscarded { context_id, .. }) => {
                self.set_turn(context_id, None);
            }
            Event::Call(_, CallEvent::ModelReplied { reply, account: Some(account), reused: None, .. }) => {
                if let Some(view) = self.contexts.get_mut(&account.context_id) {
                    view.usage += reply.usage.unwrap_or_default();
                    view.cost += Cost::of_call(account.cost_nano_usd);
                }
            }
            Event::Call(_, CallEvent::ModelFailed { context_id, .. }) => {
                if let Some(view) = self.contexts.get_mut(context_id) {
                    view.cost += Cost::of_call(None);
                }
            }
            _ => {}
        }
    }

    fn apply_to_memory(&mut self, event: &Event, at: u64) {
        match event {
            Event::Memory(activation, MemoryEvent::Appended { change, .. }) => {
                let state = self.memory.get_or_insert_default();
                state.memory.apply(change);
                state.changed_by = Some(activation.clone());
                state.changed_at = at;
                state.error.clone_from(&change.error);
            }
            Event::Run(RunEvent::Started { conversation: Some(conversation), .. }) => {
                self.memory = conversation.memory.as_deref().map(|memory| MemoryState {
                    memory: memory.for_next_run(),
                    changed_at: at,
                    ..MemoryState::default()
                });
            }
            _ => {}
        }
    }

    fn change_context(&mut self, id: &ContextId, change: &ContextChange, at: u64) {
        let Some(view) = self.contexts.get_mut(id) else { return };
        // Through the run's own rules, so that this cannot come to differ from them. The history is shared, not copied.
        let mut contexts = Contexts::default();
        contexts.create(view.record.clone());
        contexts.apply(id, change);
        if let Some(record) = contexts.get(id) {
            view.record = ContextRecord::clone(record);
        }
        match change {
            ContextChange::Messages { messages } | ContextChange::Turn { messages, .. } => {
                view.tokens += messages.iter().map(|message| u64::from(message.tokens)).sum::<u64>();
            }
            ContextChange::Recalled(recalled) => {
                view.tokens += recalled.messages.iter().map(|message| u64::from(message.tokens)).sum::<u64>();
            }
            ContextChange::Edited { .. } => {
                let history = view.record.message_history.iter();
                view.tokens = history.map(|message| u64::from(message.tokens)).sum();
            }
            ContextChange::Reset => view.tokens = 0,
            ContextChange::SystemInstructions { .. } | ContextChange::ProviderModel { .. } => {}
        }
        view.changed_at = at;
    }

    fn set_turn(&mut self, id: &ContextId, holder: Option<Activation>) {
        if let Some(view) = self.contexts.get_mut(id) {
            view.turn = holder;
        }
    }

    /// Changes one activation, then what its node shows, the counts and the tokens.
    fn change_activation(
        &mut self,
        Activation { node, epoch }: &Activation,
        change: impl FnOnce(&mut EpochView),
    ) {
        let view = match self.nodes.entry(node.clone()) {
            btree_map::Entry::Occupied(entry) => entry.into_mut(),
            btree_map::Entry::Vacant(entry) => {
                *self.counts.of(NodeState::Ready) += 1;
                entry.insert(NodeView { state: NodeState::Ready, epoch: epoch.clone(), epochs: Vec::new() })
            }
        };
        let index = match view.epochs.binary_search_by(|known| known.epoch.cmp(epoch)) {
            Ok(index) => index,
            Err(index) => {
                view.epochs.insert(index, EpochView::new(epoch.clone()));
                index
            }
        };
        let Some(activation) = view.epochs.get_mut(index) else { return };
        let (usage, cost) = (activation.usage, activation.cost);
        change(activation);
        let RunTotals { tokens, cost: spent, .. } = &mut self.totals;
        *tokens = tokens.replace_part(usage, activation.usage);
        *spent = spent.replace_part(cost, activation.cost);
        let state = activation.state;
        let shown = match (state == NodeState::Skipped, epoch.cmp(&view.epoch)) {
            // The latest is shown, but rather one that ran than one that did not.
            (false, Ordering::Greater | Ordering::Equal) => Some((epoch, state)),
            (false, Ordering::Less) | (true, Ordering::Greater) if view.state == NodeState::Skipped => {
                Some((epoch, state))
            }
            (true, Ordering::Equal) => {
                let ran = view.epochs.iter().rev().find(|known| known.state != NodeState::Skipped);
                ran.or(view.epochs.last()).map(|shown| (&shown.epoch, shown.state))
            }
            _ => None,
        };
        if let Some((epoch, state)) = shown {
            *self.counts.of(view.state) -= 1;
            *self.counts.of(state) += 1;
            view.state = state;
            if view.epoch != *epoch {
                view.epoch = epoch.clone();
            }
        }
    }
}

impl ContextView {
    /// Removes the messages of iterations that failed.
    fn discard(&mut self, activations: &[Activation], at: u64) {
        let is_gone = |message: &SharedMessage| activations.contains(&message.author);
        let history = &self.record.message_history;
        if !history.iter().any(is_gone) {
            return;
        }
        let kept: History = history.iter().filter(|message| !is_gone(message)).cloned().collect();
        self.tokens = kept.iter().map(|message| u64::from(message.tokens)).sum();
        self.record.message_history = kept;
        self.changed_at = at;
    }
}

fn create_context(created_by: &Activation, record: &ContextRecord, at: u64) -> ContextView {
    ContextView {
        tokens: record.message_history.iter().map(|message| u64::from(message.tokens)).sum(),
        usage: TokenUsage::default(),
        cost: Cost::default(),
        record: record.clone(),
        created_by: created_by.clone(),
        changed_at: at,
        turn: None,
    }
}
