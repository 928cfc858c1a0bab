//! A world in which nobody is asked. The same tools are offered and requests have the same keys as in the open one, but nothing is sent,
//! read, started or stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::Host;
use plait_core::error::Fault;
use plait_core::id::{MemoryId, ReplyKey};
use plait_core::user::UserName;
use plait_llm::long_term_memory::{MemoryRecord, MemoryStore, Recall, RecallRequest};
use plait_llm::provider::{
    ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider, Providers, SchemaForm,
};
use plait_llm::retriever::{Retrieval, RetrievalRequest, Retriever};
use plait_llm::tool::{KnownServer, ToolHost, ToolInvocation, ToolSpec};

/// What becomes of a question to a closed world.
#[async_trait]
pub trait Refusal: Send + Sync {
    /// The fault that the question gets; does not return if it is to wait for ever. `asked` begins a sentence: "The reply to this
    /// prompt".
    async fn refuse(&self, asked: &str) -> Fault;
}

impl Host {
    /// The same with its world closed. Attachments, the clock and sub-flows are what they were.
    #[must_use]
    pub fn with_closed_world(self, refusal: Arc<dyn Refusal>) -> Self {
        Self {
            providers: Arc::new(Closed { open: self.providers, refusal: refusal.clone() }),
            tools: Arc::new(Closed { open: self.tools, refusal: refusal.clone() }),
            retriever: Arc::new(Closed { open: (), refusal: refusal.clone() }),
            memories: Arc::new(Closed { open: (), refusal }),
            ..self
        }
    }
}

/// Says of itself what `open` does, and refuses what is asked.
struct Closed<T> {
    open: T,
    refusal: Arc<dyn Refusal>,
}

impl Providers for Closed<Arc<dyn Providers>> {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::new(Closed { open: self.open.get(name)?, refusal: self.refusal.clone() }))
    }

    fn names(&self) -> Vec<String> {
        self.open.names()
    }
}

#[async_trait]
impl Provider for Closed<Arc<dyn Provider>> {
    async fn call(&self, _: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        Err(self.refusal.refuse("The reply to this prompt").await)
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.open.reply_key(request)
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.open.whole_hash(request)
    }

    fn message_form(&self) -> String {
        self.open.message_form()
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        self.open.http_request(request)
    }

    fn returns_reasoning(&self) -> bool {
        self.open.returns_reasoning()
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        self.open.schema_form(request)
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        self.open.takes_attachment(media_type)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Err(self.refusal.refuse("The list of models").await)
    }
}

#[async_trait]
impl ToolHost for Closed<Arc<dyn ToolHost>> {
    fn list(&self) -> Vec<ToolSpec> {
        self.open.list()
    }

    fn servers(&self) -> BTreeMap<String, KnownServer> {
        self.open.servers()
    }

    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        Err(self.refusal.refuse(&format!("The MCP server `{server}`")).await)
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        Err(self.refusal.refuse(&format!("This call of `{}`", call.tool.name)).await)
    }
}

#[async_trait]
impl Retriever for Closed<()> {
    async fn retrieve(&self, _: RetrievalRequest) -> Result<Retrieval, Fault> {
        Err(self.refusal.refuse("This search").await)
    }
}

#[async_trait]
impl MemoryStore for Closed<()> {
    async fn recall(&self, _: &UserName, _: RecallRequest) -> Result<Recall, Fault> {
        Err(self.refusal.refuse("What is recalled here").await)
    }

    /// Nothing is added to what is known of the person.
    async fn remember(&self, _: &UserName, _: Vec<MemoryRecord>) -> Result<(), Fault> {
        Ok(())
    }

    async fn forget(&self, _: &UserName, _: Vec<MemoryId>) -> Result<u64, Fault> {
        Err(self.refusal.refuse("What is forgotten here").await)
    }
}

#[cfg(test)]
mod tests;
