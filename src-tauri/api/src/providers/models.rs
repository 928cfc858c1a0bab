//! `provider.models`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::connection_test::with_timeout;
use super::service::ProviderService;
use crate::ErrorReply;
use crate::command::Command;

/// `provider.models`: the models that a provider offers. The list is cached until the settings or the key of the provider
/// change. `provider.timeout` after 20 s, and the errors of the provider.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ListModels {
    pub provider: String,
    /// Ignore the cache.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub refresh: bool,
}

/// The models of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelList {
    /// Their names, sorted; empty when the provider cannot list them.
    pub models: Vec<String>,
}

impl Command for ListModels {
    const NAME: &'static str = "provider.models";
    type Service = ProviderService;
    type Reply = ModelList;

    async fn run(self, service: &ProviderService) -> Result<ModelList, ErrorReply> {
        if let Some(models) = service.cached_models(&self.provider).filter(|_| !self.refresh) {
            return Ok(ModelList { models });
        }
        let provider = service.callable().get(&self.provider)?;
        let models = with_timeout(&self.provider, provider.models()).await?;
        service.cache_models(&self.provider, &models);
        Ok(ModelList { models })
    }
}
