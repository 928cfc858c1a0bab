//! What other starts of Plait ask the open windows to open.

use std::collections::HashMap;

use parking_lot::Mutex;
use tauri::ipc::Channel;

use crate::args::InitialFlow;

/// The requests that no page has taken yet, and the pages that take them.
#[derive(Default)]
pub(crate) struct OpenRequests(Mutex<State>);

#[derive(Default)]
struct State {
    /// Made before any page listened.
    waiting: Vec<InitialFlow>,
    /// By the label of the window.
    pages: HashMap<String, Channel<InitialFlow>>,
}

impl OpenRequests {
    /// Passes a flow to the page of this window; if that has gone, to any other; if there is none, to the next.
    pub(crate) fn request(&self, window: Option<&str>, flow: InitialFlow) {
        let mut state = self.0.lock();
        let chosen = window.and_then(|label| state.pages.get(label));
        if !chosen.into_iter().chain(state.pages.values()).any(|page| page.send(flow.clone()).is_ok()) {
            state.waiting.push(flow);
        }
    }

    /// From now on, the page of this window takes requests.
    pub(crate) fn listen(&self, window: &str, page: Channel<InitialFlow>) {
        let mut state = self.0.lock();
        state.waiting.retain(|flow| page.send(flow.clone()).is_err());
        state.pages.insert(window.to_owned(), page);
    }

    /// The page of this window is gone.
    pub(crate) fn forget(&self, window: &str) {
        self.0.lock().pages.remove(window);
    }
}
