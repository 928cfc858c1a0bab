//! The one thread that writes. Owns group commit: what came in while it was busy goes to disk together, and the syncs of one
//! file answer everybody who waits for that file.
//!
//! For each file in turn: write what is buffered, sync if somebody waits, apply what results for conversations, answer. An
//! error of one tree is answered to those who wait for that tree; the others go on.

mod compressor;

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures::channel::oneshot;
use parking_lot::{Condvar, Mutex};
use plait_core::error::Fault;

use crate::codes;
use crate::fault;
use crate::log_file::Key;
use crate::shared::Shared;
use crate::tree::Tree;
use compressor::Compressor;

/// How long a write that nobody waits for may be held back to go with others.
const BATCH_DELAY: Duration = Duration::from_millis(5);
/// How much may be buffered for a tree before the writer stops waiting for more.
const BATCH_BYTES: usize = 256 << 10;

type FlushSender = oneshot::Sender<Result<(), Fault>>;

/// The writing end. Dropping it writes and syncs what is left.
pub(crate) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    /// Trees with something in their buffers.
    dirty: HashMap<Key, Arc<Tree>>,
    /// Who waits for a sync: of one tree, or of everything.
    flushes: Vec<(Option<Arc<Tree>>, FlushSender)>,
    /// Trees whose last journal was closed.
    released: Vec<Arc<Tree>>,
    /// Somebody waits, or much is buffered.
    urgent: bool,
    closed: bool,
}

impl State {
    fn is_empty(&self) -> bool {
        self.dirty.is_empty() && self.flushes.is_empty() && self.released.is_empty()
    }
}

