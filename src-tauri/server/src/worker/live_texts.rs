//! Text that runs here are writing, announced for those who watch them. Best effort: what is lost comes with the whole reply.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plait_api::Plait;
use plait_core::id::{Activation, RunId};
use plait_host_store::{Database, LiveText};
use plait_journal::{Entry, Event, NodeEvent};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

/// How long a run counts as watched after a host has said so. Hosts say it again in time.
const WATCH_DURATION: Duration = Duration::from_mins(1);
/// What is written within this time is announced together.
const ANNOUNCE_INTERVAL: Duration = Duration::from_millis(30);
/// How many pieces may wait to be announced. More are lost.
const MAX_PENDING_PIECES: usize = 4_096;
/// With so many watched trees those that are watched no more are forgotten.
const MANY_TREES: usize = 1_024;

/// The runs of a tree that are watched, and until when.
type Watched = HashMap<RunId, Instant>;

pub(super) struct LiveTexts {
    plait: Plait,
    pieces: mpsc::Sender<LiveText>,
    watched: Mutex<HashMap<RunId, Watched>>,
    /// What follows a run here.
    followers: Mutex<HashMap<RunId, AbortHandle>>,
}

impl LiveTexts {
    pub(super) fn new(plait: Plait, database: Database) -> Arc<Self> {
        let (pieces, pending) = mpsc::channel(MAX_PENDING_PIECES);
        tokio::spawn(announce(database, pending));
        Arc::new(Self { plait, pieces, watched: Mutex::default(), followers: Mutex::default() })
    }

    /// Somebody watches a run. If it is driven here, what it writes is announced from the beginning of its text.
    pub(super) fn watch(self: &Arc<Self>, root: &RunId, run: RunId, is_driven: bool) {
        let now = Instant::now();
        {
            let mut watched = self.watched.lock();
            if watched.len() >= MANY_TREES {
                watched.retain(|_, runs| runs.values().any(|until| *until > now));
            }
            watched.entry(root.clone()).or_default().insert(run.clone(), now + WATCH_DURATION);
        }
        if is_driven {
            self.follow(root, run);
        }
    }

    /// A tree is driven here from now on.
    pub(super) fn begin(self: &Arc<Self>, root: &RunId) {
        let now = Instant::now();
        let runs = self.watched.lock().get(root).cloned().unwrap_or_default();
        for (run, _) in runs.into_iter().filter(|(_, until)| *until > now) {
            self.follow(root, run);
        }
    }

    /// A tree is not driven here any more.
    pub(super) fn end(&self, root: &RunId) {
        let runs = self.watched.lock().get(root).cloned().unwrap_or_default();
        let mut followers = self.followers.lock();
        for run in runs.keys() {
            if let Some(follower) = followers.remove(run) {
                follower.abort();
            }
        }
    }

    /// Follows a run from now on, in place of what followed it before.
    fn follow(self: &Arc<Self>, root: &RunId, run: RunId) {
        let (texts, root, written) = (Arc::clone(self), root.clone(), run.clone());
        let follower = tokio::spawn(async move {
            // One that cannot be followed is shown by its records.
            let _ = timeout(WATCH_DURATION, texts.send_texts(root, written)).await;
        });
        if let Some(before) = self.followers.lock().insert(run, follower.abort_handle()) {
            before.abort();
        }
    }

    async fn send_texts(&self, root: RunId, run: RunId) {
        let Ok(mut watch) = self.plait.runs().watch_from_now(&run).await else { return };
        let mut text = WrittenText { root, run, after: watch.next_seq(), sent: HashMap::new() };
        while let Some(Ok(batch)) = watch.next_batch(ANNOUNCE_INTERVAL).await {
            for piece in batch.into_iter().filter_map(|entry| text.piece(entry)) {
                // Without room for it, it is lost.
                let _ = self.pieces.try_send(piece);
            }
        }
    }
}

/// What was sent of the texts of a run.
struct WrittenText {
    root: RunId,
    run: RunId,
    /// How many entries its journal has so far.
    after: u64,
    /// How many bytes of text and of reasoning, by activation.
    sent: HashMap<Activation, (u64, u64)>,
}

impl WrittenText {
    /// The piece of an entry that is one.
    fn piece(&mut self, entry: Entry) -> Option<LiveText> {
        if let Some(seq) = entry.seq {
            self.after = seq + 1;
        }
        let Event::Node(activation, event) = entry.event else { return None };
        match event {
            NodeEvent::Delta { text, reasoning } => {
                let (text_sent, reasoning_sent) = self.sent.entry(activation.clone()).or_default();
                let (text_before, reasoning_before) = (*text_sent, *reasoning_sent);
                *text_sent += text.len() as u64;
                *reasoning_sent += reasoning.len() as u64;
                Some(LiveText {
                    root: self.root.clone(),
                    run: self.run.clone(),
                    after: self.after,
                    at: entry.at,
                    activation,
                    text_before,
                    text,
                    reasoning_before,
                    reasoning,
                })
            }
            NodeEvent::Finished { .. }
            | NodeEvent::Failed { .. }
            | NodeEvent::Skipped { .. }
            | NodeEvent::Retrying { .. } => {
                self.sent.remove(&activation);
                None
            }
            _ => None,
        }
    }
}

async fn announce(database: Database, mut pending: mpsc::Receiver<LiveText>) {
    let mut pieces = Vec::new();
    while pending.recv_many(&mut pieces, MAX_PENDING_PIECES).await > 0 {
        // While the database is away, they are lost.
        let _ = database.announce_text(std::mem::take(&mut pieces)).await;
        sleep(ANNOUNCE_INTERVAL).await;
    }
}
