//! From a journal back to the state it left: any prefix of it will do.
//!
//! What the scheduler derived is derived again and compared, so a journal that was written for another flow, or was
//! tampered with, is distinguished from one that merely ends early.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::conversations::Conversations;
use super::effects::RecordedEffects;
use super::scoped_state::ScopedState;
use super::stops::RestoredStops;
use super::turns::OpenTurns;
use crate::plan::{NodeIx, Plan};
use crate::scheduler::Scheduler;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_journal::divergence::{diverged, impossible, is_without_cause, recorded_revision};
use plait_journal::{ContextEvent, Entry, Event, MemoryEvent, NodeEvent, RunEvent, SkipReason};
use plait_llm::context::{ContextChange, ConversationRef};
use plait_llm::memory::WorkflowMemory;
use plait_llm::models::ModelOverrides;

pub(super) struct Restored {
    pub scheduler: Scheduler,
    pub state: ScopedState,
    pub conversations: Conversations,
    pub recorded: RecordedEffects,
    pub uncommitted: FxHashMap<(NodeIx, Epoch), Vec<Event>>,
    pub turns: OpenTurns,
    pub answer_counts: FxHashMap<(NodeIx, Epoch), usize>,
    pub questions: BTreeMap<Activation, Value>,
    pub models: Arc<ModelOverrides>,
    /// The waits for another try that the journal ends in.
    pub waits: FxHashMap<(NodeIx, Epoch), Wait>,
    /// Where it stands still, and the breakpoints.
    pub stops: RestoredStops,
    /// Events that follow from the last one and were not journaled any more.
    pub missing: Vec<Event>,
}

/// A wait for another try.
pub(super) struct Wait {
    /// When it began, and how long it is, in milliseconds.
    began: u64,
    delay_ms: u64,
}

impl Wait {
    /// How much of it is left. Where the clock was set back meanwhile, all of it and never more.
    pub fn left(&self, now: u64) -> u64 {
        self.began.saturating_add(self.delay_ms).saturating_sub(now).min(self.delay_ms)
    }
}

pub(super) fn restore(plan: &Arc<Plan>, entries: &[Entry]) -> Result<Restored, Fault> {
    let mut state = Restored {
        scheduler: Scheduler::new(Arc::clone(plan)),
        state: ScopedState::default(),
        conversations: Conversations::default(),
        recorded: RecordedEffects::default(),
        uncommitted: FxHashMap::default(),
        turns: OpenTurns::default(),
        answer_counts: FxHashMap::default(),
        questions: BTreeMap::new(),
        models: Arc::default(),
        waits: FxHashMap::default(),
        stops: RestoredStops::default(),
        missing: Vec::new(),
    };
    let revision = recorded_revision(entries.first());
    let mut expected: VecDeque<Event> = VecDeque::new();
    let mut derived = Vec::new();
    for entry in entries {
        if let Event::Debug(event) = &entry.event {
            state.stops.apply(event, entry.seq.unwrap_or_default(), entry.at);
            continue;
        }
        if !expected.is_empty()
            && matches!(entry.event, Event::Context(_, ContextEvent::TurnDiscarded { .. }))
        {
            // Journals of earlier revisions have these among the derived events.
            state.keep(plan, &entry.event);
            continue;
        }
        if let Some(follows) = expected.pop_front() {
            if follows != entry.event && !is_without_cause(&follows, &entry.event) {
                return Err(diverged(entry, &follows, revision));
            }
            state.state.apply(plan, &entry.event);
            continue;
        }
        if let Event::Node(at, NodeEvent::Retrying { dropped: Some(_), .. }) = &entry.event {
            state.stops.drop_outcome(at);
        }
        state.keep(plan, &entry.event);
        state.wait(plan, entry);
        state
            .scheduler
            .apply(&entry.event, &mut derived)
            .map_err(|fault| impossible(entry, fault, revision))?;
        state.conversations.follow(plan, &state.scheduler, &entry.event, &mut derived);
        expected.extend(derived.drain(..));
    }
    for event in &expected {
        state.state.apply(plan, event);
    }
    state.missing = expected.into();
    Ok(state)
}

impl Restored {
    /// Everything about an event that is not the scheduler's business.
    fn keep(&mut self, plan: &Plan, event: &Event) {
        self.turns.note(plan, event);
        match event {
            Event::Context(_, ContextEvent::Changed { change: ContextChange::Edited { .. }, .. }) => {
                self.state.apply(plan, event);
            }
            Event::Context(
                Activation { node, epoch },
                ContextEvent::Created { .. }
                | ContextEvent::Changed { .. }
                | ContextEvent::TurnCommitted { .. },
            )
            | Event::Memory(Activation { node, epoch }, MemoryEvent::Appended { .. }) => {
                // It counts once the activation's success is journaled as well.
                if let Some(node) = plan.find(node) {
                    self.uncommitted.entry((node, epoch.clone())).or_default().push(event.clone());
                }
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Finished { .. }) => {
                if let Some(key) = plan.find(node).map(|node| (node, epoch.clone())) {
                    for event in self.uncommitted.remove(&key).into_iter().flatten() {
                        self.state.apply(plan, &event);
                    }
                    self.close(&key);
                }
            }
            Event::Node(
                Activation { node, epoch },
                NodeEvent::Failed { .. } | NodeEvent::Skipped { reason: SkipReason::ByPerson, .. },
            ) => {
                if let Some(key) = plan.find(node).map(|node| (node, epoch.clone())) {
                    self.uncommitted.remove(&key);
                    self.close(&key);
                }
            }
            Event::Run(RunEvent::Started { models, conversation, .. }) => {
                self.models.clone_from(models);
                self.state.set_memory(first_memory(conversation.as_deref()));
            }
            Event::Node(activation, NodeEvent::Paused { schema, .. }) => {
                self.questions.insert(activation.clone(), schema.clone());
            }
            Event::Node(activation, NodeEvent::Answered { .. }) => {
                self.questions.remove(activation);
                if let Some(node) = plan.find(&activation.node) {
                    *self.answer_counts.entry((node, activation.epoch.clone())).or_default() += 1;
                }
            }
            _ => {}
        }
        self.recorded.keep(plan, event);
    }

    fn wait(&mut self, plan: &Plan, entry: &Entry) {
        match &entry.event {
            Event::Node(Activation { node, epoch }, NodeEvent::Retrying { delay_ms, .. }) => {
                if let Some(node) = plan.find(node) {
                    let wait = Wait { began: entry.at, delay_ms: *delay_ms };
                    self.waits.insert((node, epoch.clone()), wait);
                }
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Started { .. }) if !self.waits.is_empty() => {
                if let Some(node) = plan.find(node) {
                    self.waits.remove(&(node, epoch.clone()));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, key: &(NodeIx, Epoch)) {
        self.recorded.forget(key);
        self.answer_counts.remove(key);
        self.turns.close(key.0, &key.1);
    }
}

/// The memory that a run starts with: that of the conversation which it continues.
pub(super) fn first_memory(conversation: Option<&ConversationRef>) -> WorkflowMemory {
    conversation.and_then(|at| at.memory.as_deref()).map(WorkflowMemory::for_next_run).unwrap_or_default()
}
