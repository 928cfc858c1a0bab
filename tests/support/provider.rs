//! A model provider that records requests and replies by rule.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, ReplyKey};
use plait_llm::context::Role;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, Providers, StopReason};

/// A request as a model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentRequest {
    pub model: String,
    pub system: Option<String>,
    /// Role and text of each message, in order.
    pub messages: Vec<(Role, String)>,
    /// The names of the tools.
    pub tools: Vec<String>,
}

impl SentRequest {
    pub fn last_text(&self) -> &str {
        self.messages.last().map_or("", |(_, text)| text)
    }
}

/// A user message.
pub fn user(text: &str) -> (Role, String) {
    (Role::User, text.to_owned())
}

/// An assistant message.
pub fn assistant(text: &str) -> (Role, String) {
    (Role::Assistant, text.to_owned())
}

type Rule = dyn Fn(&SentRequest, usize) -> Result<ModelReply, Fault> + Send + Sync;

/// The provider, for every name.
#[derive(Clone)]
pub struct RecordingProvider {
    rule: Arc<Rule>,
    /// The maximum number of yields before each part of a reply; the actual number is random.
    max_yields: u32,
    rng: Arc<Mutex<fastrand::Rng>>,
    sent: Arc<Mutex<Vec<SentRequest>>>,
    /// Whether the keys of requests do not say which node asks, as those of HTTP providers do not.
    keys_name_no_node: bool,
}

impl RecordingProvider {
    /// Replies by `rule`, which receives the request and the number of earlier calls.
    pub fn with_rule(
        rule: impl Fn(&SentRequest, usize) -> Result<ModelReply, Fault> + Send + Sync + 'static,
    ) -> Self {
        Self {
            rule: Arc::new(rule),
            max_yields: 0,
            rng: Arc::new(Mutex::new(fastrand::Rng::with_seed(0))),
            sent: Arc::default(),
            keys_name_no_node: false,
        }
    }

    /// The keys of its requests do not say which node asks, as those of HTTP providers do not.
    pub fn with_keys_of_content(mut self) -> Self {
        self.keys_name_no_node = true;
        self
    }

    /// Replies `re: <last message>`.
    pub fn echo() -> Self {
        Self::with_rule(|sent, _| Ok(text(&format!("re: {}", sent.last_text()))))
    }

    /// Yields a random number of times before and while it replies.
    pub fn with_random_yields(mut self, max_yields: u32) -> Self {
        self.max_yields = max_yields;
        self
    }

    /// Clears the recorded requests and sets the seed.
    pub fn reset(&self, seed: u64) {
        self.sent.lock().clear();
        *self.rng.lock() = fastrand::Rng::with_seed(seed);
    }

    /// The requests so far, in order.
    pub fn sent(&self) -> Vec<SentRequest> {
        self.sent.lock().clone()
    }

    async fn yield_randomly(&self) {
        if self.max_yields == 0 {
            return;
        }
        let times = self.rng.lock().u32(0..=self.max_yields);
        for _ in 0..times {
            tokio::task::yield_now().await;
        }
    }
}

pub fn text(text: &str) -> ModelReply {
    let usage = TokenUsage::new(10, text.split_whitespace().count() as u64);
    ModelReply {
        text: text.to_owned(),
        usage: Some(usage),
        stop_reason: StopReason::End,
        ..ModelReply::default()
    }
}

#[async_trait]
impl Provider for RecordingProvider {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let sent = SentRequest {
            model: request.model.clone(),
            system: request.system.clone(),
            messages: request.messages.iter().map(|message| (message.role, message.content.text())).collect(),
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
        };
        let before = {
            let mut all = self.sent.lock();
            all.push(sent.clone());
            all.len() - 1
        };
        self.yield_randomly().await;
        let reply = (self.rule)(&sent, before)?;
        for word in reply.text.split_inclusive(' ') {
            sink(Chunk::Text(word.to_owned()));
            self.yield_randomly().await;
        }
        Ok(reply)
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        if self.keys_name_no_node {
            let activation = Activation { node: "".into(), epoch: Epoch::root() };
            return ModelRequest { activation, ..request.clone() }.key();
        }
        request.key()
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl Providers for RecordingProvider {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(self.clone()))
    }

    fn names(&self) -> Vec<String> {
        vec!["offline".to_owned()]
    }
}
