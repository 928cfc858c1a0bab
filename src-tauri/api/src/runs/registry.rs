//! The runs that are being driven in this process, and the hubs of those that are watched.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures::future::BoxFuture;
use plait_engine::id::RunId;
use plait_engine::run::{Driver, RunHandle};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::ErrorReply;
use crate::runs::broadcast::RunBroadcast;

/// All of them. Clones share.
#[derive(Clone, Default)]
pub(crate) struct ActiveRuns(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    driven: HashMap<RunId, Driven>,
    /// Kept alive by those who watch or drive.
    hubs: HashMap<RunId, Weak<RunBroadcast>>,
    /// The hubs of runs that could not go on, until they are taken up again: who comes late hears why.
    stopped: HashMap<RunId, Arc<RunBroadcast>>,
    /// Children that were given up while they began.
    given_up: HashSet<RunId>,
    /// All runs are being left where they are.
    stopping: bool,
}

struct Driven {
    handle: RunHandle,
    abort: AbortHandle,
    over: watch::Receiver<()>,
    /// It was told to end, and is to be let.
    ending: bool,
}

impl ActiveRuns {
    /// The hub of a run, made if there is none.
    pub(crate) fn hub(&self, run: &RunId) -> Arc<RunBroadcast> {
        let mut state = self.lock();
        if let Some(hub) = state.hubs.get(run).and_then(Weak::upgrade) {
            return hub;
        }
        state.hubs.retain(|_, hub| hub.strong_count() > 0);
        let hub = RunBroadcast::new();
        state.hubs.insert(run.clone(), Arc::downgrade(&hub));
        hub
    }

    /// How to steer a run, if it is driven here.
    pub(crate) fn handle(&self, run: &RunId) -> Option<RunHandle> {
        self.lock().driven.get(run).map(|driven| driven.handle.clone())
    }

    /// Whether a run is driven here.
    pub(crate) fn contains(&self, run: &RunId) -> bool {
        self.lock().driven.contains_key(run)
    }

    /// Cancels a child whose parent gives it up; one that is only left where it is, because everything is, goes on later.
    pub(crate) fn cancel_child(&self, run: &RunId) {
        let mut state = self.lock();
        if state.stopping {
            return;
        }
        match state.driven.get_mut(run) {
            Some(driven) => {
                driven.ending = true;
                driven.handle.cancel();
            }
            None => {
                state.given_up.insert(run.clone());
            }
        }
    }

    /// A child that was to begin can't.
    pub(crate) fn did_not_begin(&self, run: &RunId) {
        self.lock().given_up.remove(run);
    }

    #[cfg(test)]
    pub(crate) fn is_given_up(&self, run: &RunId) -> bool {
        self.lock().given_up.contains(run)
    }

    /// Drives a run on the async threads until it ends; its watchers hear it if it can't go on. It counts as driven until
    /// `afterwards` is done, which is asked for when it has ended.
    pub(crate) fn drive(
        &self,
        run: &RunId,
        hub: Arc<RunBroadcast>,
        driver: Driver,
        handle: RunHandle,
        afterwards: impl FnOnce() -> BoxFuture<'static, ()> + Send + 'static,
    ) {
        let (ended, over) = watch::channel(());
        // Locked until the run stands in the table, so that its end can't come before its beginning.
        let mut state = self.lock();
        let ending = state.given_up.remove(run);
        state.stopped.remove(run);
        if ending {
            handle.cancel();
        }
        let work = tokio::spawn(driver.drive());
        let abort = work.abort_handle();
        let (live, id) = (self.clone(), run.clone());
        tokio::spawn(async move {
            let result = work.await;
            if let Ok(Ok(_)) = result {
                if let Some(driven) = live.lock().driven.get_mut(&id) {
                    driven.ending = true;
                }
                afterwards().await;
            }
            let why = match result {
                Ok(Ok(_)) => None,
                Ok(Err(fault)) => Some(fault.into()),
                Err(stopped) if stopped.is_cancelled() => None,
                Err(broke) => {
                    Some(ErrorReply::new("app.internal", format!("The run could not go on: {broke}.")).hint(
                        "This is a bug in Plait; please report it. The run's journal stands: resume it.",
                    ))
                }
            };
            {
                let mut state = live.lock();
                state.driven.remove(&id);
                if let Some(why) = why {
                    hub.stop(why);
                    state.stopped.insert(id, hub);
                }
            }
            drop(ended);
        });
        state.driven.insert(run.clone(), Driven { handle, abort, over, ending });
    }

    /// Resolves when a run is no longer driven here.
    pub(crate) async fn over(&self, run: &RunId) {
        let over = self.lock().driven.get(run).map(|driven| driven.over.clone());
        if let Some(mut over) = over {
            // An error says that the sender is gone, which is what is waited for.
            let _ = over.changed().await;
        }
    }

    /// Stops driving all runs, where they are. Each can be resumed from its journal. Those that are being cancelled with
    /// their parents are let: nobody would do it later.
    pub(crate) async fn stop(&self) {
        let runs: Vec<RunId> = {
            let mut state = self.lock();
            state.stopping = true;
            state.driven.values().filter(|driven| !driven.ending).for_each(|driven| driven.abort.abort());
            state.driven.keys().cloned().collect()
        };
        for run in runs {
            self.over(&run).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
