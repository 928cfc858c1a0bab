//! Redacts secrets from everything tools return: results are journaled, displayed, and sent to a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::tool::{KnownServer, ServerAddress, ToolHost, ToolInvocation, ToolSpec};
use serde_json::Value;

use crate::keys::KeyStore;
use crate::redaction::Redaction;

/// Wraps a tool host and redacts its results and faults.
pub struct RedactingTools {
    tools: Arc<dyn ToolHost>,
    redaction: Arc<Redaction>,
}

impl RedactingTools {
    /// Redacts what the redaction of `keys` knows.
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

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let mut result = self.tools.call(call).await.map_err(|fault| self.redaction.fault(fault))?;
        self.redaction.value(&mut result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests;
