//! `provider.detect`.

use plait_adapters::providers::{self, DetectedServer};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::ProviderService;
use crate::ErrorReply;
use crate::command::Command;

/// `provider.detect`: looks for model servers on this machine: Ollama, LM Studio, llama.cpp and vLLM on their default ports,
/// the address in `OLLAMA_HOST`, and the local providers of the settings. Takes at most about two seconds.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct DetectProviders {}

impl Command for DetectProviders {
    const NAME: &'static str = "provider.detect";
    type Service = ProviderService;
    type Reply = Vec<DetectedServer>;

    async fn run(self, service: &ProviderService) -> Result<Vec<DetectedServer>, ErrorReply> {
        Ok(providers::detect(&service.table().settings(), service.model_servers().to_vec()).await)
    }
}
