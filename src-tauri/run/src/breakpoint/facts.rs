//! What a breakpoint can know of an activation beside its values: what its calls used, and what has happened to it since its last place.
//!
//! A fold over events, so that a run and a replay of its journal know the same. What the driver knows before the journal does, it notes
//! first: what an outcome changes, and what a round of tools is about to do.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};
use smallvec::SmallVec;

use super::Key;
use crate::plan::Plan;
use plait_core::id::ContextId;
use plait_journal::view::ModelCallView;
use plait_journal::{CallEvent, ContextEvent, Event, MemoryEvent, Side, Spending, StopEvent, StopPoint};
use plait_llm::grant::GrantPattern;
use plait_llm::models::{Cost, TreeSpending};

/// The facts of one activation's calls.
#[derive(Default)]
pub struct CallFacts {
    tokens: u64,
    cost: Cost,
    trimmed: bool,
    fresh: Fresh,
}

/// What has happened to an activation since its last place.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says of one thing whether it has happened")]
struct Fresh {
    is_trimmed: bool,
    /// The contexts that it changes.
    contexts: SmallVec<[ContextId; 1]>,
    changes_memory: bool,
    sends_untrusted: bool,
    uses_new_grant: bool,
    /// What the run tree had spent before and after each of its model calls.
    spent: SmallVec<[(u64, u64); 1]>,
}

/// The facts of open activations.
#[derive(Default)]
pub(crate) struct ActivationFacts {
    open: FxHashMap<Key, CallFacts>,
    /// The grants that the run has used.
    grants: FxHashSet<GrantPattern>,
    spending: TreeSpending,
}

impl CallFacts {
    /// Those of an activation, from the events of its calls.
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut facts = Self::default();
        for event in events {
            facts.count(event);
        }
        facts
    }

    /// Those of an activation that has ended, with what an earlier run bought for it.
    pub(crate) fn bought(calls: &[ModelCallView]) -> Self {
        let mut facts = Self::default();
        for call in calls {
            let usage = call.reply.as_ref().and_then(|reply| reply.usage).unwrap_or_default();
            facts.tokens += usage.input.saturating_add(usage.output);
            facts.cost += call.bought_cost();
            facts.trimmed |= call.prompt.as_ref().is_some_and(|prompt| prompt.omitted.is_some());
        }
        facts
    }

    /// Counts an event of one of its calls. Returns what the event says was spent.
    fn count(&mut self, event: &Event) -> Option<Spending> {
        if let Event::Call(_, CallEvent::PromptRendered { prompt, .. }) = event {
            self.trimmed |= prompt.omitted.is_some();
        }
        let spending = Spending::of(event)?;
        self.tokens += spending.tokens.input.saturating_add(spending.tokens.output);
        self.cost += spending.cost;
        Some(spending)
    }

    /// The variables `tokens`, `cost` and `trimmed`. The cost is in US dollars; null where no price is known.
    pub fn add_to(&self, variables: &mut serde_json::Map<String, Value>) {
        variables.insert("tokens".to_owned(), json!(self.tokens));
        variables.insert("cost".to_owned(), json!(self.cost.usd()));
        variables.insert("trimmed".to_owned(), json!(self.trimmed));
    }
}

/// Whether an event can hold activations on a side.
pub(super) fn is_held_on(event: &StopEvent, side: Side) -> bool {
    match event {
        StopEvent::ContextChanged { .. } | StopEvent::MemoryChanged => side == Side::After,
        StopEvent::HistoryTrimmed | StopEvent::SpendingPassed { .. } => side != Side::Before,
        StopEvent::UntrustedSent | StopEvent::GrantUsed => side == Side::Call,
        StopEvent::AttemptRetried => side == Side::Before,
    }
}

/// Whether an event has happened to an activation that has come to this place.
pub(super) fn has_happened(event: &StopEvent, point: &StopPoint, facts: Option<&CallFacts>) -> bool {
    let nothing = Fresh::default();
    let fresh = facts.map_or(&nothing, |facts| &facts.fresh);
    match event {
        StopEvent::ContextChanged { context: None } => !fresh.contexts.is_empty(),
        StopEvent::ContextChanged { context: Some(wanted) } => {
            fresh.contexts.iter().any(|changed| is_named(changed, wanted))
        }
        StopEvent::MemoryChanged => fresh.changes_memory,
        StopEvent::HistoryTrimmed => fresh.is_trimmed,
        StopEvent::UntrustedSent => fresh.sends_untrusted,
        StopEvent::GrantUsed => fresh.uses_new_grant,
        StopEvent::SpendingPassed { nano_usd } => {
            fresh.spent.iter().any(|(before, after)| before <= nano_usd && after > nano_usd)
        }
        StopEvent::AttemptRetried => point.attempt > 1,
    }
}

