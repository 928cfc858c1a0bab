//! The active watches of the pages.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The label of a window and the ID of a channel: each page counts its own channels.
type WatchId = (String, u32);

/// Active watches.
#[derive(Default)]
pub(crate) struct Watches(Mutex<HashMap<WatchId, oneshot::Sender<()>>>);

impl Watches {
    /// Registers a watch. The receiver resolves when the watch is to stop.
    pub(crate) fn start(&self, window: &str, channel: u32) -> oneshot::Receiver<()> {
        let (sender, stopped) = oneshot::channel();
        self.0.lock().insert((window.to_owned(), channel), sender);
        stopped
    }

    /// Stops a watch. Does nothing when it has ended.
    pub(crate) fn stop(&self, window: &str, channel: u32) {
        self.0.lock().remove(&(window.to_owned(), channel));
    }

    /// Stops all watches of a window, because the page that started them is gone.
    pub(crate) fn stop_all(&self, window: &str) {
        self.0.lock().retain(|(label, _), _| label != window);
    }
}
