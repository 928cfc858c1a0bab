//! What waits to be written, and how the database is. Owns the lock both ends meet at.

use std::sync::mpsc;

use futures::channel::oneshot;
use parking_lot::{Condvar, Mutex, MutexGuard};
use plait_engine::error::{ErrorCode, Fault};

use super::Write;
use crate::store::compressed_segment::JournalRange;

/// How much may be queued before the writer stops gathering.
pub(super) const GATHER_BYTES: usize = 256 << 10;

/// What the writer is asked for.
pub(super) enum Job {
    /// A change.
    Write(Write),
    /// An answer once everything before is on disk.
    Flush(oneshot::Sender<Result<(), Fault>>),
    /// An answer once everything before can be read.
    Settle(mpsc::Sender<Result<(), Fault>>),
    /// To put what a journal has written so far into blocks, when nobody waits any more.
    Compress(JournalRange),
}

/// What both ends see under the lock.
#[derive(Default)]
pub(super) struct State {
    pub(super) jobs: Vec<Job>,
    pub(super) bytes: usize,
    /// Somebody waits.
    pub(super) urgent: bool,
    /// The writer has jobs in hand.
    pub(super) busy: bool,
    /// No more jobs will come.
    pub(super) closed: bool,
    pub(super) health: Health,
}

/// Whether the database takes writes.
#[derive(Default)]
pub(super) struct Health {
    generation: u64,
    broken: bool,
    /// Why it last broke.
    fault: Option<Fault>,
}

impl Health {
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn is_sound(&self) -> bool {
        !self.broken
    }

    /// Lets in what belongs to no generation, or to this one.
    pub(super) fn admit(&self, generation: Option<u64>) -> Result<(), Fault> {
        match generation {
            Some(other) if other != self.generation => Err(self.fault.clone().unwrap_or_else(gone)),
            _ => Ok(()),
        }
    }

    pub(super) fn break_with(&mut self, fault: &Fault) {
        self.generation += 1;
        self.broken = true;
        self.fault = Some(fault.clone());
    }

    pub(super) fn recover(&mut self) {
        self.broken = false;
    }
}

/// The queue.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// There is something to do.
    pub(super) work: Condvar,
    /// There is room again.
    pub(super) room: Condvar,
}

impl Queue {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Queues a job that somebody waits for.
    pub(super) fn urge(&self, state: &mut State, job: Job) {
        state.jobs.push(job);
        state.urgent = true;
        self.work.notify_one();
    }
}

/// The fault where nobody writes any more.
pub(super) fn gone() -> Fault {
    Fault::new(ErrorCode::StoreIo, "The store's writer has stopped.")
        .hint("Start Plait again; everything flushed before is kept.")
}
