//! `hosts.run`.

use plait_core::id::RunId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::HostService;
use crate::ErrorReply;
use crate::command::Command;

/// `hosts.run`: begins a run of a flow that a host serves, and answers at once. `published.unknown`, `command.arguments` for a text that the
/// flow does not take, `hosts.*`, and the errors of the host.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RunPublished {
    pub host: String,
    /// The name under which the flow is published.
    pub name: String,
    /// The text input of the run.
    #[serde(default)]
    #[ts(optional)]
    pub input: Option<String>,
}

/// The run that a host began.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RunOnHost {
    pub run: RunId,
}

/// What the host is sent.
#[derive(Serialize)]
struct Request {
    input: Option<String>,
}

impl Command for RunPublished {
    const NAME: &'static str = "hosts.run";
    type Service = HostService;
    type Reply = RunOnHost;

    async fn run(self, service: &HostService) -> Result<RunOnHost, ErrorReply> {
        let host = service.connection(&self.host).await?;
        let begun = host.run_published(&self.name, &Request { input: self.input }).await;
        let run = begun.inspect_err(|error| service.note_error(&self.host, error))?;
        Ok(RunOnHost { run })
    }
}
