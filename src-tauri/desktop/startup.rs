//! Opening the application while the window is there already: how far it is, and what waits for it.

use std::sync::Arc;
use std::time::Duration;

use plait_api::{ErrorReply, Plait};
use tokio::sync::watch;

use crate::codes;

/// How many journals have been read, of how many. Both are 0 until some have to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) done: usize,
    pub(crate) total: usize,
}

enum State<T> {
    Opening(Progress),
    Open(Arc<T>),
    Failed(ErrorReply),
}

/// The application, or how far opening it is.
pub(crate) struct Startup<T = Plait>(watch::Receiver<State<T>>);

/// Tells a [`Startup`] how far it is.
pub(crate) struct StartupReporter<T = Plait>(watch::Sender<State<T>>);

impl<T> Startup<T> {
    /// An application that is being opened, and what reports of that. A reporter that is dropped before it has reported an end
    /// counts as a failure.
    pub(crate) fn begin() -> (StartupReporter<T>, Self) {
        let (sender, receiver) = watch::channel(State::Opening(Progress::default()));
        (StartupReporter(sender), Self(receiver))
    }

    /// The application, once it is open. Fails with what kept it from opening.
    pub(crate) async fn application(&self) -> Result<Arc<T>, ErrorReply> {
        let mut states = self.0.clone();
        let state = states.wait_for(|state| !matches!(state, State::Opening(_))).await;
        match state.as_deref() {
            Ok(State::Open(plait)) => Ok(Arc::clone(plait)),
            Ok(State::Failed(error)) => Err(error.clone()),
            Ok(State::Opening(_)) | Err(_) => Err(ended()),
        }
    }

    /// The application, if it is open.
    pub(crate) fn opened(&self) -> Option<Arc<T>> {
        match &*self.0.borrow() {
            State::Open(plait) => Some(Arc::clone(plait)),
            State::Opening(_) | State::Failed(_) => None,
        }
    }

    /// Reports the progress, at most once in each `interval`, until the application is open or `report` wants no more.
    pub(crate) async fn follow(
        &self,
        interval: Duration,
        mut report: impl FnMut(Progress) -> bool,
    ) -> Result<(), ErrorReply> {
        let mut states = self.0.clone();
        loop {
            let progress = match &*states.borrow_and_update() {
                State::Opening(progress) => *progress,
                State::Open(_) => return Ok(()),
                State::Failed(error) => return Err(error.clone()),
            };
            if progress.total > 0 && !report(progress) {
                return Ok(());
            }
            states.changed().await.map_err(|_| ended())?;
            if matches!(&*states.borrow(), State::Opening(_)) {
                tokio::time::sleep(interval).await;
            }
        }
    }
}

impl<T> StartupReporter<T> {
    /// Reports how many journals have been read, and of how many.
    pub(crate) fn progress(&self, done: usize, total: usize) {
        self.0.send_replace(State::Opening(Progress { done, total }));
    }

    /// The application is open, or cannot be opened.
    pub(crate) fn end(&self, opened: Result<Arc<T>, ErrorReply>) {
        self.0.send_replace(match opened {
            Ok(plait) => State::Open(plait),
            Err(error) => State::Failed(error),
        });
    }
}

fn ended() -> ErrorReply {
    ErrorReply::new(codes::APP_INTERNAL, "Opening the data directory ended unexpectedly.")
        .hint("Restart Plait. If the problem persists, run `plait doctor`.")
}

#[cfg(test)]
mod tests;
