//! The one thread that writes. Owns group commit: what came in while it was busy goes to disk together, and one flush
//! answers everybody who waits for one.
//!
//! | state | a write comes | a flush comes | an error of the disk |
//! |---|---|---|---|
//! | sound | queued, applied in order | answered when all before it is on disk | broken; all that is queued is refused with the error |
//! | broken | the database is opened again; sound, or refused | likewise | stays broken |
//!
//! Each time it breaks, the *generation* goes up. A journal belongs to the generation it was opened in: what it had
//! appended without a flush may be lost by then, so it takes no more, and the run goes on from what is on disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures::channel::oneshot;
use plait_engine::error::Fault;

use super::blobs::Blobs;
use super::database::Backend;
use super::gather::Gathered;
use super::piece::Lines;

/// How long a write that nobody waits for may be held back to go with others.
const GATHER: Duration = Duration::from_millis(5);
/// How much may be queued before the writer stops gathering.
const GATHER_BYTES: usize = 256 << 10;
/// How much may be queued before whoever appends has to wait for the writer.
const QUEUE_BYTES: usize = 32 << 20;
/// How much goes into one batch of the database, unless a single write is larger.
const BATCH_BYTES: usize = 1 << 20;

/// Changes that are made all or none.
pub(super) struct Write {
    /// Whose folder large values go to.
    pub(super) owner: Arc<str>,
    /// Keys with their new values; none removes the key.
    pub(super) changes: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    /// Entries of a journal.
    pub(super) lines: Option<Lines>,
}

impl Write {
    /// Changes and no entries.
    pub(super) fn of(owner: impl Into<Arc<str>>, changes: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Self {
        Self { owner: owner.into(), changes, lines: None }
    }

    fn bytes(&self) -> usize {
        let changes = self.changes.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len));
        changes.sum::<usize>() + self.lines.as_ref().map_or(0, Lines::len)
    }
}

enum Job {
    Write(Write),
    Flush(oneshot::Sender<Result<(), Fault>>),
    Settle(std::sync::mpsc::Sender<Result<(), Fault>>),
}

#[derive(Default)]
struct State {
    jobs: Vec<Job>,
    bytes: usize,
    urgent: bool,
    busy: bool,
    closed: bool,
    generation: u64,
    broken: bool,
    /// Why it last broke.
    fault: Option<Fault>,
}

