//! The registry of model providers, built from the settings. Owns which providers exist; each wire protocol is its own
//! folder.

mod anthropic;
mod detect;
mod embeddings;
mod gemini;
mod gemini_interactions;
mod http;
pub mod offline;
mod ollama;
mod openai_chat;
mod openai_responses;
mod presets;
mod protocol;
mod quirks;
mod reasoning_tags;
mod recorded_response;
mod redacting;
mod settings;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::{ErrorCode, Fault};
use plait_llm::provider::{Provider, Providers};
use secrecy::SecretString;

use crate::codes;
use crate::keys::{KeyOwner, KeyStore};
use crate::retrieval::{Embedder, EmbeddingModel};
use anthropic::Anthropic;
pub use detect::{DetectedServer, detect, usual_addresses};
use embeddings::Embeddings;
use gemini::Gemini;
use gemini_interactions::GeminiInteractions;
use http::HttpClient;
use offline::Offline;
use ollama::Ollama;
use openai_chat::OpenAiChat;
use openai_responses::OpenAiResponses;
pub use presets::{ProviderPreset, presets};
pub use quirks::{ChatQuirks, ReasoningField, StructuredOutput, TokenLimitField};
use reasoning_tags::ReasoningTags;
pub use recorded_response::{RecordedResponse, decode_response};
use redacting::RedactingProvider;
/// Addresses of model servers.
pub use reqwest::Url;
pub use settings::{ProviderKind, ProviderSettings};

/// The name of the simulator, which new flows use.
pub const OFFLINE: &str = "offline";

/// The providers by name. Cheap to clone; clones share the keys.
#[derive(Clone)]
pub struct ProviderRegistry {
    entries: Arc<BTreeMap<String, Arc<RegisteredProvider>>>,
    keys: KeyStore,
}

struct RegisteredProvider {
    settings: ProviderSettings,
    provider: Arc<dyn Provider>,
    embeddings: Option<Embeddings>,
}

impl ProviderRegistry {
    /// The built-in providers (`offline`, `openai`, `openai-chat`, `anthropic`, `gemini`, `gemini-interactions`, `ollama`, `lmstudio`, `llamacpp`, `vllm`) with
    /// `settings` overriding them by name. Keys come from the session and the environment only. Fault `provider.bad_settings`.
    pub fn new(settings: &BTreeMap<String, ProviderSettings>) -> Result<Self, Fault> {
        Self::with_keys(settings, &KeyStore::in_memory())
    }

    /// Like [`new`](Self::new), with keys from `keys`.
    pub fn with_keys(settings: &BTreeMap<String, ProviderSettings>, keys: &KeyStore) -> Result<Self, Fault> {
        Self { entries: Arc::default(), keys: keys.clone() }.with_settings(settings)
    }

    /// A registry with other settings. A provider with unchanged settings keeps its connections and its sessions.
    pub fn with_settings(&self, settings: &BTreeMap<String, ProviderSettings>) -> Result<Self, Fault> {
        let mut all = Self::built_in();
        all.extend(settings.iter().map(|(name, settings)| (name.clone(), settings.clone())));
        let entry = |(name, settings): (String, ProviderSettings)| {
            let entry = match self.entries.get(&name).filter(|known| known.settings == settings) {
                Some(known) => Arc::clone(known),
                None => Arc::new(RegisteredProvider::new(&name, settings, &self.keys)?),
            };
            Ok((name, entry))
        };
        let entries: BTreeMap<String, Arc<RegisteredProvider>> =
            all.into_iter().map(entry).collect::<Result<_, Fault>>()?;
        let owners = entries.iter().filter(|(_, entry)| entry.settings.kind != ProviderKind::Offline);
        // A password in a base URL is sent like a key.
        for (name, entry) in &entries {
            let url = entry.settings.base_url.as_deref().and_then(|base_url| url::Url::parse(base_url).ok());
            if let Some(password) = url.as_ref().and_then(url::Url::password) {
                self.keys.redaction().add_key(name, &SecretString::from(password));
            }
        }
        let owner_of = |(name, entry): (&String, &Arc<RegisteredProvider>)| {
            (entry.settings.key_owner(name), entry.settings.key_env.clone())
        };
        self.keys.set_owners(owners.map(owner_of).collect());
        Ok(Self { entries: Arc::new(entries), keys: self.keys.clone() })
    }

    /// Checks the settings of a provider. Fault `provider.bad_settings`.
    pub fn check(name: &str, settings: &ProviderSettings) -> Result<(), Fault> {
        RegisteredProvider::new(name, settings.clone(), &KeyStore::in_memory()).map(drop)
    }

    /// The settings of the built-in providers; Ollama's base URL follows `OLLAMA_HOST`.
    pub fn built_in() -> BTreeMap<String, ProviderSettings> {
        let mut all = settings::built_in();
        if let Some(ollama) = all.get_mut("ollama")
            && let Some(set) = detect::ollama_from_environment(ollama)
        {
            *ollama = set;
        }
        all
    }

    /// The current settings by name, including built-in providers.
    pub fn settings(&self) -> BTreeMap<String, ProviderSettings> {
        self.entries.iter().map(|(name, entry)| (name.clone(), entry.settings.clone())).collect()
    }

    /// The current settings of one provider. Fault `provider.unknown`.
    pub fn settings_of(&self, name: &str) -> Result<&ProviderSettings, Fault> {
        self.entry(name).map(|entry| &entry.settings)
    }

