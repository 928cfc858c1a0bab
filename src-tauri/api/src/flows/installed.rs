//! What this machine has of what flows name: providers, MCP servers and knowledge bases.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use plait_adapters::retrieval::base_names;
use plait_adapters::{McpServers, ProviderRegistry};
use plait_core::config::{ConfigValues, run_values, settings_values};
use plait_core::error::Fault;
use plait_llm::provider::Providers as _;
use plait_store::Store;
use serde_json::{Map, Value};

use crate::providers::ProviderService;
use crate::run_config::RunConfig;

/// What flows can name on this machine, and what its settings say of runs. Without a list, names of its kind are not checked.
#[derive(Clone, Debug, Default)]
pub struct Installed {
    pub(crate) config: ConfigValues,
    pub(super) providers: Option<BTreeSet<String>>,
    pub(super) servers: Option<BTreeSet<String>>,
    /// Why no MCP server can be used, where their list cannot be trusted.
    pub(super) servers_fault: Option<Fault>,
    pub(super) bases: Option<BTreeSet<String>>,
    /// Whether models are called by the providers of the settings, and the offline provider is the built-in simulator. Providers that
    /// the application was opened with may take any name.
    pub(super) simulates: bool,
}

/// The parts of the application that know what is installed.
#[derive(Clone)]
pub(crate) struct InstalledSources {
    pub(crate) store: Store,
    pub(crate) providers: Arc<ProviderService>,
    /// What the settings in force say of runs.
    pub(crate) config: RunConfig,
    pub(crate) mcp: McpServers,
}

fn known_or_fault(names: Result<BTreeSet<String>, Fault>) -> (Option<BTreeSet<String>>, Option<Fault>) {
    match names {
        Ok(names) => (Some(names), None),
        Err(fault) => (None, Some(fault)),
    }
}

impl Installed {
    /// What is installed in a data directory, which need not exist. Opens no store. The faults are those of files that cannot be read.
    pub fn read(home: &Path) -> (Self, Vec<Fault>) {
        let mut faults = Vec::new();
        let settings = Store::settings_in(home).map_err(|fault| faults.push(fault)).ok();
        let providers = settings.as_ref().map(|settings| {
            let added = settings.get("providers").and_then(Value::as_object);
            let added = added.into_iter().flat_map(Map::keys).cloned();
            ProviderRegistry::built_in().into_keys().chain(added).collect()
        });
        let (servers, servers_fault) = known_or_fault(Store::mcp_server_names_in(home));
        faults.extend(servers_fault.clone());
        let config = settings.map(|settings| run_values(&settings_values(&Value::Object(settings))));
        let bases = Some(base_names(home).into_iter().collect());
        let config = config.unwrap_or_default();
        (Self { config, providers, servers, servers_fault, bases, simulates: true }, faults)
    }

    /// A machine on which these are the only providers, servers and bases.
    #[cfg(test)]
    pub(super) fn with_names(names: &[&str]) -> Self {
        let names: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (providers, servers, bases) = (Some(names.clone()), Some(names.clone()), Some(names));
        Self { providers, servers, bases, simulates: true, ..Self::default() }
    }

    /// The same without the lists, so that no name is checked.
    #[must_use]
    pub fn without_names(self) -> Self {
        Self { config: self.config, ..Self::default() }
    }

    /// The same of the open application: what its runs would use. It may have been opened with providers of its own.
    pub(crate) fn of(sources: &InstalledSources) -> Self {
        let InstalledSources { store, providers, config, mcp } = sources;
        let names = providers.table().names().into_iter().chain(providers.callable().names());
        let (servers, servers_fault) = known_or_fault(mcp.names());
        Self {
            config: config.kept_by_runs().as_ref().clone(),
            providers: Some(names.collect()),
            servers,
            servers_fault,
            bases: Some(base_names(store.home()).into_iter().collect()),
            simulates: !providers.is_fixed(),
        }
    }
}

#[cfg(test)]
mod tests;
