//! `provider.status`: every provider, and where its key comes from.

use plait_adapters::ProviderSettings;
use plait_adapters::keys::{KeyPlace, KeySource};
use plait_engine::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// Where a provider's key comes from. Never the key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyStatus {
    /// Where it is; nothing when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<KeySource>,
    /// Its last four characters, by which people tell their keys apart; of short keys nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ending: Option<String>,
    /// The environment variable that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub variable: Option<String>,
    /// Why it can't be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<Fault>,
}

/// One provider.
#[expect(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderStatus {
    /// Its name.
    pub name: String,
    /// Its settings in force.
    pub settings: ProviderSettings,
    /// Whether it is always there.
    pub built_in: bool,
    /// Whether a built-in one was changed.
    pub changed: bool,
    /// Whether it can take a key.
    pub takes_key: bool,
    /// Whether it needs one.
    pub needs_key: bool,
    /// Where its key comes from.
    pub key: KeyStatus,
}

/// All of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProvidersStatus {
    /// By name, sorted.
    pub providers: Vec<ProviderStatus>,
    /// Where keys that are to be kept go.
    pub key_place: KeyPlace,
}

/// `provider.status`
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct GetProviderStatus {}

impl Command for GetProviderStatus {
    const NAME: &'static str = "provider.status";
    type Reply = ProvidersStatus;

    async fn run(self, app: &Plait) -> Result<ProvidersStatus, ErrorReply> {
        let mut providers = Vec::new();
        for (name, settings) in app.settings().providers {
            providers.push(status(app, name, settings).await);
        }
        Ok(ProvidersStatus { providers, key_place: app.keys().place().await })
    }
}

/// The status of the provider of that name. `provider.unknown`.
pub(super) async fn of(app: &Plait, name: &str) -> Result<ProviderStatus, ErrorReply> {
    let settings = app.provider_table().settings_of(name)?.clone();
    Ok(status(app, name.to_owned(), settings).await)
}

async fn status(app: &Plait, name: String, settings: ProviderSettings) -> ProviderStatus {
    let takes_key = app.provider_table().takes_key(&name).is_ok();
    let nothing = KeyStatus { source: None, ending: None, variable: None, problem: None };
    let key = if takes_key {
        match app.keys().find(&name, settings.key_env.as_deref()).await {
            Ok(Some(found)) => KeyStatus {
                source: Some(found.source),
                ending: found.ending(),
                variable: found.variable,
                problem: None,
            },
            Ok(None) => nothing,
            Err(fault) => KeyStatus { problem: Some(fault), ..nothing },
        }
    } else {
        nothing
    };
    let built_in = plait_adapters::ProviderTable::built_in();
    ProviderStatus {
        built_in: built_in.contains_key(&name),
        changed: built_in.get(&name).is_some_and(|one| *one != settings),
        takes_key,
        needs_key: settings.key_env.is_some(),
        name,
        settings,
        key,
    }
}
