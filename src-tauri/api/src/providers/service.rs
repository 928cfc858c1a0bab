//! The model providers in force, their keys, and the models they listed.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use plait_adapters::providers::Url;
use plait_adapters::{KeyStore, ProviderRegistry, ProviderSettings};
use plait_core::error::Fault;
use plait_llm::provider::Providers;

/// Owns the table of providers. Settings replace it, runs and commands read it.
pub struct ProviderService {
    table: RwLock<ProviderRegistry>,
    /// Used for model calls instead of the table, where the application was opened with providers of its own.
    fixed: Option<Arc<dyn Providers>>,
    /// Where model servers are looked for, besides the addresses in the table.
    model_servers: Vec<Url>,
    keys: KeyStore,
    /// Lists of models, by provider, since the application started.
    models: Mutex<BTreeMap<String, Vec<String>>>,
    /// The former addresses of removed providers that had a key, since the application started.
    removed_keys: Mutex<BTreeMap<String, String>>,
}

impl ProviderService {
    pub(crate) fn new(
        settings: &BTreeMap<String, ProviderSettings>,
        keys: KeyStore,
        fixed: Option<Arc<dyn Providers>>,
        model_servers: Vec<Url>,
    ) -> Result<Self, Fault> {
        let table = RwLock::new(ProviderRegistry::with_keys(settings, &keys)?);
        let (models, removed_keys) = (Mutex::default(), Mutex::default());
        Ok(Self { table, fixed, model_servers, keys, models, removed_keys })
    }

    pub(crate) fn model_servers(&self) -> &[Url] {
        &self.model_servers
    }

    /// The providers that a run started now would call.
    pub fn callable(&self) -> Arc<dyn Providers> {
        match &self.fixed {
            Some(fixed) => Arc::clone(fixed),
            None => Arc::new(self.table()),
        }
    }

    /// Whether the application was opened with providers of its own.
    pub(crate) fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// The providers of the settings, the built-in ones included.
    pub(crate) fn table(&self) -> ProviderRegistry {
        self.table.read().clone()
    }

    pub(crate) fn replace_table(&self, table: ProviderRegistry) {
        *self.table.write() = table;
    }

    pub(crate) fn keys(&self) -> &KeyStore {
        &self.keys
    }

    pub(crate) fn cached_models(&self, provider: &str) -> Option<Vec<String>> {
        self.models.lock().get(provider).cloned()
    }

    pub(crate) fn cache_models(&self, provider: &str, models: &[String]) {
        self.models.lock().insert(provider.to_owned(), models.to_vec());
    }

    /// Forgets the cached models of a provider, so that the next `provider.models` asks it again.
    pub(crate) fn forget_models(&self, provider: &str) {
        self.models.lock().remove(provider);
    }

    /// The address that the key of a provider belonged to, if it was removed with it.
    pub(crate) fn removed_key(&self, provider: &str) -> Option<String> {
        self.removed_keys.lock().get(provider).cloned()
    }

    /// Remembers the former addresses of providers that lost their key.
    pub(crate) fn remember_removed_keys(&self, providers: Vec<(String, String)>) {
        self.removed_keys.lock().extend(providers);
    }

    /// A key was entered for the new address.
    pub(crate) fn forget_removed_key(&self, provider: &str) {
        self.removed_keys.lock().remove(provider);
    }

    /// Takes the environment variable from providers that move to another host: its key was meant for the former one. A
    /// person can name it again for the new host. Returns these providers with their former address.
    pub(crate) fn drop_moved_variables(
        &self,
        next: &mut BTreeMap<String, ProviderSettings>,
    ) -> Vec<(String, String)> {
        let mut moved = Vec::new();
        let before = self.table().settings();
        for (name, settings) in next {
            let Some(former) = before.get(name) else { continue };
            let (from, to) = (former.key_owner(name), settings.key_owner(name));
            let Some(variables) = settings.key_env.as_deref().filter(|_| former.key_env == settings.key_env)
            else {
                continue;
            };
            if from != to && !ProviderRegistry::is_vendor_address(&to, variables) {
                settings.key_env = None;
                moved.push((name.clone(), from.origin().unwrap_or_default().to_owned()));
            }
        }
        moved
    }

    /// Forgets what belongs to providers that changed since `before`: their cached models and, if a provider was
    /// removed or moved to another host, its key. The server there may be a different one.
    pub(crate) async fn forget_changed(&self, before: &BTreeMap<String, ProviderSettings>) {
        let current = self.table().settings();
        for (name, settings) in before.iter().filter(|(name, settings)| current.get(*name) != Some(settings))
        {
            self.forget_models(name);
            let (former, now) = (settings.key_owner(name), current.get(name).map(|now| now.key_owner(name)));
            if now.as_ref() != Some(&former) {
                // A key store that cannot be read cannot hand out the key either.
                let had_key = self.keys.remove(&former).await.unwrap_or_default();
                if now.is_none() {
                    self.forget_removed_key(name);
                } else if had_key {
                    let origin = former.origin().unwrap_or_default().to_owned();
                    self.removed_keys.lock().insert(name.clone(), origin);
                }
            }
        }
    }
}
