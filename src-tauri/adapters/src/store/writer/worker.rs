//! The thread: takes what is queued in groups, writes it, flushes once, and tells everybody. Owns what happens on an
//! error.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use futures::channel::oneshot;
use plait_engine::error::{ErrorCode, Fault};

use super::queue::{GATHER_BYTES, Job, Queue, State};
use crate::store::batch_builder::BatchBuilder;
use crate::store::blobs::Blobs;
use crate::store::compressed_segment::{self, JournalRange};
use crate::store::database::Backend;

/// How long a write that nobody waits for may be held back to go with others.
const BATCH_DELAY: Duration = Duration::from_millis(5);
/// How much goes into one batch of the database, unless a single write is larger.
const BATCH_BYTES: usize = 1 << 20;

/// The thread's own.
pub(super) struct Worker {
    queue: Arc<Queue>,
    backend: Arc<dyn Backend>,
    blobs: Blobs,
}

impl Worker {
    pub(super) fn new(queue: Arc<Queue>, backend: Arc<dyn Backend>, blobs: Blobs) -> Self {
        Self { queue, backend, blobs }
    }

    /// Works until the queue is closed and empty. Seals when there is nothing else to do.
    pub(super) fn run(&self) {
        let mut uncompressed: VecDeque<JournalRange> = VecDeque::new();
        loop {
            let (outcome, waiting) = match self.take(uncompressed.is_empty()) {
                Some(jobs) => self.work(jobs),
                None => match uncompressed.pop_front() {
                    Some(range) => (guarded(|| self.compress(range)), Waiting::default()),
                    None => return,
                },
            };
            for range in &waiting.ranges {
                // One that waits already goes as far as its journal does by then.
                if uncompressed.iter().all(|earlier| earlier.run != range.run) {
                    uncompressed.push_back(*range);
                }
            }
            // The state first: a caller that receives an error must find everything after it refused.
            self.note(&outcome);
            waiting.tell(&outcome);
        }
    }

    fn compress(&self, range: JournalRange) -> Result<(), Fault> {
        self.backend.apply_alone(compressed_segment::compress(&self.backend.segments(range)?))
    }

    fn note(&self, outcome: &Result<(), Fault>) {
        let refused = {
            let mut state = self.queue.lock();
            state.busy = false;
            let Err(fault) = outcome else { return };
            state.health.break_with(fault);
            state.bytes = 0;
            self.queue.room.notify_all();
            Waiting::of(std::mem::take(&mut state.jobs))
        };
        refused.tell(outcome);
    }

    /// The next group of jobs, once there is a reason to begin with it; none when the store closes, or when there is none
    /// and is not to be waited for.
    fn take(&self, wait: bool) -> Option<Vec<Job>> {
        let mut state = self.queue.lock();
        while state.jobs.is_empty() {
            if state.closed || !wait {
                return None;
            }
            self.queue.work.wait(&mut state);
        }
        let may_wait = |state: &mut State| !state.urgent && !state.closed && state.bytes < GATHER_BYTES;
        self.queue.work.wait_while_for(&mut state, may_wait, BATCH_DELAY);
        state.bytes = 0;
        state.urgent = false;
        state.busy = true;
        self.queue.room.notify_all();
        Some(std::mem::take(&mut state.jobs))
    }

    /// Does a group of jobs; gives its outcome and who still waits for it.
    fn work(&self, jobs: Vec<Job>) -> (Result<(), Fault>, Waiting) {
        let mut waiting = Waiting::default();
        let mut outcome = self.recover();
        if outcome.is_ok() {
            outcome = self.write_all(jobs, &mut waiting);
        } else {
            waiting = Waiting::of(jobs);
        }
        if outcome.is_ok() {
            for settle in waiting.settles.drain(..) {
                // Whoever asked may have gone; so below.
                let _ = settle.send(Ok(()));
            }
            if !waiting.flushes.is_empty() {
                outcome = guarded(|| self.backend.flush());
            }
        }
        (outcome, waiting)
    }

    /// Opens the database again if it is broken.
    fn recover(&self) -> Result<(), Fault> {
        if self.queue.lock().health.is_sound() {
            return Ok(());
        }
        guarded(|| self.backend.reopen())?;
        self.queue.lock().health.recover();
        Ok(())
    }

    fn write_all(&self, jobs: Vec<Job>, waiting: &mut Waiting) -> Result<(), Fault> {
        let mut batch = BatchBuilder::new(&self.blobs);
        let mut outcome = Ok(());
        for job in jobs {
            match job {
                Job::Write(write) if outcome.is_ok() => {
                    outcome = batch.add(write);
                    if outcome.is_ok() && batch.bytes() >= BATCH_BYTES {
                        outcome = self.apply(&mut batch);
                    }
                }
                other => waiting.add(other),
            }
        }
        outcome?;
        self.apply(&mut batch)
    }

    fn apply(&self, batch: &mut BatchBuilder<'_>) -> Result<(), Fault> {
        match batch.take()? {
            Some(batch) => guarded(|| self.backend.apply(batch)),
            None => Ok(()),
        }
    }
}

/// Who waits for a group of jobs.
#[derive(Default)]
struct Waiting {
    flushes: Vec<oneshot::Sender<Result<(), Fault>>>,
    settles: Vec<mpsc::Sender<Result<(), Fault>>>,
    /// What may be sealed.
    ranges: Vec<JournalRange>,
}

impl Waiting {
    fn of(jobs: Vec<Job>) -> Self {
        let mut waiting = Self::default();
        for job in jobs {
            waiting.add(job);
        }
        waiting
    }

    fn add(&mut self, job: Job) {
        match job {
            Job::Write(_) => {}
            Job::Flush(flush) => self.flushes.push(flush),
            Job::Settle(settle) => self.settles.push(settle),
            Job::Compress(range) => self.ranges.push(range),
        }
    }

    fn tell(self, outcome: &Result<(), Fault>) {
        for flush in self.flushes {
            let _ = flush.send(outcome.clone());
        }
        for settle in self.settles {
            let _ = settle.send(outcome.clone());
        }
    }
}

/// The database asserts its own state; a panic in it becomes a fault like any other of its errors.
fn guarded(act: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        Err(Fault::new(ErrorCode::StoreIo, "The database gave up while writing.")
            .hint("Start Plait again; everything flushed before is kept."))
    })
}
