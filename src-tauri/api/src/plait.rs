//! The application: what a command works with. One per process, since one process owns the store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use plait_adapters::{GuardedTools, KeyStore, NativeTools, ProviderTable, Store, SystemClock};
use plait_engine::error::Fault;
use plait_engine::host::{Clock, Host};
use plait_engine::node::Registry;
use plait_engine::provider::Providers;
use plait_engine::tool::ToolHost;
use serde_json::{Map, Value};

use crate::command::Command;
use crate::dialogs::Dialogs;
use crate::providers::token_calibration::TokenCalibration;
use crate::runs::service::Runner;
use crate::settings::{Settings, Unread};
use crate::{ErrorReply, blocking};

/// How to open Plait.
pub struct Options {
    /// The data directory.
    pub home: PathBuf,
    /// The system's file dialogs, where there is a window.
    pub dialogs: Option<Arc<dyn Dialogs>>,
    /// Model providers in place of those of the settings.
    pub providers: Option<Arc<dyn Providers>>,
    /// Tools in place of Plait's own.
    pub tools: Option<Arc<dyn ToolHost>>,
    /// Keys in place of those of the system's keychain and the data directory.
    pub keys: Option<KeyStore>,
}

impl Options {
    /// Plait as it is, with its data in `home`, without dialogs.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), dialogs: None, providers: None, tools: None, keys: None }
    }
}

/// The application.
pub struct Plait {
    home: PathBuf,
    session_id: String,
    store: Store,
    registry: Arc<Registry>,
    tools: Arc<dyn ToolHost>,
    clock: Arc<dyn Clock>,
    dialogs: Option<Arc<dyn Dialogs>>,
    fixed_providers: Option<Arc<dyn Providers>>,
    keys: KeyStore,
    configured: RwLock<Configured>,
    unread: Unread,
    /// Held while settings are kept: what is in force and what is on disk must be the same.
    setting: tokio::sync::Mutex<()>,
    /// The models of providers that were asked for them.
    models: Mutex<BTreeMap<String, Vec<String>>>,
    notices: Vec<Fault>,
    pub(crate) calibration: Arc<TokenCalibration>,
    pub(crate) runner: Runner,
}

/// What `settings.set` replaces.
struct Configured {
    settings: Settings,
    providers: ProviderTable,
}

impl Plait {
    /// Opens the store and gets everything ready; runs nothing. `store.locked` when another Plait has the data directory,
    /// `store.*` when it can't be read or made.
    pub fn open(options: Options) -> Result<Self, ErrorReply> {
        let store = Store::open(&options.home)?;
        let mut unreadable = None;
        let stored = store.settings().unwrap_or_else(|fault| {
            unreadable = Some(fault);
            Map::new()
        });
        let (mut settings, mut unread, mut notices) = Settings::load(&stored);
        notices.extend(unreadable);
        let keys = options.keys.unwrap_or_else(|| KeyStore::open(&options.home));
        // Settings that make no sense must not lock a person out of mending them.
        settings.providers.retain(|name, set| {
            let refused = ProviderTable::check(name, set);
            if let Err(fault) = refused {
                notices.push(fault);
                unread.keep("providers", name, serde_json::to_value(set).unwrap_or_default());
                return false;
            }
            true
        });
        let providers = ProviderTable::with_keys(&settings.providers, &keys)?;
        let known = store.corrections().unwrap_or_else(|fault| {
            notices.push(fault);
            BTreeMap::new()
        });
        let calibration = Arc::new(TokenCalibration::new(store.clone(), known, settings.models.clone()));
        let registry = Arc::new(plait_engine::nodes::registry());
        let runner = Runner::new(store.clone(), Arc::clone(&registry), Arc::clone(&calibration));
        let tools = options.tools.unwrap_or_else(|| Arc::new(NativeTools::new()));
        Ok(Self {
            home: options.home,
            session_id: uuid::Uuid::now_v7().to_string(),
            store,
            registry,
            tools: Arc::new(GuardedTools::new(tools, &keys)),
            clock: Arc::new(SystemClock),
            dialogs: options.dialogs,
            fixed_providers: options.providers,
            keys,
            configured: RwLock::new(Configured { settings, providers }),
            unread,
            setting: tokio::sync::Mutex::default(),
            models: Mutex::default(),
            notices,
            calibration,
            runner,
        })
    }

