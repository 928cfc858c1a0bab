//! `tokens.*`: how much of a model's context window a text takes.

use plait_llm::models;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `tokens.count`: counts the tokens of a text.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CountTokens {
    /// The model, as its provider calls it, or `provider/model`.
    pub model: String,
    pub text: String,
}

/// The size of a text.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct TokenCount {
    /// Tokens in the text.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Size of the model's context window, in tokens.
    #[ts(type = "number")]
    pub window: u64,
}

impl Command for CountTokens {
    const NAME: &'static str = "tokens.count";
    type Service = ();
    type Reply = TokenCount;

    async fn run(self, _service: &()) -> Result<TokenCount, ErrorReply> {
        // Counting a long text takes seconds.
        run_blocking(move || Ok(TokenCount::count(&self.model, &self.text))).await
    }
}

impl TokenCount {
    /// Counts the tokens of `text` for `model`: exactly for OpenAI models, estimated for others.
    pub fn count(model: &str, text: &str) -> Self {
        Self { tokens: plait_llm::tokens::count(model, text), window: models::window("", model) }
    }
}
