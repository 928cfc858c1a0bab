//! `provider.status`.

use plait_adapters::ProviderSettings;
use plait_adapters::keys::{KeyLocation, KeySource};
use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::ProviderService;
use crate::ErrorReply;
use crate::command::Command;

/// Where the key of a provider comes from. Never the key itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyStatus {
    /// Where it is stored; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<KeySource>,
    /// Its last four characters, to tell keys apart. Absent for short keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ending: Option<String>,
    /// The environment variable that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub variable: Option<String>,
    /// The provider that it was set for, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub set_for: Option<String>,
    /// Why it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<Fault>,
    /// The address that the key or variable belonged to, if it was removed because the base URL changed to another host. The
    /// person has to enter the key again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub removed_with: Option<String>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is an independent property")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderStatus {
    pub name: String,
    /// Its settings in force.
    pub settings: ProviderSettings,
    /// Whether it is always present.
    pub built_in: bool,
    /// Whether it is built in and its settings were changed.
    pub changed: bool,
    /// Whether it accepts a key.
    pub takes_key: bool,
    /// Whether it requires a key.
    pub needs_key: bool,
    pub key: KeyStatus,
}

/// The status of all providers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProvidersStatus {
    /// By name, sorted.
    pub providers: Vec<ProviderStatus>,
    /// Where permanent keys are stored.
    pub key_place: KeyLocation,
}

/// `provider.status`: every provider, and where its key comes from.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct GetProviderStatus {}

impl Command for GetProviderStatus {
    const NAME: &'static str = "provider.status";
    type Service = ProviderService;
    type Reply = ProvidersStatus;

    async fn run(self, service: &ProviderService) -> Result<ProvidersStatus, ErrorReply> {
        let mut providers = Vec::new();
        for (name, settings) in service.table().settings() {
            providers.push(status(service, name, settings).await);
        }
        Ok(ProvidersStatus { providers, key_place: service.keys().location().await })
    }
}

/// The status of one provider. `provider.unknown`.
pub(super) async fn status_of(service: &ProviderService, name: &str) -> Result<ProviderStatus, ErrorReply> {
    let settings = service.table().settings_of(name)?.clone();
    Ok(status(service, name.to_owned(), settings).await)
}

async fn status(service: &ProviderService, name: String, settings: ProviderSettings) -> ProviderStatus {
    let owner = service.table().key_owner(&name).ok();
    let takes_key = owner.is_some();
    let removed_with = service.removed_key(&name);
    let no_key =
        KeyStatus { source: None, ending: None, variable: None, set_for: None, problem: None, removed_with };
    let key = if let Some(owner) = owner {
        let shared = settings.shared_key_owner();
        match service.keys().find_shared(&owner, shared.as_ref(), settings.key_env.as_deref()).await {
            Ok(Some(key)) => KeyStatus {
                source: Some(key.source),
                ending: key.ending(),
                variable: key.variable,
                set_for: key.owner,
                ..no_key
            },
            Ok(None) => no_key,
            Err(fault) => KeyStatus { problem: Some(fault), ..no_key },
        }
    } else {
        no_key
    };
    let built_in = plait_adapters::ProviderRegistry::built_in();
    ProviderStatus {
        built_in: built_in.contains_key(&name),
        changed: built_in.get(&name).is_some_and(|built_in| *built_in != settings),
        takes_key,
        needs_key: settings.key_env.is_some(),
        name,
        settings,
        key,
    }
}
