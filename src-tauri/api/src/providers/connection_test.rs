//! `provider.test`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_llm::context::{Message, Role};
use plait_llm::provider::ModelRequest;
use plait_llm::tokens;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::service::ProviderService;
use crate::ErrorReply;
use crate::codes;
use crate::command::Command;

/// How long a provider may take to reply. Runs have longer timeouts.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// The smallest limit that every provider accepts: the Responses API of OpenAI rejects smaller ones.
const MIN_OUTPUT_TOKENS: u32 = 16;

/// `provider.test`: checks that a provider replies and accepts the key. Fetches its list of models or, if a model is given,
/// generates a few tokens with it. A failed check is not an error of this command. `provider.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct TestProvider {
    pub provider: String,
    /// The model to call.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<String>,
}

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Tested {
    /// The list of models.
    Models,
    /// A model call.
    Call,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TestReport {
    /// What was checked.
    pub tested: Tested,
    /// In milliseconds.
    #[ts(type = "number")]
    pub took_ms: u64,
    /// The models it listed, if the list was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub models: Option<Vec<String>>,
    /// Why the check failed; absent when it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fault: Option<Fault>,
}

impl Command for TestProvider {
    const NAME: &'static str = "provider.test";
    type Service = ProviderService;
    type Reply = TestReport;

    async fn run(self, service: &ProviderService) -> Result<TestReport, ErrorReply> {
        let provider = service.callable().get(&self.provider)?;
        let started = Instant::now();
        let (tested, models, fault) = if let Some(model) = self.model {
            let called =
                with_timeout(&self.provider, provider.call(minimal_request(model), &mut |_| ())).await;
            (Tested::Call, None, called.err())
        } else {
            match with_timeout(&self.provider, provider.models()).await {
                Ok(models) if models.is_empty() => (Tested::Models, None, Some(no_models(&self.provider))),
                Ok(models) => (Tested::Models, Some(models), None),
                Err(fault) => (Tested::Models, None, Some(fault)),
            }
        };
        if let Some(models) = &models {
            service.cache_models(&self.provider, models);
        }
        let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(TestReport { tested, took_ms, models, fault })
    }
}

/// Waits for a provider. `provider.timeout` when it takes too long.
pub(super) async fn with_timeout<T>(
    provider: &str,
    reply: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::time::timeout(REPLY_TIMEOUT, reply).await.unwrap_or_else(|_| {
        Err(Fault::new(
            codes::PROVIDER_TIMEOUT,
            format!("The provider `{provider}` did not reply within {} s.", REPLY_TIMEOUT.as_secs()),
        )
        .hint("It may be loading a model. Try again, and check its base URL."))
    })
}

fn no_models(provider: &str) -> Fault {
    Fault::new(codes::PROVIDER_NO_MODELS, format!("The provider `{provider}` replied but listed no models."))
        .hint("Load a model in it, or test with a model of your choice.")
}

/// The cheapest request that every provider accepts.
fn minimal_request(model: String) -> ModelRequest {
    let author = Activation { node: "test".into(), epoch: Epoch::root() };
    let tokens = tokens::count_u32(&model, "Hi");
    let message = Message::plain("test".into(), Role::User, "Hi", author.clone(), tokens);
    ModelRequest {
        activation: author,
        attempt: 1,
        model,
        system: None,
        messages: vec![Arc::new(message)],
        tools: Vec::new(),
        temperature: None,
        max_tokens: Some(MIN_OUTPUT_TOKENS),
        window: None,
        response_schema: None,
        session: None,
        options: Value::Null,
    }
}
