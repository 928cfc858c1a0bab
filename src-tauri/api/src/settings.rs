//! `settings.*`: the settings of the application. They never hold a secret: keys are in the key store.

mod document;
mod guards;
mod service;
mod stored;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

pub use document::{Settings, Theme};
pub(crate) use service::SettingsParts;
pub use service::SettingsService;
pub(crate) use stored::StoredSettings;

/// `settings.get`: the settings in force, the built-in providers included.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct GetSettings {}

impl Command for GetSettings {
    const NAME: &'static str = "settings.get";
    type Service = SettingsService;
    type Reply = Settings;

    async fn run(self, service: &SettingsService) -> Result<Settings, ErrorReply> {
        Ok(service.current())
    }
}

/// `settings.change`: changes some of the settings and returns those in force. What another window changed meanwhile stays.
/// Errors as those of `settings.set`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ChangeSettings {
    /// A JSON merge patch (RFC 7396): members replace those of the same name, null removes one.
    #[ts(type = "unknown")]
    pub patch: Value,
}

impl Command for ChangeSettings {
    const NAME: &'static str = "settings.change";
    type Service = SettingsService;
    type Reply = Settings;

    async fn run(self, service: &SettingsService) -> Result<Settings, ErrorReply> {
        service.change(self.patch.clone(), |settings| json_patch::merge(settings, &self.patch)).await
    }
}

/// `settings.accept`: accepts the settings that something other than Plait wrote into `settings.json`, and returns those in force.
/// `store.changed_outside` if the file has another content than the person accepts, `store.corrupt` if it cannot be read.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct AcceptSettings {
    /// What the person accepts, as the details of `store.changed_outside` identify it.
    pub hash: String,
}

impl Command for AcceptSettings {
    const NAME: &'static str = "settings.accept";
    type Service = SettingsService;
    type Reply = Settings;

    async fn run(self, service: &SettingsService) -> Result<Settings, ErrorReply> {
        service.accept(&self.hash).await
    }
}

/// `settings.set`: replaces the settings and returns those in force. Active runs are not affected.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SetSettings {
    pub settings: Settings,
}

impl Command for SetSettings {
    const NAME: &'static str = "settings.set";
    type Service = SettingsService;
    type Reply = Settings;

    async fn run(self, service: &SettingsService) -> Result<Settings, ErrorReply> {
        service.replace(self.settings).await
    }
}

#[cfg(test)]
mod tests;
