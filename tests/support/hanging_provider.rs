//! A model provider with calls that never return: they stay open until they are dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, Provider, Providers};
use tokio::sync::Notify;

use super::provider::text;

/// The provider. Clones share their state.
#[derive(Clone, Default)]
pub struct HangingProvider(Arc<State>);

#[derive(Default)]
struct State {
    /// How many calls get a reply, `said`, before all others hang.
    replies: usize,
    calls: AtomicUsize,
    open: AtomicUsize,
    called: Notify,
}

/// Counts one open call until it is dropped.
struct OpenCall<'a>(&'a State);

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl HangingProvider {
    /// Replies this often, and then never again.
    pub fn after_replies(replies: usize) -> Self {
        Self(Arc::new(State { replies, ..State::default() }))
    }

    /// Waits until this many calls were made in total.
    pub async fn wait_for_calls(&self, times: usize) {
        loop {
            let called = self.0.called.notified();
            if self.0.calls.load(Ordering::SeqCst) >= times {
                return;
            }
            called.await;
        }
    }

    /// The number of open calls.
    pub fn open_calls(&self) -> usize {
        self.0.open.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Provider for HangingProvider {
    async fn call(&self, _: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let before = self.0.calls.fetch_add(1, Ordering::SeqCst);
        self.0.open.fetch_add(1, Ordering::SeqCst);
        let _open = OpenCall(&self.0);
        self.0.called.notify_waiters();
        if before < self.0.replies {
            return Ok(text("said"));
        }
        std::future::pending().await
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl Providers for HangingProvider {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(self.clone()))
    }

    fn names(&self) -> Vec<String> {
        vec!["offline".to_owned()]
    }
}
