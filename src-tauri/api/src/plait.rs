//! The application: what a command works with. One per process, since one process owns the store.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use plait_adapters::{NativeTools, ProviderTable, Store, SystemClock};
use plait_engine::error::Fault;
use plait_engine::host::{Clock, Host};
use plait_engine::node::Registry;
use plait_engine::provider::Providers;
use plait_engine::tool::ToolHost;

use crate::command::Command;
use crate::commands::settings::Settings;
use crate::dialogs::Dialogs;
use crate::live::LiveRuns;
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
}

impl Options {
    /// Plait as it is, with its data in `home`, without dialogs.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), dialogs: None, providers: None, tools: None }
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
    configured: RwLock<Configured>,
    notices: Vec<Fault>,
    pub(crate) live: LiveRuns,
    /// Held while a run is taken up again.
    pub(crate) taking_up: tokio::sync::Mutex<()>,
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
        let (settings, mut notices) = Settings::load(&store.settings()?);
        let providers = ProviderTable::new(&settings.providers).or_else(|fault| {
            // Settings that make no sense must not lock a person out of mending them.
            notices.push(fault);
            ProviderTable::new(&std::collections::BTreeMap::new())
        })?;
        Ok(Self {
            home: options.home,
            session_id: uuid::Uuid::now_v7().to_string(),
            store,
            registry: Arc::new(plait_engine::nodes::registry()),
            tools: options.tools.unwrap_or_else(|| Arc::new(NativeTools::new())),
            clock: Arc::new(SystemClock),
            dialogs: options.dialogs,
            fixed_providers: options.providers,
            configured: RwLock::new(Configured { settings, providers }),
            notices,
            live: LiveRuns::default(),
            taking_up: tokio::sync::Mutex::default(),
        })
    }

    /// Carries out a command.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply, ErrorReply> {
        command.run(self).await
    }

    /// Stops driving runs, where they are, and resolves when everything is on disk. Each run can be resumed.
    pub async fn close(&self) -> Result<(), ErrorReply> {
        self.live.stop().await;
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
            None => {
                Arc::new(self.configured.read().unwrap_or_else(PoisonError::into_inner).providers.clone())
            }
        }
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
        Host { providers: self.providers(), tools: Arc::clone(&self.tools), clock: Arc::clone(&self.clock) }
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

    /// Replaces the settings, on disk first. Providers that make no sense are refused and nothing changes.
    pub(crate) async fn set_settings(&self, settings: Settings) -> Result<Settings, ErrorReply> {
        let providers = ProviderTable::new(&settings.providers)?;
        let stored = serde_json::to_value(&settings).map_err(|error| {
            ErrorReply::new("settings.unwritable", format!("The settings could not be written: {error}."))
        })?;
        let store = self.store.clone();
        blocking(move || match stored {
            serde_json::Value::Object(map) => Ok(store.put_settings(&map)?),
            _ => Ok(()),
        })
        .await?;
        self.store.flush().await?;
        *self.configured.write().unwrap_or_else(PoisonError::into_inner) = Configured { settings, providers };
        Ok(self.settings())
    }
}
