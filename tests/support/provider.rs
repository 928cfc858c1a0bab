//! A model provider that keeps a record of exactly what it was sent and answers by rule.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use plait_api::engine::context::Role;
use plait_api::engine::error::Fault;
use plait_api::engine::models::TokenUsage;
use plait_api::engine::provider::{
    Chunk, ChunkSink, ModelReply, ModelRequest, Provider, Providers, StopReason,
};

/// What one call sent, as a model would see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub model: String,
    pub system: Option<String>,
    /// Role and text of each message, in order.
    pub messages: Vec<(Role, String)>,
    /// The names of the tools offered.
    pub tools: Vec<String>,
}

impl Sent {
    /// The text of the last message.
    pub fn question(&self) -> &str {
        self.messages.last().map_or("", |(_, text)| text)
    }
}

/// The user says.
pub fn user(text: &str) -> (Role, String) {
    (Role::User, text.to_owned())
}

/// The model says.
pub fn assistant(text: &str) -> (Role, String) {
    (Role::Assistant, text.to_owned())
}

type Rule = dyn Fn(&Sent, usize) -> Result<ModelReply, Fault> + Send + Sync;

/// The provider. It goes by every name.
#[derive(Clone)]
pub struct Recording {
    rule: Arc<Rule>,
    /// The most times a call yields to others before it answers; how often is random.
    hesitation: u32,
    chance: Arc<Mutex<fastrand::Rng>>,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Recording {
    /// Answers by `rule`, which receives the request and how many calls came before.
    pub fn by(rule: impl Fn(&Sent, usize) -> Result<ModelReply, Fault> + Send + Sync + 'static) -> Self {
        Self {
            rule: Arc::new(rule),
            hesitation: 0,
            chance: Arc::new(Mutex::new(fastrand::Rng::with_seed(0))),
            sent: Arc::default(),
        }
    }

    /// Answers `re: <question>`.
    pub fn echo() -> Self {
        Self::by(|sent, _| Ok(text(&format!("re: {}", sent.question()))))
    }

    /// The same, giving way to others a random number of times before and while it answers.
    pub fn hesitant(mut self, hesitation: u32) -> Self {
        self.hesitation = hesitation;
        self
    }

    /// Forgets what was sent, and hesitates by another seed.
    pub fn begin_again(&self, seed: u64) {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.chance.lock().unwrap_or_else(PoisonError::into_inner) = fastrand::Rng::with_seed(seed);
    }

    /// Everything that was sent so far, in the order of the calls.
    pub fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn hesitate(&self) {
        if self.hesitation == 0 {
            return;
        }
        let times = self.chance.lock().unwrap_or_else(PoisonError::into_inner).u32(0..=self.hesitation);
        for _ in 0..times {
            tokio::task::yield_now().await;
        }
    }
}

/// A reply of text.
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
impl Provider for Recording {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let sent = Sent {
            model: request.model.clone(),
            system: request.system.clone(),
            messages: request.messages.iter().map(|message| (message.role, message.content.text())).collect(),
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
        };
        let before = {
            let mut all = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(sent.clone());
            all.len() - 1
        };
        self.hesitate().await;
        let reply = (self.rule)(&sent, before)?;
        for word in reply.text.split_inclusive(' ') {
            sink(Chunk::Text(word.to_owned()));
            self.hesitate().await;
        }
        Ok(reply)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

impl Providers for Recording {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(self.clone()))
    }

    fn names(&self) -> Vec<String> {
        vec!["offline".to_owned()]
    }
}
