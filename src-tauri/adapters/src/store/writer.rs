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

mod queue;
mod worker;

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use futures::channel::oneshot;
use plait_engine::error::Fault;

use super::blobs::Blobs;
use super::compressed_segment::JournalRange;
use super::database::Backend;
use super::fault;
use super::segment::Lines;
use queue::{GATHER_BYTES, Job, Queue, gone};
use worker::Worker;

/// How much may be queued before whoever appends has to wait for the writer.
const QUEUE_BYTES: usize = 32 << 20;

/// A key with its new value; none removes it.
pub(in crate::store) type Change = (Vec<u8>, Option<Vec<u8>>);

/// Changes that are made all or none.
pub(in crate::store) struct Write {
    /// Whose folder large values go to.
    pub(in crate::store) owner: Arc<str>,
    /// What changes, beside the journal.
    pub(in crate::store) changes: Vec<Change>,
    /// What else changes, and whose folder the large values of that go to.
    pub(in crate::store) extra_changes: Option<(Arc<str>, Vec<Change>)>,
    /// `JournalEntries` of a journal.
    pub(in crate::store) lines: Option<Lines>,
}

impl Write {
    /// Changes and no entries.
    pub(in crate::store) fn of(owner: impl Into<Arc<str>>, changes: Vec<Change>) -> Self {
        Self { owner: owner.into(), changes, extra_changes: None, lines: None }
    }

    pub(super) fn bytes(&self) -> usize {
        let extra_changes = self.extra_changes.iter().flat_map(|(_, changes)| changes);
        let changes = self
            .changes
            .iter()
            .chain(extra_changes)
            .map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len));
        changes.sum::<usize>() + self.lines.as_ref().map_or(0, Lines::len)
    }
}

/// The writing end. Dropping it writes and flushes what is queued.
pub(in crate::store) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(in crate::store) fn start(backend: Arc<dyn Backend>, blobs: Blobs) -> Result<Self, Fault> {
        let queue = Arc::new(Queue::default());
        let worker = Worker::new(Arc::clone(&queue), backend, blobs);
        let thread = thread::Builder::new()
            .name("plait-store".to_owned())
            .spawn(move || worker.run())
            .map_err(|error| fault::of_io("start the store's writer", &error))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// Which generation a journal opened now belongs to.
    pub(in crate::store) fn generation(&self) -> u64 {
        self.queue.lock().health.generation()
    }

    /// Queues a write; given a generation, only if it is still that one.
    pub(in crate::store) fn write(&self, generation: Option<u64>, write: Write) -> Result<(), Fault> {
        let bytes = write.bytes();
        let mut state = self.queue.lock();
        loop {
            state.health.admit(generation)?;
            if state.bytes < QUEUE_BYTES {
                break;
            }
            self.queue.room.wait(&mut state);
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
    pub(in crate::store) fn flush(&self, generation: Option<u64>) -> oneshot::Receiver<Result<(), Fault>> {
        let (answer, wait) = oneshot::channel();
        let mut state = self.queue.lock();
        match state.health.admit(generation) {
            Ok(()) => self.queue.urge(&mut state, Job::Flush(answer)),
            // Nobody can have dropped `wait`: it is still here.
            refused => drop(answer.send(refused)),
        }
        wait
    }

    /// Has a range of a journal put into blocks when there is nothing else to write. Nothing to do while the database is
    /// broken: what is not sealed is read all the same.
    pub(in crate::store) fn compress(&self, range: JournalRange) {
        let mut state = self.queue.lock();
        if state.health.is_sound() {
            state.jobs.push(Job::Compress(range));
            self.queue.work.notify_one();
        }
    }

    /// Returns when what was queued before can be read. An error means the database could not be opened again.
    pub(in crate::store) fn settle(&self) -> Result<(), Fault> {
        let wait = {
            let mut state = self.queue.lock();
            if state.jobs.is_empty() && !state.busy && state.health.is_sound() {
                return Ok(());
            }
            let (answer, wait) = std::sync::mpsc::channel();
            self.queue.urge(&mut state, Job::Settle(answer));
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

#[cfg(test)]
mod tests;