    /// Sets a provider's key for this session. It is never stored and takes precedence over any other key. An empty key
    /// removes it. Faults `provider.unknown`, `provider.no_key` (the provider takes none), `keys.bad_key`.
    pub fn set_session_key(&self, name: &str, key: &str) -> Result<(), Fault> {
        self.keys.set_session_key(&self.key_owner(name)?, key)
    }

    /// The owner of the key of a provider that takes one. Faults `provider.unknown`, `provider.no_key`.
    pub fn key_owner(&self, name: &str) -> Result<KeyOwner, Fault> {
        let settings = self.settings_of(name)?;
        if settings.kind == ProviderKind::Offline {
            return Err(Fault::new(codes::PROVIDER_NO_KEY, format!("The provider `{name}` takes no key.")));
        }
        Ok(settings.key_owner(name))
    }

    /// Whether a vendor's own API reads the environment variables `variables`, and is at this address.
    pub fn is_vendor_address(owner: &KeyOwner, variables: &str) -> bool {
        settings::built_in().iter().any(|(name, vendor)| {
            vendor.key_env.as_deref() == Some(variables) && vendor.key_owner(name).origin() == owner.origin()
        })
    }

    pub fn keys(&self) -> &KeyStore {
        &self.keys
    }

    fn entry(&self, name: &str) -> Result<&RegisteredProvider, Fault> {
        self.entries.get(name).map(Arc::as_ref).ok_or_else(|| {
            let names: Vec<_> = self.entries.keys().map(|name| format!("`{name}`")).collect();
            Fault::new(codes::PROVIDER_UNKNOWN, format!("There is no provider `{name}`."))
                .hint(format!("Available providers: {}. Add others in the settings.", names.join(", ")))
        })
    }
}

impl Providers for ProviderRegistry {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        self.entry(name).map(|entry| Arc::clone(&entry.provider))
    }

    fn names(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }
}

#[async_trait]
impl Embedder for ProviderRegistry {
    async fn embed(&self, model: &EmbeddingModel, texts: &[String]) -> Result<Vec<Vec<f32>>, Fault> {
        let EmbeddingModel { provider, model } = model;
        let embeddings = self.entry(provider)?.embeddings.as_ref().ok_or_else(|| {
            let message = format!("The provider `{provider}` has no OpenAI-compatible embeddings.");
            Fault::new(codes::KNOWLEDGE_EMBEDDINGS, message)
                .hint("Use a provider such as `openai` or `ollama`, or an OpenAI-compatible server.")
        })?;
        // Servers may echo the key in errors.
        embeddings.embed(model, texts).await.map_err(|fault| self.keys.redaction().fault(fault))
    }
}

impl RegisteredProvider {
    fn new(name: &str, settings: ProviderSettings, keys: &KeyStore) -> Result<Self, Fault> {
        let Some(config) = protocol_config(settings.kind) else {
            let provider = RedactingProvider::new(Arc::new(Offline), keys.redaction());
            return Ok(Self { settings, provider: Arc::new(provider), embeddings: None });
        };
        let client = Arc::new(HttpClient::new(config, name, &settings, keys)?);
        let embeddings = Embeddings::of(settings.kind, Arc::clone(&client));
        let provider = Self::over(&settings, client);
        // Servers may echo the key in replies and errors.
        let provider = Arc::new(RedactingProvider::new(provider, keys.redaction()));
        Ok(Self { settings, provider, embeddings })
    }

    /// The protocol of these settings over a client of it.
    fn over(settings: &ProviderSettings, client: Arc<HttpClient>) -> Arc<dyn Provider> {
        let provider: Arc<dyn Provider> = match settings.kind {
            ProviderKind::Offline => Arc::new(Offline),
            ProviderKind::OpenAi => Arc::new(OpenAiChat::new(client, settings.quirks)),
            ProviderKind::OpenAiResponses => {
                Arc::new(OpenAiResponses::provider(client, settings.sessions.unwrap_or_default()))
            }
            ProviderKind::Ollama => Arc::new(Ollama::new(client)),
            ProviderKind::Anthropic => Arc::new(Anthropic::new(client)),
            ProviderKind::Gemini => Arc::new(Gemini::new(client)),
            ProviderKind::GeminiInteractions => {
                Arc::new(GeminiInteractions::provider(client, settings.sessions.unwrap_or_default()))
            }
        };
        if settings.reasoning_tags.unwrap_or(true) {
            Arc::new(ReasoningTags::new(provider))
        } else {
            provider
        }
    }
}

/// What tells the protocols apart; none for the simulator, which has no server.
fn protocol_config(kind: ProviderKind) -> Option<&'static http::ProtocolConfig> {
    match kind {
        ProviderKind::Offline => None,
        ProviderKind::OpenAi => Some(&openai_chat::CONFIG),
        ProviderKind::OpenAiResponses => Some(&openai_responses::CONFIG),
        ProviderKind::Ollama => Some(&ollama::CONFIG),
        ProviderKind::Anthropic => Some(&anthropic::CONFIG),
        ProviderKind::Gemini => Some(&gemini::CONFIG),
        ProviderKind::GeminiInteractions => Some(&gemini_interactions::CONFIG),
    }
}

/// Whether a retry can help against a fault with this code.
pub(crate) fn is_retryable(code: &ErrorCode) -> bool {
    [
        codes::PROVIDER_UNREACHABLE,
        codes::PROVIDER_TIMEOUT,
        codes::PROVIDER_RATE_LIMITED,
        codes::PROVIDER_OVERLOADED,
        codes::PROVIDER_SERVER_ERROR,
        codes::PROVIDER_CUT_SHORT,
    ]
    .contains(code)
}

#[cfg(test)]
mod tests;
