//! Turn order: when an activation may take its turn in the context that it works in.
//!
//! What a model sees depends on the turns before its own, so turns in one context must not depend on timing. They follow
//! plan order, and within a cycle epoch by epoch: an activation takes its turn when all activations that come before it, and
//! that may work in the same context, are decided. Nothing else waits: not the cycle around it, not the nodes beside it, and
//! not an activation that is skipped.
//!
//! Whether a context that a value names exists is decided by the same order. The activation waits for the one that makes the
//! context, if that comes before it. If that comes after it, the context does not exist for it, even if it was made by then.
//! To a context from around a loop, an activation inside stands where the loop stands.
//!
//! The workflow's memory is ordered in the same way, as if all nodes that use it shared a context, except that readers do
//! not wait for each other: a reader waits for the writers before it, a writer for the readers as well.
//!
//! An activation's place in this order is its [`TurnKey`]. For each context there is a queue of the keys that are undecided;
//! the next epoch of an open cycle is in it as well. An activation only ever waits for smaller keys, and data flows from
//! smaller keys to greater ones, so these waits form no circle.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{Scope, Step};
use crate::plan::{
    ContextRoles, ContextSource, CycleIx, NodeIx, Plan, PlanNode, PlanScope, ROOT_SCOPE, ScopeIx,
};
use crate::scheduler::slot::Slot;
use plait_core::flow::MemoryMode;
use plait_core::id::{ContextId, Epoch};
use plait_llm::context::ContextHandle;

/// A place in the order of turns of a scope, outermost first: for each cycle around it, where the cycle begins in plan order and which
/// iteration it is in; then the node's position in plan order. Compared number by number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TurnKey(SmallVec<[u32; 6]>);

impl TurnKey {
    pub fn of_activation(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Self {
        let (place, depth) = (plan.nodes[node].place(), plan.scopes[plan.nodes[node].scope].depth);
        let mut key = Self::inside(plan, depth, place, epoch);
        key.0.push(number(node));
        // A follower of an inner cycle stands beside it, and its epochs there are in order.
        key.0.extend(epoch.0.iter().skip(depth + place.len()).copied());
        key
    }

    /// Before all activations in an epoch of a cycle, and after those of the epochs before.
    fn of_epoch(plan: &Plan, cycle: CycleIx, epoch: &Epoch) -> Self {
        let mut around: SmallVec<[CycleIx; 4]> = SmallVec::from_iter([cycle]);
        while let Some(parent) = around.last().and_then(|&cycle| plan.cycles[cycle].parent) {
            around.push(parent);
        }
        around.reverse();
        let depth = plan.cycles[around[0]].depth;
        Self::inside(plan, depth, &around, epoch)
    }

    /// Where the body of a loop stands among the activations of `maker`: it sees the contexts that those before this key make.
    /// That is the loop's own key, but not after the maker's activation in this epoch of the loop: a loop that follows an inner
    /// cycle stands beside it, and would see what that cycle's later epochs make.
    fn of_body(plan: &Plan, maker: NodeIx, container: NodeIx, epoch: &Epoch) -> Self {
        let own = Self::of_activation(plan, container, epoch);
        let (maker_clock, scope) = (&plan.nodes[maker].clock, plan.nodes[container].scope);
        if !plan.nodes[container].clock.starts_with(maker_clock) {
            return own;
        }
        let made_in = epoch.prefix(plan.scopes[scope].depth + maker_clock.len());
        Self::of_activation(plan, maker, &made_in).next().min(own)
    }

    /// The key right after this one: what comes before it is this, and what comes before this.
    fn next(mut self) -> Self {
        self.0.push(0);
        self
    }

    /// In these cycles of a scope with `depth` counters in its epochs.
    fn inside(plan: &Plan, depth: usize, cycles: &[CycleIx], epoch: &Epoch) -> Self {
        let levels = cycles.iter().zip(epoch.0.iter().skip(depth));
        Self(levels.flat_map(|(&cycle, &counter)| [number(plan.cycles[cycle].position), counter]).collect())
    }
}

/// A position in plan order. A plan has at most 2^32 nodes: each takes more than a byte.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// The undecided keys of one order, and the nodes that wait for them.
#[derive(Default)]
struct TurnQueue {
    undecided: BTreeSet<TurnKey>,
    /// The nodes with a first open activation that waits until everything before a key is decided.
    waiting: BTreeSet<(TurnKey, NodeIx)>,
}

impl TurnQueue {
    fn clear(&mut self) {
        // An empty set is not free to clear, and in an iteration that has ended these are empty.
        if !self.undecided.is_empty() {
            self.undecided.clear();
        }
        if !self.waiting.is_empty() {
            self.waiting.clear();
        }
    }

