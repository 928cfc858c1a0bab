//! Which files each window has open, so that a file is open in one window only: two would have different changes of it, and
//! one of them the draft of the other.

use std::collections::HashMap;

use parking_lot::Mutex;

/// The open files, by the label of the window.
#[derive(Default)]
pub(crate) struct OpenFiles(Mutex<HashMap<String, Vec<String>>>);

impl OpenFiles {
    /// The page of this window has these files open now.
    pub(crate) fn set(&self, window: &str, paths: Vec<String>) {
        self.0.lock().insert(window.to_owned(), paths);
    }

    /// The other window that has this file open.
    pub(crate) fn in_another(&self, window: &str, path: &str) -> Option<String> {
        let windows = self.0.lock();
        let has_it = |(label, paths): &(&String, &Vec<String>)| {
            *label != window && paths.iter().any(|one| one == path)
        };
        windows.iter().find(has_it).map(|(label, _)| label.clone())
    }

    /// The page of this window is gone.
    pub(crate) fn forget(&self, window: &str) {
        self.0.lock().remove(window);
    }
}

#[cfg(test)]
mod tests;
