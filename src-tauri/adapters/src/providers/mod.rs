//! The providers a run may use, by name, made from settings. Owns which names there are; what a provider says on the
//! wire is its own file's.

mod settings;

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_engine::error::Fault;
use plait_engine::provider::{Provider, Providers};

pub use settings::{ProviderKind, ProviderSettings};

/// The providers there are. Cheap to clone; clones share keys given for the session.
#[derive(Clone)]
pub struct ProviderTable;

impl ProviderTable {
    /// The built-in providers (`offline`, `openai`, `ollama`, `lmstudio`, `llamacpp`, `vllm`) with `settings` over
    /// them, by name. Faults `provider.bad_settings`.
    pub fn new(settings: &BTreeMap<String, ProviderSettings>) -> Result<Self, Fault> {
        Err(Fault::new("provider.bad_settings", format!("being written ({settings:?})")))
    }

    /// The settings in force, by name, built-in ones included.
    pub fn settings(&self) -> BTreeMap<String, ProviderSettings> {
        BTreeMap::new()
    }

    /// Gives a provider its key for as long as this process lives; it is never written anywhere. An empty key takes it back.
    pub fn set_key(&self, name: &str, key: String) -> Result<(), Fault> {
        Err(Fault::new("provider.unknown", format!("being written ({name:?} {})", key.len())))
    }
}

impl Providers for ProviderTable {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Err(Fault::new("provider.unknown", format!("being written ({name:?})")))
    }
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}
