//! The thread that compresses the files of trees that have ended, so that nobody who waits for a sync waits for that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use plait_core::error::Fault;

use crate::fault;
use crate::log_file::Key;
use crate::shared::Shared;

/// When the store closes, larger files are left for another time.
const MAX_BYTES_AT_CLOSE: u64 = 4 << 20;

pub(super) struct Compressor {
    queue: Option<Sender<Key>>,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Compressor {
    pub(super) fn start(shared: &Arc<Shared>) -> Result<Self, Fault> {
        let (queue, waiting) = mpsc::channel();
        let closing = Arc::<AtomicBool>::default();
        let (work, stop) = (Arc::clone(shared), Arc::clone(&closing));
        let thread = thread::Builder::new()
            .name("plait-compress".to_owned())
            .spawn(move || {
                for root in waiting {
                    let size = work.index().size_of(&root).unwrap_or_default();
                    if !stop.load(Ordering::Relaxed) || size <= MAX_BYTES_AT_CLOSE {
                        // A file that stays as it was costs space and nothing else.
                        let _ = work.seal(root);
                    }
                }
            })
            .map_err(|error| fault::of_io("start the store's compressor", &error))?;
        Ok(Self { queue: Some(queue), closing, thread: Some(thread) })
    }

    pub(super) fn compress(&self, root: Key) {
        if let Some(queue) = &self.queue {
            // The thread ends after this does.
            let _ = queue.send(root);
        }
    }

    /// Ends the thread.
    pub(super) fn finish(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}
