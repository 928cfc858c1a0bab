//! `provider.models`: what a provider offers.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// `provider.models`: asked once in the life of the process, and again after the provider's settings or key have changed.
/// Faults: the provider's, `provider.timeout` after 20 s.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ListModels {
    /// The provider.
    pub provider: String,
    /// Ask it again.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub refresh: bool,
}

/// The models of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelList {
    /// Their names, sorted; empty where the provider can't tell.
    pub models: Vec<String>,
}

impl Command for ListModels {
    const NAME: &'static str = "provider.models";
    type Reply = ModelList;

    async fn run(self, app: &Plait) -> Result<ModelList, ErrorReply> {
        if let Some(models) = app.known_models(&self.provider).filter(|_| !self.refresh) {
            return Ok(ModelList { models });
        }
        let provider = app.providers().get(&self.provider)?;
        let models = super::connection_test::in_time(&self.provider, provider.models()).await?;
        app.learn_models(&self.provider, &models);
        Ok(ModelList { models })
    }
}
