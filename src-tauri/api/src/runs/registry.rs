//! The runs that are driven in this process, and the broadcasts of watched runs.
//!
//! A run tree is idle if only a person can make it go on: each of its runs is idle, and each has taken in what the runs below it have
//! sent. Whatever decides that "everything waits" asks [`ActiveRuns::idle_tree`]: an answer that a child run has and its parent does
//! not know of yet is on its way.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use plait_core::id::RunId;
use plait_run::debugger::Debugger;
use plait_run::{Driver, RunHandle};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::broadcast::RunBroadcast;
use crate::ErrorReply;
use crate::codes;

/// How many broadcasts are kept before those without an owner are removed.
const MIN_PRUNED_BROADCASTS: usize = 64;

/// All active runs. Clones share the same state.
#[derive(Clone, Default)]
pub(crate) struct ActiveRuns(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    runs: HashMap<RunId, ActiveRun>,
    /// By run, the child runs that its nodes wait for.
    followed: HashMap<RunId, HashMap<RunId, Followed>>,
    /// Says that a run was added or removed, or has begun or ceased to wait.
    changes: watch::Sender<()>,
    /// Owned by watchers and drivers.
    broadcasts: HashMap<RunId, Weak<RunBroadcast>>,
    /// At how many of them those without an owner are removed: rarely enough that it costs little per run.
    prune_broadcasts_at: usize,
    /// The broadcasts of runs that stopped with an error, until they are resumed: a later watcher receives the error too.
    stopped: HashMap<RunId, Arc<RunBroadcast>>,
    /// By root, the debuggers of the run trees.
    debuggers: HashMap<RunId, Debugger>,
    /// Child runs that were canceled before they were driven.
    canceled_early: HashSet<RunId>,
    /// Runs of trees that cease to be driven. They are no longer followed by their parents, and go on with them later.
    suspended: HashSet<RunId>,
    /// The application is closing: all runs are stopped and can be resumed later.
    closing: bool,
}

struct ActiveRun {
    handle: RunHandle,
    abort: AbortHandle,
    /// Closes when the run is no longer driven.
    settled: watch::Receiver<()>,
    /// Closes when no child run of it is starting.
    child_starts: Arc<watch::Sender<()>>,
    /// It started child runs, here or before it was resumed.
    may_have_children: bool,
    /// The run is being canceled or has ended. Closing the application waits for it instead of aborting it.
    ending: bool,
}

impl ActiveRun {
    /// Whether it has not ended.
    fn is_driven(&self) -> bool {
        let mut idle = self.handle.idle();
        idle.mark_unchanged();
        idle.has_changed().is_ok()
    }
}

/// A child run as its parent knows it.
struct Followed {
    broadcast: Arc<RunBroadcast>,
    /// The sequence number after the last event that the parent has taken in; none while the child is starting.
    next_seq: Option<u64>,
}

impl Followed {
    /// Whether the parent has all that the child has sent.
    fn is_taken_in(&self) -> bool {
        self.next_seq.is_some() && self.next_seq == self.broadcast.next_seq()
    }
}

/// A child run that a node of `parent` waits for, until this is dropped.
pub(crate) struct FollowedChild {
    runs: ActiveRuns,
    parent: RunId,
    run: RunId,
}

impl FollowedChild {
    /// The parent has taken in all events before this sequence number.
    pub(crate) fn take_in(&self, next_seq: u64) {
        let mut state = self.runs.0.lock();
        let children = state.followed.get_mut(&self.parent);
        if let Some(child) = children.and_then(|children| children.get_mut(&self.run)) {
            child.next_seq = Some(next_seq);
        }
    }
}

impl Drop for FollowedChild {
    fn drop(&mut self) {
        let mut state = self.runs.0.lock();
        if let Some(children) = state.followed.get_mut(&self.parent) {
            children.remove(&self.run);
            if children.is_empty() {
                state.followed.remove(&self.parent);
            }
        }
    }
}