struct Queue {
    state: Mutex<State>,
    /// There is something to do.
    work: Condvar,
    /// There is room again.
    room: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writing end. Dropping it writes and flushes what is queued.
pub(super) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(backend: Arc<dyn Backend>, blobs: Blobs) -> Result<Self, Fault> {
        let queue = Arc::new(Queue { state: Mutex::default(), work: Condvar::new(), room: Condvar::new() });
        let worker = Worker { queue: Arc::clone(&queue), backend, blobs };
        let thread = thread::Builder::new()
            .name("plait-store".to_owned())
            .spawn(move || worker.run())
            .map_err(|error| super::fault::of_io("start the store's writer", &error))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// Which generation a journal opened now belongs to.
    pub(super) fn generation(&self) -> u64 {
        self.queue.lock().generation
    }

    /// Queues a write; given a generation, only if it is still that one.
    pub(super) fn write(&self, generation: Option<u64>, write: Write) -> Result<(), Fault> {
        let bytes = write.bytes();
        let mut state = self.queue.lock();
        loop {
            if generation.is_some_and(|generation| generation != state.generation) {
                return Err(state.fault.clone().unwrap_or_else(gone));
            }
            if state.bytes < QUEUE_BYTES {
                break;
            }
            state = self.queue.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let was_empty = state.jobs.is_empty();
        state.jobs.push(Job::Write(write));
        state.bytes += bytes;
        if was_empty || state.bytes >= GATHER_BYTES {
            self.queue.work.notify_one();
        }
        Ok(())
    }

    /// Asks for a flush; the answer comes when everything queued before is on disk, or could not be put there.
    pub(super) fn flush(&self, generation: Option<u64>) -> oneshot::Receiver<Result<(), Fault>> {
        let (answer, wait) = oneshot::channel();
        let mut state = self.queue.lock();
        if generation.is_some_and(|generation| generation != state.generation) {
            // Nobody can have dropped `wait`: it is still here.
            let _ = answer.send(Err(state.fault.clone().unwrap_or_else(gone)));
        } else {
            state.jobs.push(Job::Flush(answer));
            state.urgent = true;
            self.queue.work.notify_one();
        }
        wait
    }

    /// Returns when what was queued before can be read. An error means the database could not be opened again.
    pub(super) fn settle(&self) -> Result<(), Fault> {
        let wait = {
            let mut state = self.queue.lock();
            if state.jobs.is_empty() && !state.busy && !state.broken {
                return Ok(());
            }
            let (answer, wait) = std::sync::mpsc::channel();
            state.jobs.push(Job::Settle(answer));
            state.urgent = true;
            self.queue.work.notify_one();
            wait
        };
        wait.recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The last flush: nobody is left to wait for it but the join below.
        drop(self.flush(None));
        self.queue.lock().closed = true;
        self.queue.work.notify_one();
        if let Some(thread) = self.thread.take() {
            // The thread catches what panics in it; there is nothing to learn from its end.
            let _ = thread.join();
        }
    }
}

fn gone() -> Fault {
    Fault::new("store.io", "The store's writer has stopped.")
        .hint("Start Plait again; everything flushed before is kept.")
}

struct Worker {
    queue: Arc<Queue>,
    backend: Arc<dyn Backend>,
    blobs: Blobs,
}

impl Worker {
    fn run(&self) {
        while let Some(jobs) = self.take() {
            let (outcome, waiting) = self.work(jobs);
            // The state first: whoever hears of an error must find everything after it refused.
            self.note(&outcome);
            waiting.tell(&outcome);
        }
    }

    fn note(&self, outcome: &Result<(), Fault>) {
        let refused = {
            let mut state = self.queue.lock();
            state.busy = false;
            let Err(fault) = outcome else { return };
            state.generation += 1;
            state.broken = true;
            state.fault = Some(fault.clone());
            state.bytes = 0;
            self.queue.room.notify_all();
            Waiting::of(std::mem::take(&mut state.jobs))
        };
        refused.tell(outcome);
    }

    /// The next group of jobs, once there is a reason to begin with it; none when the store closes.
    fn take(&self) -> Option<Vec<Job>> {
        let mut state = self.queue.lock();
        while state.jobs.is_empty() {
            if state.closed {
                return None;
            }
            state = self.queue.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.urgent && !state.closed && state.bytes < GATHER_BYTES {
            let waited = self
                .queue
                .work
                .wait_timeout_while(state, GATHER, |state| {
                    !state.urgent && !state.closed && state.bytes < GATHER_BYTES
                })
                .unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
        }
        state.bytes = 0;
        state.urgent = false;
        state.busy = true;
        self.queue.room.notify_all();
        Some(std::mem::take(&mut state.jobs))
    }

    /// Does a group of jobs; gives its outcome and who is still to hear of it.
    fn work(&self, jobs: Vec<Job>) -> (Result<(), Fault>, Waiting) {
        let mut waiting = Waiting::default();
        let mut outcome = self.mend();
        if outcome.is_ok() {
            outcome = self.write_all(jobs, &mut waiting);
        } else {
            waiting = Waiting::of(jobs);
        }
        if outcome.is_ok() {
            waiting.settles.drain(..).for_each(|settle| tell(settle, &outcome));
            if !waiting.flushes.is_empty() {
                outcome = guarded(|| self.backend.flush());
            }
        }
        (outcome, waiting)
    }

    /// Opens the database again if it is broken.
    fn mend(&self) -> Result<(), Fault> {
        if !self.queue.lock().broken {
            return Ok(());
        }
        guarded(|| self.backend.reopen())?;
        self.queue.lock().broken = false;
        Ok(())
    }

    fn write_all(&self, jobs: Vec<Job>, waiting: &mut Waiting) -> Result<(), Fault> {
        let mut gathered = Gathered::new(&self.blobs);
        let mut outcome = Ok(());
        for job in jobs {
            match job {
                Job::Write(write) if outcome.is_ok() => {
                    outcome = gathered.add(write);
                    if outcome.is_ok() && gathered.bytes() >= BATCH_BYTES {
                        outcome = self.apply(&mut gathered);
                    }
                }
                other => waiting.add(other),
            }
        }
        outcome?;
        self.apply(&mut gathered)
    }

    fn apply(&self, gathered: &mut Gathered<'_>) -> Result<(), Fault> {
        match gathered.take()? {
            Some(batch) => guarded(|| self.backend.apply(batch)),
            None => Ok(()),
        }
    }
}

/// Who waits for a group of jobs.
#[derive(Default)]
struct Waiting {
    flushes: Vec<oneshot::Sender<Result<(), Fault>>>,
    settles: Vec<std::sync::mpsc::Sender<Result<(), Fault>>>,
}

impl Waiting {
    fn of(jobs: Vec<Job>) -> Self {
        let mut waiting = Self::default();
        jobs.into_iter().for_each(|job| waiting.add(job));
        waiting
    }

    fn add(&mut self, job: Job) {
        match job {
            Job::Write(_) => {}
            Job::Flush(flush) => self.flushes.push(flush),
            Job::Settle(settle) => self.settles.push(settle),
        }
    }

    fn tell(self, outcome: &Result<(), Fault>) {
        for flush in self.flushes {
            // Whoever asked may have gone.
            let _ = flush.send(outcome.clone());
        }
        self.settles.into_iter().for_each(|settle| tell(settle, outcome));
    }
}

fn tell(settle: std::sync::mpsc::Sender<Result<(), Fault>>, outcome: &Result<(), Fault>) {
    // As above.
    let _ = settle.send(outcome.clone());
}

/// The database asserts its own state; a panic in it is told like any other error of it.
fn guarded(act: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        Err(Fault::new("store.io", "The database gave up while writing.")
            .hint("Start Plait again; everything flushed before is kept."))
    })
}
