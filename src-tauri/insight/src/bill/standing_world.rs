//! A world that answers nothing new: what is not recorded is waited for, for ever. Nothing is sent, read, started or stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{self, BoxFuture};
use serde_json::Value;

use plait_core::error::Fault;
use plait_core::id::{MemoryId, ReplyKey};
use plait_core::user::UserName;
use plait_run::debugger::Debugger;
use plait_run::host::{Clock, Host};
use plait_run::long_term_memory::{MemoryRecord, MemoryStore, Recall, RecallRequest};
use plait_run::provider::{ChunkSink, ModelReply, ModelRequest, Provider, Providers, SchemaForm};
use plait_run::quota::QuotaChain;
use plait_run::retriever::{Retrieval, RetrievalRequest, Retriever};
use plait_run::tool::{KnownServer, ToolHost, ToolInvocation, ToolSpec};

/// The host with which a fork is rehearsed, in place of this one: the same tools are offered, requests have the same keys, and the same
/// limits hold the tree. No quota does.
pub fn standing_host(host: Host) -> Host {
    Host {
        providers: Arc::new(StandingProviders(host.providers)),
        tools: Arc::new(StandingTools(host.tools)),
        retriever: Arc::new(Standing),
        memories: Arc::new(Standing),
        clock: Arc::new(StandingClock(host.clock)),
        debugger: Debugger::default(),
        quotas: QuotaChain { tree: host.quotas.tree, ..QuotaChain::default() },
        ..host
    }
}

struct Standing;

struct StandingProviders(Arc<dyn Providers>);

impl Providers for StandingProviders {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(StandingProvider(self.0.get(name)?)))
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }
}

struct StandingProvider(Arc<dyn Provider>);

#[async_trait]
impl Provider for StandingProvider {
    async fn call(&self, _: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        future::pending().await
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.0.reply_key(request)
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.0.whole_hash(request)
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
        future::pending().await
    }
}

struct StandingTools(Arc<dyn ToolHost>);

#[async_trait]
impl ToolHost for StandingTools {
    fn list(&self) -> Vec<ToolSpec> {
        self.0.list()
    }

    fn servers(&self) -> BTreeMap<String, KnownServer> {
        self.0.servers()
    }

    async fn list_server(&self, _: &str) -> Result<Vec<ToolSpec>, Fault> {
        future::pending().await
    }

    async fn call(&self, _: ToolInvocation) -> Result<Value, Fault> {
        future::pending().await
    }
}

#[async_trait]
impl Retriever for Standing {
    async fn retrieve(&self, _: RetrievalRequest) -> Result<Retrieval, Fault> {
        future::pending().await
    }
}

#[async_trait]
impl MemoryStore for Standing {
    async fn recall(&self, _: &UserName, _: RecallRequest) -> Result<Recall, Fault> {
        future::pending().await
    }

    async fn remember(&self, _: &UserName, _: Vec<MemoryRecord>) -> Result<(), Fault> {
        Ok(())
    }

    async fn forget(&self, _: &UserName, _: Vec<MemoryId>) -> Result<u64, Fault> {
        future::pending().await
    }
}

/// No time passes: calls that wait must not time out.
struct StandingClock(Arc<dyn Clock>);

impl Clock for StandingClock {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(future::pending())
    }

    fn random(&self) -> f64 {
        0.0
    }
}