pub(crate) struct ChildStart(#[expect(dead_code, reason = "dropping it is what counts")] watch::Receiver<()>);

impl State {
    /// A run in the tree below `run`, itself included, that goes on without a person: the next change of whether it is idle.
    fn busy_run(&self, run: &RunId) -> Option<watch::Receiver<bool>> {
        // What a run that has ended sent last is looked at with its parent.
        let active = self.runs.get(run).filter(|active| active.is_driven())?;
        let mut idle = active.handle.idle();
        if !*idle.borrow_and_update() || active.handle.has_pending() {
            return Some(idle);
        }
        for (child, followed) in self.followed.get(run).into_iter().flatten() {
            if let Some(busy) = self.busy_run(child) {
                return Some(busy);
            }
            if !followed.is_taken_in() {
                return Some(idle);
            }
        }
        // What a child sent before it was looked at has woken this run.
        let is_idle = *idle.borrow() && !active.handle.has_pending();
        (!is_idle).then_some(idle)
    }
}

impl ActiveRuns {
    /// The broadcast of a run, created if there is none.
    pub(crate) fn broadcast(&self, run: &RunId) -> Arc<RunBroadcast> {
        let mut state = self.0.lock();
        if let Some(broadcast) = state.broadcasts.get(run).and_then(Weak::upgrade) {
            return broadcast;
        }
        if state.broadcasts.len() >= state.prune_broadcasts_at {
            state.broadcasts.retain(|_, broadcast| broadcast.strong_count() > 0);
            state.prune_broadcasts_at = 2 * state.broadcasts.len() + MIN_PRUNED_BROADCASTS;
        }
        let broadcast = RunBroadcast::new();
        state.broadcasts.insert(run.clone(), Arc::downgrade(&broadcast));
        broadcast
    }

    /// The debugger of a run tree.
    pub(crate) fn debugger(&self, root: &RunId) -> Debugger {
        self.0.lock().debuggers.entry(root.clone()).or_default().clone()
    }

    /// The handle that controls a run, if it is driven here.
    pub(crate) fn handle(&self, run: &RunId) -> Option<RunHandle> {
        self.0.lock().runs.get(run).map(|active| active.handle.clone())
    }

    /// Whether a run is driven here.
    pub(crate) fn contains(&self, run: &RunId) -> bool {
        self.0.lock().runs.contains_key(run)
    }

    /// Cancels a child run that its parent no longer needs. Does nothing while the application closes or the tree ceases to be driven:
    /// the child is resumed with its parent.
    pub(crate) fn cancel_child(&self, run: &RunId) {
        let mut state = self.0.lock();
        if state.closing || state.suspended.contains(run) {
            return;
        }
        match state.runs.get_mut(run) {
            Some(active) => {
                active.ending = true;
                active.handle.cancel();
            }
            None => {
                state.canceled_early.insert(run.clone());
            }
        }
    }

    /// A child run of `parent` is starting, until what this returns is dropped.
    pub(crate) fn child_start(&self, parent: &RunId) -> Option<ChildStart> {
        let mut state = self.0.lock();
        let active = state.runs.get_mut(parent)?;
        active.may_have_children = true;
        Some(ChildStart(active.child_starts.subscribe()))
    }

    /// Resolves when no child run of `parent` is starting.
    pub(crate) async fn child_starts_done(&self, parent: &RunId) {
        let starts = self.0.lock().runs.get(parent).map(|active| Arc::clone(&active.child_starts));
        if let Some(starts) = starts {
            starts.closed().await;
        }
    }

    /// A node of `parent` waits for a child run.
    pub(crate) fn follow_child(&self, parent: &RunId, run: &RunId) -> FollowedChild {
        let followed = Followed { broadcast: self.broadcast(run), next_seq: None };
        let mut state = self.0.lock();
        state.followed.entry(parent.clone()).or_default().insert(run.clone(), followed);
        FollowedChild { runs: self.clone(), parent: parent.clone(), run: run.clone() }
    }

    /// Resolves when the tree of a root run is idle: only a person can make it go on, and no event is on its way in it. Returns the
    /// sequence number after the last event of the root; nothing if that is not driven here any more.
    pub(crate) async fn idle_tree(&self, root: &RunId) -> Option<u64> {
        loop {
            let mut busy = {
                let state = self.0.lock();
                state.runs.get(root).filter(|active| active.is_driven())?;
                let Some(busy) = state.busy_run(root) else {
                    return state.broadcasts.get(root).and_then(Weak::upgrade)?.next_seq();
                };
                busy
            };
            // An error says that the run is not driven any more.
            let _ = busy.changed().await;
        }
    }

    /// Whether a run tree that is driven here goes on without a person.
    pub(crate) fn is_busy(&self, root: &RunId) -> bool {
        self.0.lock().busy_run(root).is_some()
    }

    /// Resolves when all runs that are driven here are idle at once.
    pub(crate) async fn all_idle(&self) {
        loop {
            let busy = {
                let state = self.0.lock();
                state.runs.keys().find_map(|run| state.busy_run(run))
            };
            match busy {
                None => return,
                // An error says that the run is not driven any more.
                Some(mut busy) => drop(busy.changed().await),
            }
        }
    }

    /// Whether a run may have child runs. Most runs have none, and looking for them in the store takes time.
    pub(crate) fn may_have_children(&self, run: &RunId) -> bool {
        self.0.lock().runs.get(run).is_none_or(|active| active.may_have_children)
    }

    /// Whether a child run was canceled before it was driven.
    pub(crate) fn is_canceled_early(&self, run: &RunId) -> bool {
        self.0.lock().canceled_early.contains(run)
    }

    /// A child run could not be started.
    pub(crate) fn forget_child(&self, run: &RunId) {
        self.0.lock().canceled_early.remove(run);
    }

    /// Drives a run in the background until it ends. If it stops with an error, its watchers receive the error. The run
    /// counts as active until the future of `on_end`, which is created when the run has ended, is done. Does nothing while
    /// the application closes.
    pub(crate) fn drive(
        &self,
        run: &RunId,
        broadcast: Arc<RunBroadcast>,
        driver: Driver,
        handle: RunHandle,
        is_resumed: bool,
        on_end: impl FnOnce() -> BoxFuture<'static, ()> + Send + 'static,
    ) {
        let (settled_sender, settled) = watch::channel(());
        // Locked until the run is in the table, so that its end cannot come before its start.
        let mut state = self.0.lock();
        if state.closing {
            return;
        }
        let ending = state.canceled_early.remove(run);
        state.stopped.remove(run);
        if ending {
            handle.cancel();
        }
        let mut task = tokio::spawn(driver.drive());
        let abort = task.abort_handle();
        let (runs, id, mut idle) = (self.clone(), run.clone(), handle.idle());
        tokio::spawn(async move {
            let result = loop {
                tokio::select! {
                    result = &mut task => break result,
                    Ok(()) = idle.changed() => runs.0.lock().changes.send_replace(()),
                }
            };
            if let Ok(Ok(_)) = result {
                if let Some(active) = runs.0.lock().runs.get_mut(&id) {
                    active.ending = true;
                }
                on_end().await;
            }
            let error = match result {
                Ok(Ok(_)) => None,
                Ok(Err(fault)) => Some(fault.into()),
                Err(aborted) if aborted.is_cancelled() => None,
                Err(panicked) => Some(
                    ErrorReply::new(
                        codes::APP_INTERNAL,
                        format!("The run stopped unexpectedly: {panicked}."),
                    )
                    .hint("This is a bug in Plait; please report it. The journal is intact: resume the run."),
                ),
            };
            {
                let mut state = runs.0.lock();
                state.runs.remove(&id);
                state.debuggers.remove(&id);
                state.changes.send_replace(());
                if let Some(error) = error {
                    broadcast.stop(error);
                    state.stopped.insert(id, broadcast);
                }
            }
            drop(settled_sender);
        });
        let child_starts = Arc::new(watch::channel(()).0);
        let active =
            ActiveRun { handle, abort, settled, child_starts, may_have_children: is_resumed, ending };
        state.runs.insert(run.clone(), active);
        state.changes.send_replace(());
    }

    /// The handle of a child run, once it is driven for its parent. Nothing if the parent is not driven, or ends before.
    pub(crate) async fn driven_child(&self, run: &RunId, parent: &RunId) -> Option<RunHandle> {
        loop {
            let mut changes = {
                let state = self.0.lock();
                if let Some(active) = state.runs.get(run) {
                    return Some(active.handle.clone());
                }
                if !state.runs.contains_key(parent) {
                    return None;
                }
                state.changes.subscribe()
            };
            changes.changed().await.ok()?;
        }
    }

    /// Says when a run is added or removed, or has begun or ceased to wait.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.lock().changes.subscribe()
    }

    /// Wakes those that [`Self::changes`] informs.
    pub(crate) fn announce_change(&self) {
        self.0.lock().changes.send_replace(());
    }

    /// Resolves when a run is no longer driven here.
    pub(crate) async fn settled(&self, run: &RunId) {
        let settled = self.0.lock().runs.get(run).map(|active| active.settled.clone());
        if let Some(mut settled) = settled {
            // An error means that the sender is dropped, which is what this waits for.
            let _ = settled.changed().await;
        }
    }

    /// Stops driving the runs of a tree, the root first, and waits until nothing writes their journals. Each can be resumed. Those that
    /// end come to their end.
    pub(crate) async fn suspend(&self, tree: &[RunId]) {
        self.0.lock().suspended.extend(tree.iter().cloned());
        for run in tree {
            let starts = {
                let state = self.0.lock();
                let Some(active) = state.runs.get(run) else { continue };
                if !active.ending {
                    active.abort.abort();
                }
                Arc::clone(&active.child_starts)
            };
            starts.closed().await;
            self.settled(run).await;
        }
        self.0.lock().suspended.retain(|run| !tree.contains(run));
    }

    /// Whether the application is closing.
    pub(crate) fn is_closing(&self) -> bool {
        self.0.lock().closing
    }

    /// Stops driving all runs. Each can be resumed from its journal. Waits for ending runs, since nothing would cancel
    /// an orphaned child later, and for children that are starting, which use the store.
    pub(crate) async fn close(&self) {
        let (runs, child_starts): (Vec<RunId>, Vec<_>) = {
            let mut state = self.0.lock();
            state.closing = true;
            state.runs.values().filter(|active| !active.ending).for_each(|active| active.abort.abort());
            state.runs.iter().map(|(run, active)| (run.clone(), Arc::clone(&active.child_starts))).unzip()
        };
        for starts in child_starts {
            starts.closed().await;
        }
        for run in runs {
            self.settled(&run).await;
        }
    }
}

#[cfg(test)]
mod tests;
