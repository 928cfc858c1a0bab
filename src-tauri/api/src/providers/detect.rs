//! `provider.detect`: model servers that run on this machine.

use plait_adapters::providers::{self, FoundServer};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// `provider.detect`: looks for Ollama, LM Studio, llama.cpp and vLLM where they usually listen, where `OLLAMA_HOST` says,
/// and where the settings have a provider on this machine. Takes at most about two seconds; finding none is no error.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct DetectProviders {}

impl Command for DetectProviders {
    const NAME: &'static str = "provider.detect";
    type Reply = Vec<FoundServer>;

    async fn run(self, app: &Plait) -> Result<Vec<FoundServer>, ErrorReply> {
        Ok(providers::detect(&app.settings().providers).await)
    }
}