    /// Carries out a command.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply, ErrorReply> {
        command.run(self).await
    }

    /// Stops driving runs, where they are, and resolves when everything is on disk. Each run can be resumed.
    pub async fn close(&self) -> Result<(), ErrorReply> {
        self.runner.live.stop().await;
        Ok(self.store.flush().await?)
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Identifies this start of the application.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// What went wrong at the start that a person should know of.
    pub fn notices(&self) -> &[Fault] {
        &self.notices
    }

    /// The node types.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The model providers that a run started now would use.
    pub fn providers(&self) -> Arc<dyn Providers> {
        match &self.fixed_providers {
            Some(fixed) => Arc::clone(fixed),
            None => Arc::new(self.provider_table()),
        }
    }

    /// Where the keys of providers are.
    pub fn keys(&self) -> &KeyStore {
        &self.keys
    }

    /// The providers of the settings.
    pub(crate) fn provider_table(&self) -> ProviderTable {
        self.configured.read().unwrap_or_else(PoisonError::into_inner).providers.clone()
    }

    pub(crate) fn known_models(&self, provider: &str) -> Option<Vec<String>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner).get(provider).cloned()
    }

    pub(crate) fn learn_models(&self, provider: &str, models: &[String]) {
        let mut known = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(provider.to_owned(), models.to_vec());
    }

    pub(crate) fn forget_models(&self, provider: &str) {
        self.models.lock().unwrap_or_else(PoisonError::into_inner).remove(provider);
    }

    /// The store. Everything in it is better asked for by a command.
    pub fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn registry_handle(&self) -> Arc<Registry> {
        Arc::clone(&self.registry)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// The world around a run that begins now.
    pub(crate) fn host(&self) -> Host {
        Host {
            providers: self.providers(),
            tools: Arc::clone(&self.tools),
            clock: Arc::clone(&self.clock),
            subflows: Arc::new(self.runner.clone()),
        }
    }

    pub(crate) fn dialogs(&self) -> Result<&dyn Dialogs, ErrorReply> {
        self.dialogs.as_deref().ok_or_else(|| {
            ErrorReply::new("dialog.unavailable", "There is no window here to show a file dialog in.")
        })
    }

    /// The settings in force: the built-in providers are among them.
    pub(crate) fn settings(&self) -> Settings {
        let configured = self.configured.read().unwrap_or_else(PoisonError::into_inner);
        Settings { providers: configured.providers.settings(), ..configured.settings.clone() }
    }

    /// Replaces the settings, on disk first. Providers that make no sense are refused and nothing changes. The keys of
    /// providers that are no more go with them: one of the same name later may be somewhere else.
    pub(crate) async fn set_settings(&self, mut settings: Settings) -> Result<Settings, ErrorReply> {
        let _turn = self.setting.lock().await;
        let providers = self.provider_table().changed(&settings.providers)?;
        settings.check()?;
        // What is as it is built in is not kept: it follows when Plait, or the environment, changes it.
        let built_in = ProviderTable::built_in();
        settings.providers.retain(|name, set| built_in.get(name) != Some(set));
        let stored = serde_json::to_value(&settings).map_err(|error| {
            ErrorReply::new("settings.unwritable", format!("The settings could not be written: {error}."))
        })?;
        if let Value::Object(mut stored) = stored {
            self.unread.put_back(&mut stored);
            let store = self.store.clone();
            blocking(move || Ok(store.put_settings(&stored)?)).await?;
        }
        self.store.flush().await?;
        let (before, now) = (self.provider_table().settings(), providers.settings());
        self.calibration.set_notes(settings.models.clone());
        *self.configured.write().unwrap_or_else(PoisonError::into_inner) = Configured { settings, providers };
        for (name, _) in before.iter().filter(|(name, set)| now.get(*name) != Some(set)) {
            self.forget_models(name);
            if !now.contains_key(name) {
                // A place that can't be read gives the key to nobody either.
                let _ = self.keys.remove(name).await;
            }
        }
        Ok(self.settings())
    }
}