    /// Whether everything before this is decided.
    fn is_due(&self, key: &TurnKey) -> bool {
        self.undecided.first().is_none_or(|first| first >= key)
    }

    /// Whether everything before this is decided. If not, the node waits for it.
    fn wait_until(&mut self, key: TurnKey, node: NodeIx) -> bool {
        let is_due = self.is_due(&key);
        if !is_due {
            self.waiting.insert((key, node));
        }
        is_due
    }

    /// Notes that this is decided. Adds the nodes that need wait no longer to `released`.
    fn decide(&mut self, key: &TurnKey, released: &mut Vec<NodeIx>) {
        self.undecided.remove(key);
        while self.waiting.first().is_some_and(|(until, _)| self.is_due(until)) {
            released.extend(self.waiting.pop_first().map(|(_, node)| node));
        }
    }
}

#[derive(Default)]
struct ContextQueues {
    /// Activations that make the context.
    makers: TurnQueue,
    /// Activations that may take a turn in it.
    users: TurnQueue,
}

/// The order of turns in all contexts of a scope, also in those from outside of a loop's body.
#[derive(Default)]
pub(in crate::scheduler) struct TurnQueues {
    scope: ScopeIx,
    contexts: Vec<ContextQueues>,
    /// Activations that may take a turn in any context.
    any: TurnQueue,
    /// Activations that read the workflow's memory or change it.
    memory_users: TurnQueue,
    memory_writers: TurnQueue,
    /// The activations that made a context.
    made: FxHashSet<(NodeIx, Epoch)>,
}

/// Whether an activation may take its turn.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::scheduler) enum Turn {
    /// Activations before it are undecided. It is decided again when they no longer are.
    Later,
    /// It may. If the context that it names does not exist at its place in the order, it must not see it.
    Now { hidden_context: Option<ContextId> },
}

impl TurnQueues {
    pub fn new(plan: &Plan, scope: ScopeIx) -> Self {
        let contexts = (0..plan.scopes[scope].contexts.len()).map(|_| ContextQueues::default()).collect();
        Self { scope, contexts, ..Self::default() }
    }

    /// Forgets everything: the scope begins again.
    pub fn clear(&mut self) {
        let Self { scope: _, contexts, any, memory_users, memory_writers, made } = self;
        let in_contexts = contexts.iter_mut().flat_map(|context| [&mut context.makers, &mut context.users]);
        for queue in in_contexts.chain([any, memory_users, memory_writers]) {
            queue.clear();
        }
        made.clear();
    }

    fn add(&mut self, roles: &ContextRoles, key: TurnKey) {
        for &context in &roles.makes {
            self.contexts[context].makers.undecided.insert(key.clone());
        }
        for &context in &roles.works_in {
            self.contexts[context].users.undecided.insert(key.clone());
        }
        if roles.works_in_any {
            self.any.undecided.insert(key.clone());
        }
        if roles.memory.writes() {
            self.memory_writers.undecided.insert(key.clone());
        }
        if roles.memory.reads() {
            self.memory_users.undecided.insert(key);
        }
    }

    fn decide(&mut self, roles: &ContextRoles, key: &TurnKey) -> Vec<NodeIx> {
        let mut released = Vec::new();
        for &context in &roles.makes {
            self.contexts[context].makers.decide(key, &mut released);
        }
        for &context in &roles.works_in {
            self.contexts[context].users.decide(key, &mut released);
        }
        if roles.works_in_any {
            self.any.decide(key, &mut released);
        }
        if roles.memory.writes() {
            self.memory_writers.decide(key, &mut released);
        }
        if roles.memory.reads() {
            self.memory_users.decide(key, &mut released);
        }
        released
    }

