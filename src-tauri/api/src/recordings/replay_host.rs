//! The host of a replay: requests have the same keys and the same tools are offered as when the run was recorded, and nothing leaves
//! the process. A request that gets here is none that is recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use plait_adapters::ProviderRegistry;
use plait_core::error::Fault;
use plait_llm::provider::{Provider, Providers};
use plait_llm::tool::{KnownServer, ToolHost, ToolInvocation, ToolSpec};
use plait_run::codes::RUN_NOT_RECORDED;
use plait_run::host::{Host, Refusal};
use serde_json::Value;

use super::content::About;
use super::listed_servers::ListedServers;
use crate::ErrorReply;

/// The host with which a recording is replayed, in place of this one.
pub(crate) fn replay_host(host: Host, about: &About) -> Result<Host, ErrorReply> {
    let recorded = ProviderRegistry::new(&about.providers)?;
    let names = about.providers.keys().cloned().collect();
    let providers = Arc::new(ReplayedProviders { recorded, names, others: host.providers });
    let host = Host { providers, ..host }.with_closed_world(Arc::new(NotRecorded));
    Ok(Host { tools: Arc::new(ReplayedTools { servers: about.servers.clone(), others: host.tools }), ..host })
}

/// The host with which a run of the store is replayed: the servers that it listed offer what they offered, and none is started.
pub(crate) fn with_listed_servers(host: Host, servers: ListedServers) -> Host {
    let others = host.clone().with_closed_world(Arc::new(NotRecorded)).tools;
    Host { tools: Arc::new(ReplayedTools { servers: servers.0, others }), ..host }
}

struct NotRecorded;

#[async_trait]
impl Refusal for NotRecorded {
    async fn refuse(&self, asked: &str) -> Fault {
        Fault::new(RUN_NOT_RECORDED, format!("{asked} is not recorded, and a replay asks nobody."))
    }
}

struct ReplayedProviders {
    recorded: ProviderRegistry,
    /// Those of the recording. Others are those of this machine.
    names: Vec<String>,
    others: Arc<dyn Providers>,
}

impl Providers for ReplayedProviders {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        let is_recorded = self.names.iter().any(|recorded| recorded == name);
        if is_recorded { self.recorded.get(name) } else { self.others.get(name) }
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.others.names();
        names.extend(self.names.iter().cloned());
        names.sort();
        names.dedup();
        names
    }
}

struct ReplayedTools {
    /// The tools of the recorded servers.
    servers: BTreeMap<String, Vec<ToolSpec>>,
    others: Arc<dyn ToolHost>,
}

#[async_trait]
impl ToolHost for ReplayedTools {
    fn list(&self) -> Vec<ToolSpec> {
        self.others.list()
    }

    fn servers(&self) -> BTreeMap<String, KnownServer> {
        self.others.servers()
    }

    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        match self.servers.get(server) {
            Some(tools) => Ok(tools.clone()),
            None => self.others.list_server(server).await,
        }
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        self.others.call(call).await
    }
}
