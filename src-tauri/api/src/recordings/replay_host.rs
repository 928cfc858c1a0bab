//! The host of a replay: requests have the same keys and the same tools are offered as when the run was recorded, and nothing leaves
//! the process. A request that gets here is none that is recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use plait_adapters::ProviderRegistry;
use plait_core::error::Fault;
use plait_core::id::{MemoryId, ReplyKey};
use plait_core::user::UserName;
use plait_run::codes::RUN_NOT_RECORDED;
use plait_run::host::Host;
use plait_run::long_term_memory::{MemoryRecord, MemoryStore, Recall, RecallRequest};
use plait_run::provider::{ChunkSink, ModelReply, ModelRequest, Provider, Providers, SchemaForm};
use plait_run::retriever::{Retrieval, RetrievalRequest, Retriever};
use plait_run::tool::{KnownServer, ToolHost, ToolInvocation, ToolSpec};
use serde_json::Value;

use super::content::About;
use crate::ErrorReply;

/// The host with which a recording is replayed, in place of this one.
pub(crate) fn replay_host(host: Host, about: &About) -> Result<Host, ErrorReply> {
    let recorded = ProviderRegistry::new(&about.providers)?;
    let names = about.providers.keys().cloned().collect();
    Ok(Host {
        providers: Arc::new(ReplayedProviders { recorded, names, others: host.providers }),
        tools: Arc::new(ReplayedTools { servers: about.servers.clone(), host: host.tools }),
        retriever: Arc::new(Nothing),
        memories: Arc::new(Nothing),
        ..host
    })
}

fn not_recorded(what: &str) -> Fault {
    Fault::new(RUN_NOT_RECORDED, format!("{what} is not recorded, and a replay asks nobody."))
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
        let provider = if is_recorded { self.recorded.get(name)? } else { self.others.get(name)? };
        Ok(Arc::new(ReplayedProvider(provider)))
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.others.names();
        names.extend(self.names.iter().cloned());
        names.sort();
        names.dedup();
        names
    }
}

struct ReplayedProvider(Arc<dyn Provider>);

#[async_trait]
impl Provider for ReplayedProvider {
    async fn call(&self, _: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        Err(not_recorded("The reply to this prompt"))
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.0.reply_key(request)
    }

    fn returns_reasoning(&self) -> bool {
        self.0.returns_reasoning()
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        self.0.schema_form(request)
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        self.0.takes_attachment(media_type)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Err(not_recorded("The list of models"))
    }
}

struct ReplayedTools {
    servers: BTreeMap<String, Vec<ToolSpec>>,
    host: Arc<dyn ToolHost>,
}

#[async_trait]
impl ToolHost for ReplayedTools {
    fn list(&self) -> Vec<ToolSpec> {
        self.host.list()
    }

    fn servers(&self) -> BTreeMap<String, KnownServer> {
        self.host.servers()
    }

    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        let recorded = self.servers.get(server).cloned();
        recorded.ok_or_else(|| not_recorded(&format!("The MCP server `{server}`")))
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        Err(not_recorded(&format!("This call of `{}`", call.tool.name)))
    }
}

struct Nothing;

#[async_trait]
impl Retriever for Nothing {
    async fn retrieve(&self, _: RetrievalRequest) -> Result<Retrieval, Fault> {
        Err(not_recorded("This search"))
    }
}

#[async_trait]
impl MemoryStore for Nothing {
    async fn recall(&self, _: &UserName, _: RecallRequest) -> Result<Recall, Fault> {
        Err(not_recorded("What is recalled here"))
    }

    /// A replay adds nothing to what is known of the person here.
    async fn remember(&self, _: &UserName, _: Vec<MemoryRecord>) -> Result<(), Fault> {
        Ok(())
    }

    async fn forget(&self, _: &UserName, _: Vec<MemoryId>) -> Result<u64, Fault> {
        Err(not_recorded("What is forgotten here"))
    }
}
