//! `flow.recent` and `flow.forget`: flows opened before.

use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

/// A flow that was opened before.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecentFlow {
    /// Its file.
    pub path: String,
    /// Its name.
    pub name: String,
    /// When it was last opened, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub opened_at: u64,
    /// Whether the file is gone.
    pub missing: bool,
}

/// `flow.recent`: the latest first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListRecent {}

/// `flow.forget`: takes a flow off the recent ones; the file stays.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForgetFlow {
    /// Its file.
    pub path: String,
}

impl Command for ListRecent {
    const NAME: &'static str = "flow.recent";
    type Reply = Vec<RecentFlow>;

    async fn run(self, app: &Plait) -> Result<Vec<RecentFlow>, ErrorReply> {
        let store = app.store().clone();
        blocking(move || {
            let recent = store.recent_flows()?.into_iter().map(|flow| RecentFlow {
                missing: !Path::new(&flow.path).is_file(),
                path: flow.path,
                name: flow.name,
                opened_at: flow.opened_at,
            });
            Ok(recent.collect())
        })
        .await
    }
}

impl Command for ForgetFlow {
    const NAME: &'static str = "flow.forget";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        let store = app.store().clone();
        blocking(move || Ok(store.forget_recent(&self.path)?)).await
    }
}
