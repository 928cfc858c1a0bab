//! `hosts.preview` and `hosts.publish`: a flow of this machine as the next version of what a host serves.

use std::sync::Arc;

use plait_core::flow::Flow;
use plait_insight::flow_diff::FlowDiff;
use plait_run::node::Registry;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::host_commands::{PublishFlow, PublishedVersion, ReadPublished, VersionedFlow};
use super::remote_host::RemoteHost;
use super::service::HostService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::{SaveFlow, bundle_flow};

/// `hosts.preview`: what publishing a flow on a host would replace. `subflow.*`, `published.bad_name`, `hosts.*`, and the errors of the host.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewPublication {
    pub host: String,
    /// The name to publish it under. Without one, that of its file, or its own.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
    pub flow: Flow,
    /// Its file, for its sub-flows.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// Whether that file is on the host, which finds the sub-flows there.
    #[serde(default)]
    pub is_on_host: bool,
}

/// A flow as it would be published, and what is served under its name.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct PublicationPreview {
    pub name: String,
    /// The flow with its sub-flows.
    pub flow: Flow,
    /// Nothing if the name is new there.
    pub served: Option<VersionedFlow>,
    /// From what is served to the flow.
    pub difference: Option<FlowDiff>,
}

impl Command for PreviewPublication {
    const NAME: &'static str = "hosts.preview";
    type Service = HostService;
    type Reply = PublicationPreview;

    async fn run(self, service: &HostService) -> Result<PublicationPreview, ErrorReply> {
        let Self { host, name, flow, path, is_on_host } = self;
        let name = name.unwrap_or_else(|| publication_name(path.as_deref().unwrap_or(&flow.name)));
        let flow = if is_on_host { flow } else { bundled(service, flow, path).await? };
        let read = ReadPublished { name: name.clone(), version: None };
        let served = match service.connection(&host).await?.execute(read).await {
            Ok(served) => Some(served),
            Err(error) if error.code == codes::PUBLISHED_UNKNOWN => None,
            Err(error) => {
                service.note_error(&host, &error);
                return Err(error);
            }
        };
        let difference = served.as_ref().map(|served| FlowDiff::between(&served.flow, &flow));
        Ok(PublicationPreview { name, flow, served, difference })
    }
}

/// The name under which a flow is published unless another one is given: that of its file without what says that it is one.
pub fn publication_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let endings = [".flow.json", ".yaml", ".yml", ".json"];
    let name = endings.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    let words = name.split(|char: char| !(char.is_ascii_alphanumeric() || "-_.".contains(char)));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// `hosts.publish`: sends a flow with its sub-flows to a host, which serves it as the next version under a name. `flow.invalid` if the host
/// cannot run it, `host.forbidden`, and the errors of `hosts.preview`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct PublishOnHost {
    pub host: String,
    /// The name to publish it under.
    pub name: String,
    pub flow: Flow,
    /// Its file, for its sub-flows.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

impl Command for PublishOnHost {
    const NAME: &'static str = "hosts.publish";
    type Service = HostService;
    type Reply = PublishedVersion;

    async fn run(self, service: &HostService) -> Result<PublishedVersion, ErrorReply> {
        let Self { host, name, flow, path } = self;
        let flow = bundled(service, flow, path).await?;
        let published = service.connection(&host).await?.publish(name, flow).await;
        published.inspect_err(|error| service.note_error(&host, error))
    }
}

async fn bundled(service: &HostService, flow: Flow, path: Option<String>) -> Result<Flow, ErrorReply> {
    let registry: Arc<Registry> = Arc::clone(&service.registry);
    run_blocking(move || bundle_flow(flow, path.as_deref(), &registry)).await
}

impl RemoteHost {
    /// Stores a flow that has its sub-flows in it in the folder of the host, and serves it as the next version.
    pub(crate) async fn publish(&self, name: String, flow: Flow) -> Result<PublishedVersion, ErrorReply> {
        let path = format!("{name}.flow.json");
        let save = SaveFlow { path: path.clone(), flow, base_hash: None, force: true, source: None };
        self.call(SaveFlow::NAME, &save).await?;
        self.execute(PublishFlow { name, path }).await
    }
}

#[cfg(test)]
mod tests;
