//! Sends the spans of runs while they run, in a task beside them. A queue of limited length lies in between: if the server is
//! slow or down, spans are dropped and counted, and the run does not notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use plait_core::error::Fault;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::span::Span;
use super::{SpanExporter, TelemetrySettings};

/// How many batches of spans wait to be sent.
const QUEUE_CAPACITY: usize = 1_024;
/// How long spans are collected before they are sent.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
/// How many spans are sent at once.
const MAX_PENDING_SPANS: usize = 512;
/// How long closing waits for spans that are not sent yet.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends spans while runs run. Clones share the same state.
#[derive(Clone, Default)]
pub struct LiveExporter(Arc<State>);

#[derive(Default)]
struct State {
    settings: Mutex<TelemetrySettings>,
    /// Whether no run is followed: who drives them hands their spans over.
    is_unfollowed: AtomicBool,
    worker: Mutex<Option<Worker>>,
    /// What turns events into spans, one task for each run.
    followers: Mutex<Vec<JoinHandle<()>>>,
    dropped: AtomicU64,
    last_error: Mutex<Option<Fault>>,
}

struct Worker {
    queue: mpsc::Sender<Vec<Span>>,
    task: JoinHandle<()>,
}

impl LiveExporter {
    /// Uses these settings for spans that come from now on.
    pub fn set_settings(&self, settings: TelemetrySettings) {
        let mut current = self.0.settings.lock();
        if *current != settings {
            *current = settings;
            // Its queue is sent to the end; the next spans start another one.
            drop(self.0.worker.lock().take());
        }
    }

    /// The settings in force.
    pub fn settings(&self) -> TelemetrySettings {
        self.0.settings.lock().clone()
    }

    /// Whether spans are sent.
    pub fn is_on(&self) -> bool {
        self.0.settings.lock().endpoint().is_some()
    }

    /// From now on no run is followed: who drives them hands their spans over.
    pub fn follow_none(&self) {
        self.0.is_unfollowed.store(true, Ordering::Relaxed);
    }

    /// Whether runs are followed while they run.
    pub fn follows(&self) -> bool {
        self.is_on() && !self.0.is_unfollowed.load(Ordering::Relaxed)
    }

    /// How many spans were not sent, because the server was slow or down.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Ordering::Relaxed)
    }

    /// Why spans could not be sent the last time.
    pub fn last_error(&self) -> Option<Fault> {
        self.0.last_error.lock().clone()
    }

    /// Runs what turns the events of a run into spans.
    pub fn spawn(&self, follower: impl Future<Output = ()> + Send + 'static) {
        let mut followers = self.0.followers.lock();
        followers.retain(|task| !task.is_finished());
        followers.push(tokio::spawn(follower));
    }

    /// Queues spans. Never waits: if the queue is full, they are dropped.
    pub fn queue(&self, spans: Vec<Span>) {
        if spans.is_empty() {
            return;
        }
        let mut worker = self.0.worker.lock();
        if worker.is_none() {
            *worker = self.start();
        }
        let count = spans.len() as u64;
        let is_queued = worker.as_ref().is_some_and(|worker| worker.queue.try_send(spans).is_ok());
        if !is_queued {
            self.0.dropped.fetch_add(count, Ordering::Relaxed);
        }
    }

    fn start(&self) -> Option<Worker> {
        let exporter = match SpanExporter::new(&self.settings()) {
            Ok(exporter) => exporter,
            Err(fault) => {
                *self.0.last_error.lock() = Some(fault);
                return None;
            }
        };
        let (queue, receiver) = mpsc::channel(QUEUE_CAPACITY);
        let task = tokio::spawn(send_all(Arc::clone(&self.0), exporter, receiver));
        Some(Worker { queue, task })
    }

    /// Waits a limited time until what ended is sent.
    pub async fn close(&self) {
        let take_followers = || std::mem::take(&mut *self.0.followers.lock());
        let work = async {
            // Spans of child runs come while their parents' spans end.
            loop {
                let followers = take_followers();
                if followers.is_empty() {
                    break;
                }
                for follower in followers {
                    let _ = follower.await;
                }
            }
            // Not before: followers queue spans to their end.
            let worker = self.0.worker.lock().take();
            if let Some(Worker { queue, task }) = worker {
                drop(queue);
                let _ = task.await;
            }
        };
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, work).await;
    }
}

/// Sends queued spans in batches, until the queue is closed and empty.
async fn send_all(state: Arc<State>, exporter: SpanExporter, mut queue: mpsc::Receiver<Vec<Span>>) {
    while let Some(mut spans) = queue.recv().await {
        let deadline = tokio::time::Instant::now() + FLUSH_INTERVAL;
        while spans.len() < MAX_PENDING_SPANS {
            match tokio::time::timeout_at(deadline, queue.recv()).await {
                Ok(Some(more)) => spans.extend(more),
                Ok(None) | Err(_) => break,
            }
        }
        match exporter.send(&spans).await {
            Ok(report) => {
                state.dropped.fetch_add(report.rejected, Ordering::Relaxed);
            }
            Err(fault) => {
                state.dropped.fetch_add(spans.len() as u64, Ordering::Relaxed);
                *state.last_error.lock() = Some(fault);
            }
        }
    }
}

#[cfg(test)]
mod tests;