    /// Whether the activation in this slot, with all inputs decided, may take its turn.
    pub fn request(&mut self, plan: &Plan, node: NodeIx, slot: &Slot) -> Turn {
        if !self.request_memory(plan, node, slot) {
            return Turn::Later;
        }
        if plan.nodes[node].body.is_some() {
            return self.request_contexts_of_body(plan, node, slot);
        }
        self.request_context(plan, node, slot)
    }

    /// Whether all that comes before a loop, in any context that the nodes inside may work in, is decided.
    fn request_contexts_of_body(&mut self, plan: &Plan, node: NodeIx, slot: &Slot) -> Turn {
        let roles = &plan.nodes[node].contexts;
        let own = TurnKey::of_activation(plan, node, &slot.epoch);
        let Self { contexts, any, .. } = self;
        let is_used = |context: &usize| roles.works_in_any || roles.works_in.contains(context);
        let mut used = contexts.iter_mut().enumerate().filter(|(context, _)| is_used(context));
        let made_here = &plan.scopes[self.scope].contexts;
        let is_due = used.all(|(context, ContextQueues { makers, users })| {
            let maker = made_here.maker_here(context);
            let until = maker.map(|maker| TurnKey::of_body(plan, maker, node, &slot.epoch));
            makers.wait_until(until.unwrap_or_else(|| own.clone()), node)
                && users.wait_until(own.clone(), node)
        });
        let without = Turn::Now { hidden_context: None };
        if !roles.takes_turns() || (is_due && any.wait_until(own, node)) { without } else { Turn::Later }
    }

    /// Whether all that comes before the activation in the workflow's memory is decided. If not, the node waits for it.
    fn request_memory(&mut self, plan: &Plan, node: NodeIx, slot: &Slot) -> bool {
        let queue = match plan.nodes[node].contexts.memory {
            MemoryMode::Off => return true,
            MemoryMode::Read => &mut self.memory_writers,
            MemoryMode::ReadWrite => &mut self.memory_users,
        };
        queue.wait_until(TurnKey::of_activation(plan, node, &slot.epoch), node)
    }

    fn request_context(&mut self, plan: &Plan, node: NodeIx, slot: &Slot) -> Turn {
        let spec = &plan.nodes[node];
        let without = Turn::Now { hidden_context: None };
        if !spec.contexts.takes_turns() {
            return without;
        }
        let Some(name) = context_of(spec, slot) else { return without };
        let own = TurnKey::of_activation(plan, node, &slot.epoch);
        let scope: &PlanScope = &plan.scopes[self.scope];
        let Some((context, epoch)) = scope.contexts.find(&name, &slot.epoch.prefix(scope.depth)) else {
            if is_made_after_loop(plan, self.scope, &name, &slot.epoch) {
                return Turn::Now { hidden_context: Some(name) };
            }
            // No node of the scope makes it. In a body, it may come from outside; else it exists at no time.
            let users = scope.contexts.find_outer(&name).map(|context| &mut self.contexts[context].users);
            let is_due = self.scope == ROOT_SCOPE
                || users.is_none_or(|users| users.wait_until(own.clone(), node))
                    && self.any.wait_until(own, node);
            return if is_due { without } else { Turn::Later };
        };
        let maker = scope.contexts.maker(context);
        let made_at = TurnKey::of_activation(plan, maker, &epoch);
        let Self { contexts, any, made, .. } = self;
        let ContextQueues { makers, users } = &mut contexts[context];
        if scope.depth + plan.nodes[maker].clock.len() != epoch.depth() || made_at > own {
            return Turn::Now { hidden_context: Some(name) };
        }
        if !makers.wait_until(made_at.next(), node) {
            return Turn::Later;
        }
        if !made.contains(&(maker, epoch)) {
            return Turn::Now { hidden_context: Some(name) };
        }
        if users.wait_until(own.clone(), node) && any.wait_until(own, node) { without } else { Turn::Later }
    }
}

