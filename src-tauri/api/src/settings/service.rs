//! The settings in force: reading and replacing them.

use plait_engine::error::ErrorCode;
use std::sync::Arc;

use parking_lot::RwLock;
use plait_adapters::{ProviderRegistry, Store};
use serde_json::Value;

use super::document::{Settings, StoredSettings, UnreadableSettings};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::providers::{ProviderService, TokenCalibration};

/// Owns the settings. Those of providers and models are passed on to the services that use them.
pub struct SettingsService {
    store: Store,
    providers: Arc<ProviderService>,
    calibration: Arc<TokenCalibration>,
    /// As stored: of the providers only those that differ from the built-in ones.
    current: RwLock<Settings>,
    unreadable: UnreadableSettings,
    /// Held while settings are replaced, so that the store has what is in force.
    write_lock: tokio::sync::Mutex<()>,
}

impl SettingsService {
    pub(crate) fn new(
        store: Store,
        stored: StoredSettings,
        providers: Arc<ProviderService>,
        calibration: Arc<TokenCalibration>,
    ) -> Self {
        let StoredSettings { settings, unreadable, .. } = stored;
        let (current, write_lock) = (RwLock::new(settings), tokio::sync::Mutex::default());
        Self { store, providers, calibration, current, unreadable, write_lock }
    }

    /// The settings in force, the built-in providers included.
    pub(crate) fn current(&self) -> Settings {
        let current = self.current.read();
        Settings { providers: self.providers.table().settings(), ..current.clone() }
    }

    /// Replaces the settings, in the store first. Changes nothing if they are invalid. The key of a provider that is removed
    /// is removed with it.
    pub(super) async fn replace(&self, mut settings: Settings) -> Result<Settings, ErrorReply> {
        let _guard = self.write_lock.lock().await;
        let table = self.providers.table().with_settings(&settings.providers)?;
        settings.check()?;
        // Built-in settings are not stored, so that they follow changes of Plait or of the environment.
        let built_in = ProviderRegistry::built_in();
        settings.providers.retain(|name, provider| built_in.get(name) != Some(provider));
        let stored = serde_json::to_value(&settings).map_err(|error| {
            ErrorReply::new(
                ErrorCode::SettingsUnwritable,
                format!("The settings could not be serialized: {error}."),
            )
        })?;
        if let Value::Object(mut stored) = stored {
            self.unreadable.merge_into(&mut stored);
            let store = self.store.clone();
            run_blocking(move || Ok(store.put_settings(&stored)?)).await?;
        }
        self.store.flush().await?;
        let before = self.providers.table().settings();
        self.calibration.set_overrides(settings.models.clone());
        {
            let mut current = self.current.write();
            self.providers.replace_table(table);
            *current = settings;
        }
        self.providers.forget_changed(&before).await;
        Ok(self.current())
    }
}
