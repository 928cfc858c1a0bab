//! The settings in force: reading and replacing them.
use plait_llm::quota::QuotaBank;
use plait_run::host::Clock;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use plait_adapters::keys::{is_variable_name, variable_names};
use plait_adapters::telemetry::{LiveExporter, TelemetrySettings};
use plait_adapters::{ProviderRegistry, Redaction, ToolEnvironment};
use plait_store::{GuardedDocument, Store};
use serde_json::Value;

use super::document::Settings;
use super::guards::{GuardProblems, SettingsChange};
use super::stored::{StoredSettings, UnreadableSettings};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::providers::{ProviderService, TokenCalibration};
use crate::run_config::RunConfig;
use crate::runs::count_day;

/// The parts of the application that settings are passed on to.
pub(crate) struct SettingsParts {
    pub(crate) store: Store,
    pub(crate) providers: Arc<ProviderService>,
    pub(crate) calibration: Arc<TokenCalibration>,
    pub(crate) runs: RunConfig,
    pub(crate) quotas: Arc<QuotaBank>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tools: ToolEnvironment,
    pub(crate) exporter: LiveExporter,
}

/// Owns the settings. Those of providers, models and limits are passed on to the services that use them.
pub struct SettingsService {
    parts: SettingsParts,
    /// As stored: only providers that differ from the built-in ones.
    current: RwLock<Settings>,
    unreadable: Mutex<UnreadableSettings>,
    /// Why runs would lack a bound that a person has set. The quota bank refuses them for it.
    guard_problems: Mutex<GuardProblems>,
    /// Held while settings are replaced, so that the store has the settings in force.
    write_lock: tokio::sync::Mutex<()>,
}

