//! What all runs of a tree share so that they stand still together: the breakpoints, whether the tree is held, which runs of it go on all
//! the same because a step covers them, and of which runs only branches are held.
//!
//! Each driver decides for its own run where it stops ([`crate::driver`]) and tells the tree; the tree wakes the other drivers.
//! While nothing is held and there are no breakpoints, [`Debugger::is_active`] is all that a driver looks at.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::sync::watch;

use plait_core::id::{NodeId, RunId};
use plait_journal::{Breakpoint, DebugVerb};
use plait_llm::models::TreeSpending;

/// Tells a driver to look at its tree.
type Waker = Box<dyn Fn() + Send>;

/// The debugger of a run tree, as one of its runs has it. Clones share the same state.
#[derive(Clone, Default)]
pub struct Debugger {
    tree: Arc<Tree>,
    /// The `subflow` nodes that lead to the run, the outermost first.
    path: Arc<[NodeId]>,
    /// What the activation that started the run has, if it has a time limit.
    hold: Option<BranchHold>,
}

/// Whether the time limit of an activation stands still, since a call of it is held or a branch of a run that it started.
#[derive(Clone)]
pub struct BranchHold {
    holds: Arc<AtomicUsize>,
    moving: watch::Sender<bool>,
}

/// Holds an activation until it is dropped.
pub(crate) struct HeldActivation(BranchHold);

impl Default for BranchHold {
    fn default() -> Self {
        Self { holds: Arc::default(), moving: watch::channel(true).0 }
    }
}

impl BranchHold {
    /// Holds the activation until what this returns is dropped.
    pub(crate) fn hold(&self) -> HeldActivation {
        self.holds.fetch_add(1, Ordering::AcqRel);
        self.moving.send_replace(false);
        HeldActivation(self.clone())
    }

    /// Says whether its time passes, and when that changes.
    pub(crate) fn moving(&self) -> watch::Receiver<bool> {
        self.moving.subscribe()
    }
}

impl Drop for HeldActivation {
    fn drop(&mut self) {
        if self.0.holds.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.moving.send_replace(true);
        }
    }
}

/// The waker of one driver, until it is dropped.
pub(crate) struct Registration {
    tree: Arc<Tree>,
    number: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.tree.state.lock().wakers.remove(&self.number);
    }
}

struct Tree {
    state: Mutex<TreeState>,
    /// Whether there is a breakpoint or anything is held.
    is_active: AtomicBool,
    /// Whether the tree is held. The state says by which run.
    is_held: AtomicBool,
    /// Whether branches of it are held alone.
    holds_branches: AtomicBool,
    /// How often the breakpoints were changed.
    edits: AtomicU64,
    /// Whether time passes: nothing is held, or a step is under way.
    moving: watch::Sender<bool>,
    /// What all runs of the tree have spent.
    spending: TreeSpending,
}

#[derive(Default)]
struct TreeState {
    breakpoints: Arc<[Breakpoint]>,
    /// The run that was held last, while the tree is held.
    held_by: Option<RunId>,
    /// Runs of which branches are held, or branches of runs below them, while the rest of the tree goes on.
    branches: HashSet<RunId>,
    /// How the tree went on last.
    verb: DebugVerb,
    /// How many steps are under way.
    steps: usize,
    /// Runs that go on though the tree is held.
    covered: HashSet<RunId>,
    /// The run that a step leads into.
    entered: Option<RunId>,
    wakers: FxHashMap<u64, Waker>,
    /// The number of the next waker.
    next_waker: u64,
}

impl TreeState {
    fn hold(&mut self, run: &RunId) {
        self.held_by = Some(run.clone());
        self.covered.clear();
        self.entered = None;
        self.steps = 0;
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            is_active: AtomicBool::new(false),
            is_held: AtomicBool::new(false),
            holds_branches: AtomicBool::new(false),
            edits: AtomicU64::new(0),
            moving: watch::channel(true).0,
            spending: TreeSpending::default(),
        }
    }
}

impl Debugger {
    /// The same for a run that a `subflow` node of this run starts.
    #[must_use]
    pub fn below(&self, node: &NodeId, hold: Option<BranchHold>) -> Self {
        let path = self.path.iter().chain([node]).cloned().collect();
        Self { tree: Arc::clone(&self.tree), path, hold }
    }

    /// Has the time limit of the activation that started this run stand still, until what this returns is dropped.
    pub(crate) fn hold_starter(&self) -> Option<HeldActivation> {
        self.hold.as_ref().map(BranchHold::hold)
    }

    /// Whether there is anything to look at.
    pub fn is_active(&self) -> bool {
        self.tree.is_active.load(Ordering::Acquire)
    }

    /// Says whether time passes, and when that changes.
    pub fn moving(&self) -> watch::Receiver<bool> {
        self.tree.moving.subscribe()
    }

    /// The breakpoints of the tree.
    pub fn breakpoints(&self) -> Arc<[Breakpoint]> {
        Arc::clone(&self.tree.state.lock().breakpoints)
    }

    /// The run that was held last, while the tree is held.
    pub fn held_by(&self) -> Option<RunId> {
        if !self.tree.is_held.load(Ordering::Acquire) {
            return None;
        }
        self.tree.state.lock().held_by.clone()
    }

