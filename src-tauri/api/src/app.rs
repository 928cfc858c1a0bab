//! `app.*`: version, data directory and startup problems.

use plait_adapters::{ProviderRegistry, ProviderSettings};
use plait_core::error::Fault;
use plait_store::GuardedDocument;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::blocking::run_blocking;
use crate::command::Command;
use crate::{ErrorReply, Plait};

/// The running application.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    pub version: String,
    /// The data directory.
    pub home: String,
    /// The names of the model providers, sorted.
    pub providers: Vec<String>,
    /// Whether only the offline provider (a simulator) is set up: no other provider was changed or added in the settings,
    /// and none has its key in the environment.
    pub offline_only: bool,
    /// Identifies this process.
    pub session_id: String,
    /// Problems at startup, for example settings that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Fault>>")]
    pub notices: Vec<Fault>,
}

/// `app.info`: what the application is and how it is set up.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct GetAppInfo {}

/// `app.acceptDocument`: accepts a document that something other than Plait wrote, so that it is used. The settings have
/// `settings.accept`. `store.changed_outside` if the file has another content than the person accepts, `store.corrupt` if it cannot be
/// read.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AcceptDocument {
    /// As the details of `store.changed_outside` have it.
    pub document: GuardedDocument,
    /// What the person accepts, as the details of `store.changed_outside` identify it.
    pub hash: String,
}

impl Command for AcceptDocument {
    const NAME: &'static str = "app.acceptDocument";
    type Service = Plait;
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        let Self { document, hash } = self;
        if document == GuardedDocument::Settings {
            return app.settings().accept(&hash).await.map(drop);
        }
        let store = app.store().clone();
        run_blocking(move || Ok(store.accept(document, &hash)?)).await?;
        if matches!(document, GuardedDocument::McpServers | GuardedDocument::McpTools) {
            app.mcp().reload().await?;
        }
        Ok(())
    }
}

impl Command for GetAppInfo {
    const NAME: &'static str = "app.info";
    type Service = Plait;
    type Reply = AppInfo;

    async fn run(self, app: &Plait) -> Result<AppInfo, ErrorReply> {
        let built_in = ProviderRegistry::built_in();
        let is_set_up = |(name, settings): (&String, &ProviderSettings)| {
            let variables = settings.key_env.as_deref().unwrap_or_default();
            app.providers().keys().is_in_environment(variables) || built_in.get(name) != Some(settings)
        };
        Ok(AppInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            home: app.home().display().to_string(),
            offline_only: !app.settings().current().providers.iter().any(is_set_up),
            providers: app.providers().callable().names(),
            session_id: app.session_id().to_owned(),
            notices: app.notices().to_vec(),
        })
    }
}