impl Writer {
    pub(crate) fn start(shared: &Arc<Shared>) -> Result<Self, Fault> {
        let queue = Arc::<Queue>::default();
        let compressor = Compressor::start(shared)?;
        let worker = Worker { queue: Arc::clone(&queue), shared: Arc::clone(shared), compressor };
        let thread = thread::Builder::new()
            .name("plait-store".to_owned())
            .spawn(move || worker.run())
            .map_err(|error| fault::of_io("start the store's writer", &error))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// A tree has `buffered` bytes to be written.
    pub(crate) fn wrote(&self, tree: &Arc<Tree>, buffered: usize) {
        let mut state = self.queue.state.lock();
        let was_empty = state.is_empty();
        state.dirty.entry(tree.root()).or_insert_with(|| Arc::clone(tree));
        if buffered >= BATCH_BYTES && !state.urgent {
            state.urgent = true;
            self.queue.work.notify_one();
        } else if was_empty {
            self.queue.work.notify_one();
        }
    }

    /// Asks for a sync of a tree, or of everything; the answer comes when everything appended before survives a power failure.
    pub(crate) fn flush(&self, tree: Option<Arc<Tree>>) -> oneshot::Receiver<Result<(), Fault>> {
        let (answer, wait) = oneshot::channel();
        let mut state = self.queue.state.lock();
        state.flushes.push((tree, answer));
        state.urgent = true;
        self.queue.work.notify_one();
        wait
    }

    /// The last journal of a tree was closed.
    pub(crate) fn release(&self, tree: Arc<Tree>) {
        let mut state = self.queue.state.lock();
        state.released.push(tree);
        self.queue.work.notify_one();
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The last flush: nobody is left to wait for it but the join below.
        drop(self.flush(None));
        self.queue.state.lock().closed = true;
        self.queue.work.notify_one();
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

struct Worker {
    queue: Arc<Queue>,
    shared: Arc<Shared>,
    compressor: Compressor,
}

impl Worker {
    fn run(mut self) {
        while let Some(work) = self.take() {
            self.work(work);
        }
        self.compressor.finish();
    }

    /// The next group of work, once there is a reason to begin with it; none when the store closes.
    fn take(&self) -> Option<State> {
        let mut state = self.queue.state.lock();
        while state.is_empty() {
            if state.closed {
                return None;
            }
            self.queue.work.wait(&mut state);
        }
        let may_wait = |state: &mut State| !state.urgent && !state.closed && state.released.is_empty();
        self.queue.work.wait_while_for(&mut state, may_wait, BATCH_DELAY);
        let closed = state.closed;
        let work = std::mem::take(&mut *state);
        state.closed = closed;
        Some(work)
    }

    fn work(&mut self, work: State) {
        let State { mut dirty, flushes, released, .. } = work;
        let (all, some): (Vec<_>, Vec<_>) = flushes.into_iter().partition(|(tree, _)| tree.is_none());
        let mut waiting: HashMap<*const Tree, (Arc<Tree>, Vec<FlushSender>)> = HashMap::new();
        for (tree, answer) in some {
            let Some(tree) = tree else { continue };
            waiting.entry(Arc::as_ptr(&tree)).or_insert_with(|| (tree, Vec::new())).1.push(answer);
        }
        for (tree, answers) in waiting.into_values() {
            dirty.remove(&tree.root());
            let synced = self.sync(&tree);
            for answer in answers {
                // The caller may have stopped waiting; so below.
                let _ = answer.send(synced.clone());
            }
        }
        let outcome = if all.is_empty() {
            for tree in dirty.values() {
                // The tree keeps the fault; the next append or flush reports it.
                let _ = tree.write_out();
            }
            Ok(())
        } else {
            self.sync_all()
        };
        let ended: Vec<Key> = released.iter().filter_map(|tree| self.release(tree)).collect();
        for (_, answer) in all {
            let _ = answer.send(outcome.clone());
        }
        for root in ended {
            self.compressor.compress(root);
        }
    }

    fn sync(&self, tree: &Tree) -> Result<(), Fault> {
        for update in tree.sync()? {
            self.shared.conversations.apply(&update);
        }
        Ok(())
    }

    fn sync_all(&self) -> Result<(), Fault> {
        let mut outcome = Ok(());
        for tree in self.shared.trees() {
            // One that failed was reported to its run. It must not keep the others from their sync.
            if tree.failure().is_none() {
                outcome = outcome.and(self.sync(&tree));
            }
        }
        outcome = outcome.and(self.shared.conversations.settle_all());
        self.write_calibration();
        outcome
    }

    /// Closes a tree that no journal writes any more, and notes its size. Gives its root if all of its runs have ended.
    fn release(&self, tree: &Arc<Tree>) -> Option<Key> {
        if tree.failure().is_some() || self.sync(tree).is_err() {
            // What it had not synced is gone; the records follow, at the latest when the store is opened again.
            let _ = self.shared.refold_failed(tree);
            return None;
        }
        let conversations: Vec<Key> = self.shared.conversations_of(tree.root());
        for conversation in conversations {
            // A size in the index says that everything that results from the file is on disk as well.
            self.shared.conversations.settle(conversation).ok()?;
        }
        let size = tree.synced_size()?;
        if !self.shared.close(tree) {
            return None;
        }
        let mut index = self.shared.index();
        index.put_size(tree.root(), size);
        index.has_ended(tree.root()).then(|| tree.root())
    }

    fn write_calibration(&self) {
        let pending = self.shared.calibration.lock().take();
        if let Some(bytes) = pending {
            // After a crash or on a full disk the latest samples are collected again.
            let _ = self.shared.disk.replace(&self.shared.home.join("calibration.json"), &bytes);
        }
    }
}

/// The answer to a flush; a writer that has gone without one has stopped.
pub(crate) fn flush_result(received: Result<Result<(), Fault>, oneshot::Canceled>) -> Result<(), Fault> {
    received.unwrap_or_else(|_| {
        Err(Fault::new(codes::STORE_IO, "The store's writer has stopped.")
            .hint("Start Plait again; everything flushed before is kept."))
    })
}
