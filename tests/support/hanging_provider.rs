//! A model provider that says nothing more: its calls stay open until somebody gives them up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use plait_api::engine::error::Fault;
use plait_api::engine::provider::{ChunkSink, ModelReply, ModelRequest, Provider, Providers};
use tokio::sync::Notify;

use super::provider::text;

/// The provider. Clones share.
#[derive(Clone, Default)]
pub struct Silent(Arc<State>);

#[derive(Default)]
struct State {
    /// How many calls are answered, `said`, before it falls silent.
    answers: usize,
    asked: AtomicUsize,
    open: AtomicUsize,
    more: Notify,
}

/// One call, for as long as somebody waits for it.
struct Open<'a>(&'a State);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Silent {
    /// Falls silent after so many answers.
    pub fn after(answers: usize) -> Self {
        Self(Arc::new(State { answers, ..State::default() }))
    }

    /// Resolves when it was asked so many times in all.
    pub async fn asked(&self, times: usize) {
        loop {
            let more = self.0.more.notified();
            if self.0.asked.load(Ordering::SeqCst) >= times {
                return;
            }
            more.await;
        }
    }

    /// How many calls somebody waits for.
    pub fn open(&self) -> usize {
        self.0.open.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Provider for Silent {
    async fn call(&self, _: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let before = self.0.asked.fetch_add(1, Ordering::SeqCst);
        self.0.open.fetch_add(1, Ordering::SeqCst);
        let _open = Open(&self.0);
        self.0.more.notify_waiters();
        if before < self.0.answers {
            return Ok(text("said"));
        }
        std::future::pending().await
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl Providers for Silent {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(self.clone()))
    }

    fn names(&self) -> Vec<String> {
        vec!["offline".to_owned()]
    }
}
