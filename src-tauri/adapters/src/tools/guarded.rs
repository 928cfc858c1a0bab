//! Tools whose words are freed of keys, whatever they read them from: what a tool says is journaled, shown, and sent on
//! to a model.

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::tool::{ToolHost, ToolInvocation, ToolSpec};
use serde_json::Value;

use crate::keys::{KeyStore, Redaction};

/// Tools, and what to take out of all they say: the keys that this process has had in hand.
pub struct GuardedTools {
    tools: Arc<dyn ToolHost>,
    redaction: Arc<Redaction>,
}

impl GuardedTools {
    /// These tools, without the keys of `keys`.
    pub fn new(tools: Arc<dyn ToolHost>, keys: &KeyStore) -> Self {
        Self { tools, redaction: Arc::clone(keys.redaction()) }
    }
}

#[async_trait]
impl ToolHost for GuardedTools {
    fn list(&self) -> Vec<ToolSpec> {
        self.tools.list()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let mut result = self.tools.call(call).await.map_err(|fault| self.redaction.fault(fault))?;
        if !self.redaction.is_idle() {
            self.redaction.value(&mut result);
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests;