impl SettingsService {
    pub(crate) fn new(parts: SettingsParts, stored: StoredSettings) -> Self {
        let StoredSettings { settings, unreadable, guard_problems, .. } = stored;
        parts.runs.set(settings.values());
        parts.quotas.set_defaults(settings.quotas.clone());
        parts.quotas.set_problem(guard_problems.to_fault());
        Self {
            parts,
            current: RwLock::new(settings),
            unreadable: Mutex::new(unreadable),
            guard_problems: Mutex::new(guard_problems),
            write_lock: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn tools(&self) -> &ToolEnvironment {
        &self.parts.tools
    }

    /// The settings in force, the built-in providers included.
    pub(crate) fn current(&self) -> Settings {
        let current = self.current.read();
        Settings { providers: self.parts.providers.table().settings(), ..current.clone() }
    }

    /// Replaces the settings, in the store first. Changes nothing if they are invalid. The key of a provider that is removed
    /// or moves to another host is removed.
    pub(crate) async fn replace(&self, settings: Settings) -> Result<Settings, ErrorReply> {
        let _guard = self.write_lock.lock().await;
        self.put(settings, Value::Null).await
    }

    /// Changes the settings in force, as JSON: what other windows and commands changed meanwhile stays. `named`: the keys that are
    /// changed, as [`SettingsChange`] has them. Otherwise as [`Self::replace`]; `settings.bad_value` if the changed document is none.
    pub(crate) async fn change(
        &self,
        named: Value,
        change: impl FnOnce(&mut Value) + Send,
    ) -> Result<Settings, ErrorReply> {
        let _guard = self.write_lock.lock().await;
        let mut document = serde_json::to_value(self.current()).map_err(|error| unwritable(&error))?;
        change(&mut document);
        let settings = serde_json::from_value(document).map_err(|error| {
            ErrorReply::new(codes::SETTINGS_BAD_VALUE, format!("The settings cannot be changed so: {error}."))
                .hint("Settings that are not mentioned stay as they are; null removes one.")
        })?;
        self.put(settings, named).await
    }

    async fn put(&self, mut settings: Settings, named: Value) -> Result<Settings, ErrorReply> {
        // Saving would overwrite a file that nobody has accepted.
        if let Some(fault) = self.guard_problems.lock().of_file() {
            return Err(fault.clone().into());
        }
        self.refuse_secrets(&mut settings).await?;
        let moved = self.parts.providers.drop_moved_variables(&mut settings.providers);
        let table = self.parts.providers.table().with_settings(&settings.providers)?;
        settings.check()?;
        // Built-in settings are not stored, so that they follow changes of Plait or of the environment.
        let built_in = ProviderRegistry::built_in();
        settings.providers.retain(|name, provider| built_in.get(name) != Some(provider));
        let before = serde_json::to_value(&*self.current.read()).map_err(|error| unwritable(&error))?;
        let stored = serde_json::to_value(&settings).map_err(|error| unwritable(&error))?;
        let change = SettingsChange::new(before, stored.clone(), named);
        // What is in memory changes when the write has succeeded: the next one would lose it.
        let (mut problems, mut unreadable) =
            (self.guard_problems.lock().clone(), self.unreadable.lock().clone());
        problems.settle(&change);
        unreadable.settle(&change);
        if let Value::Object(mut stored) = stored {
            unreadable.merge_into(&mut stored);
            let store = self.parts.store.clone();
            run_blocking(move || Ok(store.put_settings(&stored)?)).await?;
        }
        *self.unreadable.lock() = unreadable;
        self.parts.store.flush().await?;
        self.put_into_force(settings, table, problems).await?;
        self.parts.providers.remember_removed_keys(moved);
        Ok(self.current())
    }

    /// Accepts the settings in the file that `hash` identifies, and puts them into force. `store.changed_outside` if the file has
    /// another content, `store.corrupt` if it cannot be read.
    pub(crate) async fn accept(&self, hash: &str) -> Result<Settings, ErrorReply> {
        let _guard = self.write_lock.lock().await;
        let (store, shown) = (self.parts.store.clone(), hash.to_owned());
        let stored = run_blocking(move || Ok(StoredSettings::of(&store.settings_with_hash(&shown)?))).await?;
        let StoredSettings { settings, unreadable, guard_problems, .. } = stored;
        let table = self.parts.providers.table().with_settings(&settings.providers)?;
        let (store, shown) = (self.parts.store.clone(), hash.to_owned());
        run_blocking(move || Ok(store.accept(GuardedDocument::Settings, &shown)?)).await?;
        *self.unreadable.lock() = unreadable;
        self.put_into_force(settings, table, guard_problems).await?;
        Ok(self.current())
    }

    /// Passes settings on to the services that use them.
    async fn put_into_force(
        &self,
        settings: Settings,
        table: ProviderRegistry,
        problems: GuardProblems,
    ) -> Result<(), ErrorReply> {
        let before = self.parts.providers.table().settings();
        self.parts.calibration.set_overrides(settings.models.clone());
        self.parts.runs.set(settings.values());
        self.set_quotas(&settings).await?;
        self.parts.quotas.set_problem(problems.to_fault());
        *self.guard_problems.lock() = problems;
        self.parts.tools.set_settings(settings.tools.clone());
        self.parts.exporter.set_settings(settings.telemetry.clone());
        // Those that cannot be used are among the problems.
        let _ = self.parts.providers.keys().redaction().set_patterns(&settings.redaction);
        {
            let mut current = self.current.write();
            self.parts.providers.replace_table(table);
            *current = settings;
        }
        self.parts.providers.forget_changed(&before).await;
        Ok(())
    }

    /// Puts the quotas into force, for runs that are under way as well.
    async fn set_quotas(&self, settings: &Settings) -> Result<(), ErrorReply> {
        let bank = Arc::clone(&self.parts.quotas);
        if settings.quotas.day.is_some() {
            let (bank, store, now) = (Arc::clone(&bank), self.parts.store.clone(), self.parts.clock.now_ms());
            run_blocking(move || Ok(count_day(&bank, &store, now)?)).await?;
        }
        bank.set_defaults(settings.quotas.clone());
        Ok(())
    }

    /// Settings are stored as plain text. `settings.holds_secret` if a key is where a person enters something else; what the
    /// window remembers of itself is redacted.
    async fn refuse_secrets(&self, settings: &mut Settings) -> Result<(), ErrorReply> {
        let redaction = self.parts.providers.keys().redaction_with_stored_keys().await;
        redaction.value(&mut settings.panels);
        redaction.value(&mut settings.ui);
        Self::refuse_tool_secrets(settings, &redaction)?;
        let before = self.parts.providers.table().settings();
        for (name, provider) in
            settings.providers.iter().filter(|(name, one)| before.get(*name) != Some(*one))
        {
            let fields = [&provider.key_env, &provider.key_of, &provider.key_header, &provider.base_url];
            let texts = fields.into_iter().flatten().chain(provider.query.values()).chain([name]);
            let names_no_variable =
                provider.key_env.as_deref().is_some_and(|names| !variable_names(names).all(is_variable_name));
            if names_no_variable || texts.into_iter().any(|text| redaction.first_secret(text).is_some()) {
                let name = redaction.text(name);
                let what = format!("A setting of the provider `{name}` is a key, or no name of a variable.");
                return Err(ErrorReply::new(codes::SETTINGS_HOLDS_SECRET, what).hint(
                    "Enter keys in the field for the key, or with `plait keys set`. They are not settings.",
                ));
            }
        }
        Ok(())
    }

    /// `settings.holds_secret` if a secret itself stands where only its name or its variable belongs.
    fn refuse_tool_secrets(settings: &Settings, redaction: &Redaction) -> Result<(), ErrorReply> {
        let tools = &settings.tools;
        let secrets = tools.secrets.iter().flat_map(|(name, secret)| {
            [Some(name), Some(&secret.origin), secret.variable.as_ref()].into_iter().flatten()
        });
        let TelemetrySettings { endpoint, headers_variable, .. } = &settings.telemetry;
        let texts = tools.allowed_hosts.iter().chain(secrets).chain(endpoint).chain(headers_variable);
        let texts = texts.map(String::as_str).chain(settings.config.values().filter_map(Value::as_str));
        if texts.into_iter().any(|text| redaction.first_secret(text).is_some()) {
            let message = "A setting is a key, or contains one.";
            return Err(ErrorReply::new(codes::SETTINGS_HOLDS_SECRET, message)
                .hint("Put the secret into an environment variable, and name that."));
        }
        Ok(())
    }
}

fn unwritable(error: &serde_json::Error) -> ErrorReply {
    ErrorReply::new(codes::SETTINGS_UNWRITABLE, format!("The settings could not be serialized: {error}."))
}
