//! `tokens.*`: how much of a model's window a text takes.

use plait_engine::{models, prompt};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

/// `tokens.count`
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CountTokens {
    /// The provider's name for the model; `provider/model` where the provider matters.
    pub model: String,
    /// What to count.
    pub text: String,
}

/// How much it takes.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct TokenCount {
    /// Tokens of the text.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Tokens the model can take in all.
    #[ts(type = "number")]
    pub window: u64,
}

impl Command for CountTokens {
    const NAME: &'static str = "tokens.count";
    type Reply = TokenCount;

    async fn run(self, _app: &Plait) -> Result<TokenCount, ErrorReply> {
        // Counting a long text takes seconds of pure work: off the async threads.
        blocking(move || Ok(TokenCount::of(&self.model, &self.text))).await
    }
}

impl TokenCount {
    /// Counts `text` for `model`: exact for OpenAI's models, an estimate for others.
    pub fn of(model: &str, text: &str) -> Self {
        Self { tokens: prompt::tokens::count(model, text), window: models::window("", model) }
    }
}
