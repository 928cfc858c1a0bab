//! `app.*`: what this Plait is and where it keeps its things.

use plait_engine::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// What this Plait is.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    /// Its version.
    pub version: String,
    /// The data directory.
    pub home: String,
    /// The names of the model providers, sorted.
    pub providers: Vec<String>,
    /// Whether the offline provider (a simulator) is the only one.
    pub offline_only: bool,
    /// Identifies this start of the application.
    pub session_id: String,
    /// What went wrong at the start that a person should know of, for example runs that could not be listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Fault>>")]
    pub notices: Vec<Fault>,
}

/// `app.info`
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct GetAppInfo {}

impl Command for GetAppInfo {
    const NAME: &'static str = "app.info";
    type Reply = AppInfo;

    async fn run(self, app: &Plait) -> Result<AppInfo, ErrorReply> {
        let providers = app.providers().names();
        Ok(AppInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            home: app.home().display().to_string(),
            offline_only: providers.iter().all(|name| name == "offline"),
            providers,
            session_id: app.session_id().to_owned(),
            notices: app.notices().to_vec(),
        })
    }
}
