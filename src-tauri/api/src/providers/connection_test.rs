//! `provider.test`: whether a provider answers, and to this key.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plait_engine::context::{Message, Role};
use plait_engine::error::Fault;
use plait_engine::id::{Activation, Epoch};
use plait_engine::prompt::tokens;
use plait_engine::provider::ModelRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// How long a provider may take; a run is more patient.
const PATIENCE: Duration = Duration::from_secs(20);

/// As few as every provider takes: OpenAI's responses refuse a bound below that.
const LEAST_TOKENS: u32 = 16;

/// `provider.test`: a small real check. Without a model, the provider's list of models is fetched; with one, that model is
/// asked for a few tokens. A provider that fails is no error of this command. Faults `provider.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct TestProvider {
    /// The provider.
    pub provider: String,
    /// The model to ask.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<String>,
}

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Tested {
    /// It listed its models.
    Models,
    /// A model answered.
    Call,
}

/// How a test went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TestReport {
    /// What was checked.
    pub tested: Tested,
    /// How long it took, in milliseconds.
    #[ts(type = "number")]
    pub took_ms: u64,
    /// The models it listed, where it was asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub models: Option<Vec<String>>,
    /// What went wrong and what to do; nothing when all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fault: Option<Fault>,
}

impl Command for TestProvider {
    const NAME: &'static str = "provider.test";
    type Reply = TestReport;

    async fn run(self, app: &Plait) -> Result<TestReport, ErrorReply> {
        let provider = app.providers().get(&self.provider)?;
        let began = Instant::now();
        let (tested, models, fault) = if let Some(model) = self.model {
            let asked = in_time(&self.provider, provider.call(smallest(model), &mut |_| ())).await;
            (Tested::Call, None, asked.err())
        } else {
            match in_time(&self.provider, provider.models()).await {
                Ok(models) if models.is_empty() => (Tested::Models, None, Some(no_models(&self.provider))),
                Ok(models) => (Tested::Models, Some(models), None),
                Err(fault) => (Tested::Models, None, Some(fault)),
            }
        };
        if let Some(models) = &models {
            app.learn_models(&self.provider, models);
        }
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(TestReport { tested, took_ms, models, fault })
    }
}

/// Waits for a provider, but not for ever.
pub(super) async fn in_time<T>(
    provider: &str,
    asked: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::time::timeout(PATIENCE, asked).await.unwrap_or_else(|_| {
        Err(Fault::new(
            "provider.timeout",
            format!("The provider `{provider}` did not answer within {} s.", PATIENCE.as_secs()),
        )
        .hint("Is it busy loading a model? Try again, and check its base URL."))
    })
}

fn no_models(provider: &str) -> Fault {
    Fault::new("provider.no_models", format!("The provider `{provider}` answers, but lists no models."))
        .hint("Load a model there, or name one to test with.")
}

/// The smallest call there is.
fn smallest(model: String) -> ModelRequest {
    let author = Activation { node: "test".into(), epoch: Epoch::root() };
    let tokens = tokens::text(&model, "Hi");
    let message = Message::plain("test".into(), Role::User, "Hi", author.clone(), tokens);
    ModelRequest {
        activation: author,
        attempt: 1,
        model,
        system: None,
        messages: vec![Arc::new(message)],
        tools: Vec::new(),
        temperature: None,
        max_tokens: Some(LEAST_TOKENS),
        window: None,
        response_schema: None,
        session: None,
        options: Value::Null,
    }
}
