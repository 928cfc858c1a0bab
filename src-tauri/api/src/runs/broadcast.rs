//! Where the entries of one run meet those who watch it. Keeps nothing that the journal has, but for the partial output
//! of what is being worked on: who joins late sees that too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plait_engine::id::Activation;
use plait_engine::run::{Entry, Event};
use tokio::sync::broadcast;

use crate::ErrorReply;

/// A watcher that is more entries behind than this goes back to the journal.
const BACKLOG: usize = 4_096;

/// What watchers are told.
#[derive(Clone)]
pub(crate) enum WatchEvent {
    /// Something happened.
    Entry(Arc<Entry>),
    /// The run is no longer driven although it did not end; its journal stands.
    Stopped(Arc<ErrorReply>),
}

/// One run's meeting place.
pub(crate) struct RunBroadcast(Mutex<State>);

struct State {
    news: broadcast::Sender<WatchEvent>,
    /// Everything before this place in the journal has been told; unknown while the run is not driven.
    next_seq: Option<u64>,
    partial: BTreeMap<Activation, Entry>,
    /// Why the run is no longer driven, where it was stopped.
    stopped: Option<Arc<ErrorReply>>,
}

/// What a watcher begins with.
pub(crate) struct Subscription {
    /// From this place in the journal on everything comes live.
    pub(crate) next_seq: u64,
    /// Partial output up to then.
    pub(crate) partial: Vec<Entry>,
    /// The rest.
    pub(crate) live: broadcast::Receiver<WatchEvent>,
    /// Why the run is no longer driven, where it was stopped: that news will not come again.
    pub(crate) stopped: Option<Arc<ErrorReply>>,
}

impl RunBroadcast {
    pub(crate) fn new() -> Arc<Self> {
        let (news, _) = broadcast::channel(BACKLOG);
        Arc::new(Self(Mutex::new(State { news, next_seq: None, partial: BTreeMap::new(), stopped: None })))
    }

    /// The run begins to be driven; its journal holds everything before `next_seq`.
    pub(crate) fn begin(&self, next_seq: u64) {
        let mut state = self.lock();
        state.next_seq = Some(next_seq);
        state.stopped = None;
    }

    /// Tells what happened. Events must stand in the journal by now.
    pub(crate) fn tell(&self, entries: impl IntoIterator<Item = Entry>) {
        let mut state = self.lock();
        for entry in entries {
            state.take_in(&entry);
            // Nobody may be watching.
            let _ = state.news.send(WatchEvent::Entry(Arc::new(entry)));
        }
    }

    /// Tells that the run is no longer driven although it did not end.
    pub(crate) fn stop(&self, error: ErrorReply) {
        let mut state = self.lock();
        state.next_seq = None;
        state.partial.clear();
        let error = Arc::new(error);
        state.stopped = Some(Arc::clone(&error));
        let _ = state.news.send(WatchEvent::Stopped(error));
    }

    pub(crate) fn join(&self) -> Subscription {
        let state = self.lock();
        Subscription {
            next_seq: state.next_seq.unwrap_or(u64::MAX),
            partial: state.partial.values().cloned().collect(),
            live: state.news.subscribe(),
            stopped: state.stopped.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_in(&mut self, entry: &Entry) {
        if let Some(seq) = entry.seq {
            self.next_seq = Some(seq + 1);
        }
        match &entry.event {
            Event::NodeDelta { node, epoch, text, reasoning } => {
                let activation = Activation { node: node.clone(), epoch: epoch.clone() };
                match self.partial.get_mut(&activation) {
                    Some(Entry {
                        at,
                        event: Event::NodeDelta { text: said, reasoning: thought, .. },
                        ..
                    }) => {
                        *at = entry.at;
                        said.push_str(text);
                        thought.push_str(reasoning);
                    }
                    _ => {
                        self.partial.insert(activation, entry.clone());
                    }
                }
            }
            Event::NodeFinished { node, epoch, .. }
            | Event::NodeFailed { node, epoch, .. }
            | Event::NodeSkipped { node, epoch, .. }
            | Event::NodeRetrying { node, epoch, .. } => {
                self.partial.remove(&Activation { node: node.clone(), epoch: epoch.clone() });
            }
            _ => {}
        }
    }
}