/// Whether a context is made around the body of a loop, but after the loop in the order there. An iteration begins with what
/// exists at that time, and such a context may be among it.
fn is_made_after_loop(plan: &Plan, body: ScopeIx, name: &ContextId, epoch: &Epoch) -> bool {
    let mut container = plan.scopes[body].container;
    while let Some(node) = container.map(|container| container.node) {
        let around = &plan.scopes[plan.nodes[node].scope];
        if let Some((context, made_in)) = around.contexts.find(name, &epoch.prefix(around.depth)) {
            let maker = around.contexts.maker(context);
            let of_loop = epoch.prefix(around.depth + plan.nodes[node].clock.len());
            return TurnKey::of_activation(plan, maker, &made_in)
                >= TurnKey::of_body(plan, maker, node, &of_loop);
        }
        container = around.container;
    }
    false
}

/// The context that an activation works in.
fn context_of(node: &PlanNode, slot: &Slot) -> Option<ContextId> {
    let by_edge = || slot.inputs.context().ok().flatten().map(|handle| handle.context_id);
    match &node.context_source {
        ContextSource::Edge => by_edge(),
        ContextSource::Name(name) => Some(name.clone()),
        ContextSource::Input(port) => match slot.inputs.get(port.as_str()) {
            Some(value) => ContextHandle::id_in_value(value),
            None => by_edge(),
        },
    }
}

impl Scope {
    /// An activation has opened: later activations in its contexts wait for it.
    pub(in crate::scheduler) fn enter_turn_order(&mut self, plan: &Plan, node: NodeIx, epoch: &Epoch) {
        let roles = &plan.nodes[node].contexts;
        if !roles.is_empty() {
            self.turns.add(roles, TurnKey::of_activation(plan, node, epoch));
        }
    }

    /// An activation is over: nothing waits for it any longer.
    pub(in crate::scheduler) fn leave_turn_order(&mut self, plan: &Plan, node: NodeIx, epoch: &Epoch) {
        let roles = &plan.nodes[node].contexts;
        if !roles.is_empty() {
            let released = self.turns.decide(roles, &TurnKey::of_activation(plan, node, epoch));
            self.agenda.extend(released.into_iter().map(Step::Decide));
        }
    }

    /// A cycle may yet open this epoch: what comes after it waits until that is decided.
    pub(in crate::scheduler) fn enter_turn_order_with_epoch(
        &mut self,
        plan: &Plan,
        cycle: CycleIx,
        epoch: &Epoch,
    ) {
        for_each_in_epoch(plan, cycle, epoch, |roles, key| self.turns.add(roles, key));
    }

    /// A cycle opens this epoch, and its activations take its place; or it never will. Who no longer waits for the epoch is
    /// decided later, when the epoch is open.
    pub(in crate::scheduler) fn leave_turn_order_with_epoch(
        &mut self,
        plan: &Plan,
        cycle: CycleIx,
        epoch: &Epoch,
    ) {
        for_each_in_epoch(plan, cycle, epoch, |roles, key| {
            let released = self.turns.decide(roles, &key);
            self.agenda.extend(released.into_iter().map(Step::Decide));
        });
    }

    /// An activation has succeeded: the context that it makes exists from here on.
    pub(in crate::scheduler) fn note_made_context(&mut self, plan: &Plan, node: NodeIx, epoch: &Epoch) {
        if !plan.nodes[node].contexts.makes.is_empty() {
            self.turns.made.insert((node, epoch.clone()));
        }
    }
}

/// What an epoch of a cycle would add to the order: its nodes together and, apart from them, each follower that stands beside
/// the cycle.
fn for_each_in_epoch(
    plan: &Plan,
    cycle: CycleIx,
    epoch: &Epoch,
    mut visit: impl FnMut(&ContextRoles, TurnKey),
) {
    let spec = &plan.cycles[cycle];
    if !spec.contexts.is_empty() {
        visit(&spec.contexts, TurnKey::of_epoch(plan, cycle, epoch));
    }
    for &follower in &spec.context_followers {
        visit(&plan.nodes[follower].contexts, TurnKey::of_activation(plan, follower, epoch));
    }
}
