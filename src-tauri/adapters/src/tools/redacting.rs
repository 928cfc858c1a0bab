//! Redacts secrets from everything tools return or ask: it is journaled, displayed, and sent to a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::tool::{
    KnownServer, SamplingReply, SamplingRequest, ServerAddress, ToolAnswer, ToolHost, ToolInvocation,
    ToolQuestion, ToolRequests, ToolSpec,
};
use serde_json::Value;

use crate::keys::KeyStore;
use crate::redaction::Redaction;

/// Wraps a tool host and redacts its results and faults.
pub struct RedactingTools {
    tools: Arc<dyn ToolHost>,
    redaction: Arc<Redaction>,
}

impl RedactingTools {
    pub fn new(tools: Arc<dyn ToolHost>, keys: &KeyStore) -> Self {
        Self { tools, redaction: Arc::clone(keys.redaction()) }
    }
}

#[async_trait]
impl ToolHost for RedactingTools {
    fn list(&self) -> Vec<ToolSpec> {
        self.tools.list()
    }

    fn servers(&self) -> BTreeMap<String, KnownServer> {
        let mut servers = self.tools.servers();
        for server in servers.values_mut() {
            let (ServerAddress::Command(text) | ServerAddress::Url(text)) = &mut server.address;
            *text = self.redaction.text(text).into_owned();
        }
        servers
    }

    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        let mut tools = self.tools.list_server(server).await.map_err(|fault| self.redaction.fault(fault))?;
        for tool in &mut tools {
            tool.description = self.redaction.text(&tool.description).into_owned();
            self.redaction.value(&mut tool.parameters);
        }
        Ok(tools)
    }

    async fn call(&self, mut call: ToolInvocation) -> Result<Value, Fault> {
        call.requests =
            Arc::new(RedactingRequests { requests: call.requests, redaction: Arc::clone(&self.redaction) });
        let mut result = self.tools.call(call).await.map_err(|fault| self.redaction.fault(fault))?;
        self.redaction.value(&mut result);
        Ok(result)
    }
}

/// Redacts the requests of a tool during a call.
struct RedactingRequests {
    requests: Arc<dyn ToolRequests>,
    redaction: Arc<Redaction>,
}

#[async_trait]
impl ToolRequests for RedactingRequests {
    async fn ask(&self, mut question: ToolQuestion) -> Result<ToolAnswer, Fault> {
        question.message = self.redaction.text(&question.message).into_owned();
        self.redaction.value(&mut question.schema);
        self.requests.ask(question).await
    }

    async fn sample(&self, mut request: SamplingRequest) -> Result<Option<SamplingReply>, Fault> {
        for text in request.system.iter_mut().chain(request.messages.iter_mut().map(|one| &mut one.text)) {
            *text = self.redaction.text(text).into_owned();
        }
        self.requests.sample(request).await
    }
}

#[cfg(test)]
mod tests;
