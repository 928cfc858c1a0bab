//! Delivers the events of one run to its watchers. Holds nothing that the journal has, except the partial output of
//! activations in progress, so that a watcher that subscribes late sees it too.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::id::Activation;
use plait_journal::{Entry, Event, NodeEvent};
use tokio::sync::mpsc;

use crate::ErrorReply;

/// How many entries are buffered for a watcher. One that falls further behind reads the journal again.
///
/// The buffer grows as it fills: a run tree may have thousands of runs, each with its watcher.
const CHANNEL_CAPACITY: usize = 4_096;

/// What watchers receive.
#[derive(Clone)]
pub(crate) enum WatchEvent {
    /// An event of the run.
    Entry(Arc<Entry>),
    /// The run is no longer driven although it has not ended. It can be resumed from its journal.
    Stopped(Arc<ErrorReply>),
}

/// The events of one run, live.
pub(crate) struct RunBroadcast(Mutex<State>);

struct State {
    watchers: Vec<mpsc::Sender<WatchEvent>>,
    /// The sequence number after the last event that was sent. Unknown while the run is not driven.
    next_seq: Option<u64>,
    partial_output: BTreeMap<Activation, Entry>,
    /// Why the run is no longer driven, if it was stopped.
    stopped: Option<Arc<ErrorReply>>,
}

/// What a watcher starts with.
pub(crate) struct Subscription {
    /// Every event from this sequence number on is received live.
    pub(crate) next_seq: u64,
    /// Partial output up to then.
    pub(crate) partial_output: Vec<Entry>,
    /// What follows. It ends when the watcher has fallen too far behind.
    pub(crate) receiver: mpsc::Receiver<WatchEvent>,
    /// Why the run is no longer driven, if it was stopped. It is not received again.
    pub(crate) stopped: Option<Arc<ErrorReply>>,
}

impl RunBroadcast {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            watchers: Vec::new(),
            next_seq: None,
            partial_output: BTreeMap::new(),
            stopped: None,
        })))
    }

    /// The run starts to be driven. Its journal holds every event before `next_seq`.
    pub(crate) fn open(&self, next_seq: u64) {
        let mut state = self.0.lock();
        state.next_seq = Some(next_seq);
        state.stopped = None;
    }

    /// The sequence number after the last event that was sent, while the run is driven and after its end.
    pub(crate) fn next_seq(&self) -> Option<u64> {
        self.0.lock().next_seq
    }

    /// Sends events to the watchers. The events must be in the journal already.
    pub(crate) fn send(&self, entries: &[Entry]) {
        let mut state = self.0.lock();
        for entry in entries {
            state.track(entry);
            // Without watchers, nothing is copied.
            if !state.watchers.is_empty() {
                state.publish(&WatchEvent::Entry(Arc::new(entry.clone())));
            }
        }
    }

    /// Tells the watchers that the run is no longer driven although it has not ended.
    pub(crate) fn stop(&self, error: ErrorReply) {
        let mut state = self.0.lock();
        state.next_seq = None;
        state.partial_output.clear();
        let error = Arc::new(error);
        state.stopped = Some(Arc::clone(&error));
        state.publish(&WatchEvent::Stopped(error));
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        let (sender, receiver) = mpsc::channel(CHANNEL_CAPACITY);
        let mut state = self.0.lock();
        state.watchers.push(sender);
        Subscription {
            next_seq: state.next_seq.unwrap_or(u64::MAX),
            partial_output: state.partial_output.values().cloned().collect(),
            receiver,
            stopped: state.stopped.clone(),
        }
    }
}

impl State {
    /// Sends to all watchers. Forgets watchers that are gone and watchers with a full buffer.
    fn publish(&mut self, event: &WatchEvent) {
        self.watchers.retain(|watcher| watcher.try_send(event.clone()).is_ok());
    }

    /// Keeps the sequence number and the partial output up to date.
    fn track(&mut self, entry: &Entry) {
        if let Some(seq) = entry.seq {
            self.next_seq = Some(seq + 1);
        }
        match &entry.event {
            Event::Node(activation, NodeEvent::Delta { text, reasoning }) => {
                match self.partial_output.get_mut(activation) {
                    Some(Entry {
                        at,
                        event:
                            Event::Node(
                                _,
                                NodeEvent::Delta { text: text_so_far, reasoning: reasoning_so_far, .. },
                            ),
                        ..
                    }) => {
                        *at = entry.at;
                        text_so_far.push_str(text);
                        reasoning_so_far.push_str(reasoning);
                    }
                    _ => {
                        self.partial_output.insert(activation.clone(), entry.clone());
                    }
                }
            }
            Event::Node(
                activation,
                NodeEvent::Finished { .. }
                | NodeEvent::Failed { .. }
                | NodeEvent::Skipped { .. }
                | NodeEvent::Retrying { .. },
            ) => {
                self.partial_output.remove(activation);
            }
            _ => {}
        }
    }
}
