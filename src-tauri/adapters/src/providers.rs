//! The providers a run may use, by name, made from settings. Owns which names there are; what a provider says on the
//! wire is its own file's.

mod address;
mod anthropic;
mod detect;
mod gemini;
mod guarded;
mod http;
mod instructions;
pub mod offline;
mod ollama;
mod openai_chat;
mod openai_models;
mod openai_responses;
mod settings;
mod strict;
mod tool_calls;

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::provider::{Provider, Providers};

use crate::keys::KeyStore;
use anthropic::Anthropic;
pub use detect::{FoundServer, detect};
use gemini::Gemini;
use guarded::Guarded;
use http::Link;
use offline::Offline;
use ollama::Ollama;
use openai_chat::OpenAiChat;
use openai_responses::OpenAiResponses;
pub use settings::{ProviderKind, ProviderSettings};

/// The name of the simulator, and of the provider a new flow begins with.
pub const OFFLINE: &str = "offline";

/// The providers there are. Cheap to clone; clones share the keys.
#[derive(Clone)]
pub struct ProviderTable {
    entries: Arc<BTreeMap<String, Arc<Entry>>>,
    keys: KeyStore,
}

struct Entry {
    settings: ProviderSettings,
    provider: Arc<dyn Provider>,
}

impl ProviderTable {
    /// The built-in providers (`offline`, `openai`, `openai-chat`, `anthropic`, `gemini`, `ollama`, `lmstudio`, `llamacpp`, `vllm`) with
    /// `settings` over them, by name; keys are the session's and the environment's alone. Fault `provider.bad_settings`.
    pub fn new(settings: &BTreeMap<String, ProviderSettings>) -> Result<Self, Fault> {
        Self::with_keys(settings, &KeyStore::in_memory())
    }

    /// The same, with keys from `keys`.
    pub fn with_keys(settings: &BTreeMap<String, ProviderSettings>, keys: &KeyStore) -> Result<Self, Fault> {
        Self { entries: Arc::default(), keys: keys.clone() }.changed(settings)
    }

    /// The same with other settings over the built-in providers. One whose settings stay keeps its connections and what it
    /// remembers.
    pub fn changed(&self, settings: &BTreeMap<String, ProviderSettings>) -> Result<Self, Fault> {
        let mut all = Self::built_in();
        all.extend(settings.iter().map(|(name, settings)| (name.clone(), settings.clone())));
        let entry = |(name, settings): (String, ProviderSettings)| {
            let entry = match self.entries.get(&name).filter(|known| known.settings == settings) {
                Some(known) => Arc::clone(known),
                None => Arc::new(Entry::new(&name, settings, &self.keys)?),
            };
            Ok((name, entry))
        };
        let entries = all.into_iter().map(entry).collect::<Result<_, Fault>>()?;
        Ok(Self { entries: Arc::new(entries), keys: self.keys.clone() })
    }

    /// Whether there can be a provider of that name with these settings. Fault `provider.bad_settings`.
    pub fn check(name: &str, settings: &ProviderSettings) -> Result<(), Fault> {
        Entry::new(name, settings.clone(), &KeyStore::in_memory()).map(drop)
    }

    /// The settings of the built-in providers; Ollama's at the place that `OLLAMA_HOST` names.
    pub fn built_in() -> BTreeMap<String, ProviderSettings> {
        let mut all = settings::built_in();
        if let Some(ollama) = all.get_mut("ollama")
            && let Some(set) = detect::ollama_by_environment(ollama)
        {
            *ollama = set;
        }
        all
    }

    /// The settings in force, by name, built-in ones included.
    pub fn settings(&self) -> BTreeMap<String, ProviderSettings> {
        self.entries.iter().map(|(name, entry)| (name.clone(), entry.settings.clone())).collect()
    }

    /// The settings in force of one. Fault `provider.unknown`.
    pub fn settings_of(&self, name: &str) -> Result<&ProviderSettings, Fault> {
        self.entry(name).map(|entry| &entry.settings)
    }

    /// Gives a provider its key for as long as this process lives; it is never written anywhere and goes before any
    /// other. An empty key takes it back. Faults `provider.unknown`, `provider.no_key` (it takes none), `keys.bad_key`.
    pub fn set_key(&self, name: &str, key: &str) -> Result<(), Fault> {
        self.takes_key(name)?;
        self.keys.give(name, key)
    }

    /// Whether there is such a provider and it takes a key. Faults `provider.unknown`, `provider.no_key`.
    pub fn takes_key(&self, name: &str) -> Result<(), Fault> {
        if self.entry(name)?.settings.kind == ProviderKind::Offline {
            return Err(Fault::new(ErrorCode::ProviderNoKey, format!("The provider `{name}` takes no key.")));
        }
        Ok(())
    }

    /// Where their keys are.
    pub fn keys(&self) -> &KeyStore {
        &self.keys
    }

    fn entry(&self, name: &str) -> Result<&Entry, Fault> {
        self.entries.get(name).map(Arc::as_ref).ok_or_else(|| {
            let names: Vec<_> = self.entries.keys().map(|name| format!("`{name}`")).collect();
            Fault::new(ErrorCode::ProviderUnknown, format!("There is no provider `{name}`."))
                .hint(format!("There are {}. Others can be added in the settings.", names.join(", ")))
        })
    }
}

impl Providers for ProviderTable {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        self.entry(name).map(|entry| Arc::clone(&entry.provider))
    }

    fn names(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }
}

impl Entry {
    fn new(name: &str, settings: ProviderSettings, keys: &KeyStore) -> Result<Self, Fault> {
        let link = |manner| Link::new(manner, name, &settings, keys).map(Arc::new);
        let provider: Arc<dyn Provider> = match settings.kind {
            ProviderKind::Offline => Arc::new(Offline),
            ProviderKind::OpenAi => Arc::new(OpenAiChat::new(link(&openai_chat::MANNER)?)),
            ProviderKind::OpenAiResponses => {
                let keeps = settings.sessions.unwrap_or_default();
                Arc::new(OpenAiResponses::new(link(&openai_responses::MANNER)?, keeps))
            }
            ProviderKind::Ollama => Arc::new(Ollama::new(link(&ollama::MANNER)?)),
            ProviderKind::Anthropic => Arc::new(Anthropic::new(link(&anthropic::MANNER)?)),
            ProviderKind::Gemini => Arc::new(Gemini::new(link(&gemini::MANNER)?)),
        };
        // Its own words and its faults pass no key on, whatever it was told by its server.
        Ok(Self { settings, provider: Arc::new(Guarded::new(provider, keys.redaction())) })
    }
}

/// Whether a retry can succeed after a fault of this code.
pub(crate) fn is_retryable(code: &ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::ProviderUnreachable
            | ErrorCode::ProviderTimeout
            | ErrorCode::ProviderRateLimited
            | ErrorCode::ProviderOverloaded
            | ErrorCode::ProviderServerError
            | ErrorCode::ProviderCutShort
    )
}

#[cfg(test)]
mod tests;