/// Whether a context has a name. One that is made in each epoch of a cycle has the epoch behind its name: `critic#2`.
fn is_named(context: &ContextId, name: &ContextId) -> bool {
    let rest = context.as_str().strip_prefix(name.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

impl ActivationFacts {
    /// Of a run of the tree that has spent this.
    pub fn new(spending: TreeSpending) -> Self {
        Self { spending, ..Self::default() }
    }

    /// The facts of an activation. None if it made no calls and changed nothing.
    pub fn get(&self, key: &Key) -> Option<&CallFacts> {
        self.open.get(key)
    }

    /// Forgets an activation that has ended.
    pub fn remove(&mut self, key: &Key) {
        if !self.open.is_empty() {
            self.open.remove(key);
        }
    }

    /// An activation leaves a place: what happened before is no news at the next one.
    pub fn leave_place(&mut self, key: &Key) {
        if let Some(facts) = self.open.get_mut(key) {
            facts.fresh = Fresh::default();
        }
    }

    /// An activation is about to change these contexts, and the memory or not.
    pub fn note_changes<'c>(
        &mut self,
        key: &Key,
        contexts: impl IntoIterator<Item = &'c ContextId>,
        changes_memory: bool,
    ) {
        let mut contexts = contexts.into_iter().peekable();
        if contexts.peek().is_none() && !changes_memory {
            return;
        }
        let fresh = &mut self.open.entry(key.clone()).or_default().fresh;
        fresh.contexts.extend(contexts.cloned());
        fresh.changes_memory |= changes_memory;
    }

    /// An activation is about to call tools: whether they send what others can have written, and which grants allow it.
    pub fn note_tools(&mut self, key: &Key, sends_untrusted: bool, granted: &[GrantPattern]) {
        let uses_new_grant = granted.iter().any(|grant| !self.grants.contains(grant));
        self.grants.extend(granted.iter().cloned());
        if sends_untrusted || uses_new_grant {
            let fresh = &mut self.open.entry(key.clone()).or_default().fresh;
            fresh.sends_untrusted |= sends_untrusted;
            fresh.uses_new_grant |= uses_new_grant;
        }
    }

    /// Notes what an event says of an open activation.
    pub fn note(&mut self, plan: &Plan, event: &Event) {
        match event {
            Event::Call(at, call) => {
                let Some(node) = plan.find(&at.node) else { return };
                self.note_call(&(node, at.epoch.clone()), call, event);
            }
            Event::Context(
                at,
                ContextEvent::Changed { context_id, .. } | ContextEvent::TurnCommitted { context_id, .. },
            ) => {
                let Some(node) = plan.find(&at.node) else { return };
                self.note_changes(&(node, at.epoch.clone()), [context_id], false);
            }
            Event::Memory(at, MemoryEvent::Appended { .. }) => {
                let Some(node) = plan.find(&at.node) else { return };
                self.note_changes(&(node, at.epoch.clone()), [], true);
            }
            _ => {}
        }
    }

    fn note_call(&mut self, key: &Key, call: &CallEvent, event: &Event) {
        match call {
            CallEvent::QuotaReserved { sampling: None, .. } => self.leave_place(key),
            CallEvent::PromptRendered { prompt, sampling, .. } => {
                if sampling.is_none() {
                    self.leave_place(key);
                }
                if prompt.omitted.is_some() || prompt.is_summary() {
                    let facts = self.open.entry(key.clone()).or_default();
                    facts.count(event);
                    facts.fresh.is_trimmed = true;
                }
            }
            CallEvent::ModelReplied { .. } | CallEvent::ModelFailed { .. } => {
                let facts = self.open.entry(key.clone()).or_default();
                let Some(spending) = facts.count(event) else { return };
                if spending.cost.nano_usd > 0 {
                    facts.fresh.spent.push(self.spending.add(spending.cost.nano_usd));
                }
            }
            CallEvent::MemoryRemembered { memories, .. } if !memories.is_empty() => {
                self.note_changes(key, [], true);
            }
            CallEvent::ToolCalled { granted, .. } => {
                self.leave_place(key);
                self.grants.extend(granted.iter().cloned());
            }
            _ => {}
        }
    }

    /// Adds what an event says was spent, where nothing else of it is of interest.
    pub fn count(&self, event: &Event) {
        if let Some(spending) = Spending::of(event) {
            self.spending.add(spending.cost.nano_usd);
        }
    }
}
