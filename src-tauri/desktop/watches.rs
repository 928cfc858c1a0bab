//! The active watches of the page.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Active watches, by the ID of their channel.
#[derive(Default)]
pub(crate) struct Watches(Mutex<HashMap<u32, oneshot::Sender<()>>>);

impl Watches {
    /// Registers a watch. The receiver resolves when the watch is to stop.
    pub(crate) fn start(&self, channel: u32) -> oneshot::Receiver<()> {
        let (sender, stopped) = oneshot::channel();
        self.0.lock().insert(channel, sender);
        stopped
    }

    /// Stops a watch. Does nothing when it has ended.
    pub(crate) fn stop(&self, channel: u32) {
        self.0.lock().remove(&channel);
    }

    /// Stops all watches, because the page that started them is gone.
    pub(crate) fn stop_all(&self) {
        self.0.lock().clear();
    }
}