    /// Calls `waker` whenever the state of the tree changes, until what this returns is dropped.
    pub(crate) fn register(&self, waker: Waker) -> Registration {
        let mut state = self.tree.state.lock();
        let number = state.next_waker;
        state.next_waker += 1;
        state.wakers.insert(number, waker);
        Registration { tree: Arc::clone(&self.tree), number }
    }

    /// How often the breakpoints were changed.
    pub(crate) fn edits(&self) -> u64 {
        self.tree.edits.load(Ordering::Acquire)
    }

    /// Whether a breakpoint has an effect and is in the flow of this run. One at every node is in the flows below its own as well.
    pub(crate) fn is_own(&self, breakpoint: &Breakpoint) -> bool {
        !breakpoint.disabled
            && match breakpoint.node {
                Some(_) => breakpoint.path[..] == self.path[..],
                None => self.path.starts_with(&breakpoint.path),
            }
    }

    /// What all runs of the tree have spent.
    pub(crate) fn spending(&self) -> TreeSpending {
        self.tree.spending.clone()
    }

    /// Replaces the breakpoints of the tree.
    pub(crate) fn set_breakpoints(&self, breakpoints: Arc<[Breakpoint]>) {
        self.change(|state| {
            state.breakpoints = breakpoints;
            // Before the drivers are woken: they look at it.
            self.tree.edits.fetch_add(1, Ordering::AcqRel);
        });
    }

    /// Whether this run is held.
    pub(crate) fn holds(&self, run: &RunId) -> bool {
        self.tree.is_held.load(Ordering::Acquire) && !self.tree.state.lock().covered.contains(run)
    }

    /// How the tree went on last.
    pub(crate) fn verb(&self) -> DebugVerb {
        self.tree.state.lock().verb
    }

    /// Holds the whole tree, for a stop that is restored.
    pub(crate) fn hold(&self, run: &RunId) {
        self.change(|state| state.hold(run));
    }

    /// Holds the whole tree because this run stops, unless another run was faster: of several that come to a place at the same instant,
    /// one stops, and the places of the others come up again when the tree goes on. `record` says so in the journal of the run, before any
    /// other run sees that the tree is held. A step that covers the run is over. Returns whether it is this run that holds the tree.
    pub(crate) fn stop<E>(&self, run: &RunId, record: impl FnOnce() -> Result<(), E>) -> Result<bool, E> {
        let mut state = self.tree.state.lock();
        let may_stop = state.steps > 0 || state.held_by.as_ref().is_none_or(|held_by| held_by == run);
        if may_stop {
            record()?;
            state.hold(run);
            self.publish(&state);
        }
        Ok(may_stop)
    }

    /// A branch of this run is held, or of a run below it, and the rest of the tree goes on.
    pub(crate) fn hold_branch(&self, run: &RunId) {
        self.change(|state| {
            state.branches.insert(run.clone());
        });
    }

    /// All branches of this run that are held go on. The run itself says so in its journal, and lets those of the runs below it go on.
    pub(crate) fn release_branches(&self, run: &RunId) {
        if self.holds_branches() {
            self.change(|state| {
                state.branches.remove(run);
            });
        }
    }

    /// Whether a branch of any run is held alone.
    pub(crate) fn holds_branches(&self) -> bool {
        self.tree.holds_branches.load(Ordering::Acquire)
    }

    /// Whether a branch of this run is held alone, or of a run below it.
    pub(crate) fn holds_branches_of(&self, run: &RunId) -> bool {
        self.holds_branches() && self.tree.state.lock().branches.contains(run)
    }

    /// Lets the whole tree go on.
    pub(crate) fn release(&self, verb: DebugVerb) {
        self.change(|state| {
            state.held_by = None;
            state.covered.clear();
            state.entered = None;
            state.steps = 0;
            state.verb = verb;
        });
    }

    /// A step of one activation begins: time passes again, and the tree stays held.
    pub(crate) fn begin_step(&self, verb: DebugVerb) {
        self.change(|state| {
            state.steps += 1;
            state.verb = verb;
        });
    }

    /// This run goes on with the step under way.
    pub(crate) fn cover(&self, run: &RunId) {
        self.change(|state| {
            state.covered.insert(run.clone());
        });
    }

    /// The step under way leads into this run.
    pub(crate) fn enter(&self, run: &RunId) {
        self.change(|state| state.entered = Some(run.clone()));
    }

    /// Whether the step under way leads into this run.
    pub(crate) fn is_entered(&self, run: &RunId) -> bool {
        self.tree.state.lock().entered.as_ref() == Some(run)
    }

    /// Whether this is the run that no other one started.
    pub(crate) fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    fn change(&self, change: impl FnOnce(&mut TreeState)) {
        let mut state = self.tree.state.lock();
        change(&mut state);
        self.publish(&state);
    }

    /// Says to all drivers what the state of the tree is now.
    fn publish(&self, state: &TreeState) {
        let is_held = state.held_by.is_some();
        self.tree.is_held.store(is_held, Ordering::Release);
        let holds_branches = !state.branches.is_empty();
        self.tree.holds_branches.store(holds_branches, Ordering::Release);
        let is_active = is_held || holds_branches || !state.breakpoints.is_empty();
        self.tree.is_active.store(is_active, Ordering::Release);
        let moves = !is_held || state.steps > 0;
        self.tree.moving.send_if_modified(|moving| std::mem::replace(moving, moves) != moves);
        state.wakers.values().for_each(|wake| wake());
    }
}

#[cfg(test)]
mod tests;
