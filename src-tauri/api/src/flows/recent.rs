//! `flow.recent` and `flow.forget`: the recently opened flows.

use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::FlowService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// A flow that was opened or saved recently.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecentFlow {
    /// The flow's file.
    pub path: String,
    /// The flow's name.
    pub name: String,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub opened_at: u64,
    /// Whether the file no longer exists.
    pub missing: bool,
}

/// `flow.recent`: the recent flows, latest first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListRecent {}

impl Command for ListRecent {
    const NAME: &'static str = "flow.recent";
    type Service = FlowService;
    type Reply = Vec<RecentFlow>;

    async fn run(self, service: &FlowService) -> Result<Vec<RecentFlow>, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || {
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

/// `flow.forget`: removes a flow from the recent ones. The file stays.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForgetFlow {
    /// The flow's file.
    pub path: String,
}

impl Command for ForgetFlow {
    const NAME: &'static str = "flow.forget";
    type Service = FlowService;
    type Reply = ();

    async fn run(self, service: &FlowService) -> Result<(), ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(store.forget_recent(&self.path)?)).await
    }
}
