//! The model providers in force, their keys, and the models they listed.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use plait_adapters::{KeyStore, ProviderRegistry, ProviderSettings};
use plait_engine::error::Fault;
use plait_engine::provider::Providers;

/// Owns the table of providers. Settings replace it, runs and commands read it.
pub struct ProviderService {
    table: RwLock<ProviderRegistry>,
    /// Used for model calls instead of the table, where the application was opened with providers of its own.
    fixed: Option<Arc<dyn Providers>>,
    keys: KeyStore,
    /// Lists of models, by provider, since the application started.
    models: Mutex<BTreeMap<String, Vec<String>>>,
}

impl ProviderService {
    pub(crate) fn new(
        settings: &BTreeMap<String, ProviderSettings>,
        keys: KeyStore,
        fixed: Option<Arc<dyn Providers>>,
    ) -> Result<Self, Fault> {
        let table = RwLock::new(ProviderRegistry::with_keys(settings, &keys)?);
        Ok(Self { table, fixed, keys, models: Mutex::default() })
    }

    /// The providers that a run started now would call.
    pub fn callable(&self) -> Arc<dyn Providers> {
        match &self.fixed {
            Some(fixed) => Arc::clone(fixed),
            None => Arc::new(self.table()),
        }
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

    /// Forgets what belongs to providers that changed since `before`: their cached models and, of those that were removed,
    /// the keys. A provider of the same name that is added later may be a different server.
    pub(crate) async fn forget_changed(&self, before: &BTreeMap<String, ProviderSettings>) {
        let current = self.table().settings();
        for (name, _) in before.iter().filter(|(name, settings)| current.get(*name) != Some(settings)) {
            self.forget_models(name);
            if !current.contains_key(name) {
                // A key store that cannot be read cannot hand out the key either.
                let _ = self.keys.remove(name).await;
            }
        }
    }
}
