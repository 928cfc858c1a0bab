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
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "sk-0123456789abcdef";

    /// Says the key, or fails with it.
    struct Tattler;

    #[async_trait]
    impl ToolHost for Tattler {
        fn list(&self) -> Vec<ToolSpec> {
            Vec::new()
        }

        async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
            match call.name.as_str() {
                "tell" => Ok(json!({ "lines": [format!("KEY={KEY}")] })),
                _ => Err(Fault::new("tool.failed", format!("no such file: {KEY}"))),
            }
        }
    }

    fn call(tools: &GuardedTools, name: &str) -> Result<Value, Fault> {
        let call = ToolInvocation { name: name.to_owned(), arguments: json!({}), folder: None };
        futures::executor::block_on(tools.call(call))
    }

    #[test]
    fn a_key_that_a_tool_comes_upon_is_not_passed_on() {
        let keys = KeyStore::in_memory();
        let tools = GuardedTools::new(Arc::new(Tattler), &keys);
        keys.give("openai", KEY).expect("given");
        assert_eq!(call(&tools, "tell").expect("told"), json!({ "lines": ["KEY=[key of openai]"] }));
        assert_eq!(call(&tools, "fail").expect_err("failed").message, "no such file: [key of openai]");
    }
}
