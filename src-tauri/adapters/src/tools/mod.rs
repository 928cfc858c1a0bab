//! Plait's own tools, one file each, and the host that finds, checks and calls them.

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::tool::{ToolHost, ToolInvocation, ToolSpec};
use serde_json::Value;

/// The native tools: `calculator`, `current_time`, `read_file`.
#[derive(Clone)]
pub struct NativeTools;

impl NativeTools {
    /// All of them.
    pub fn new() -> Self {
        Self
    }
}

impl Default for NativeTools {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ToolHost for NativeTools {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }
    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        Err(Fault::new("tool.unknown", format!("being written ({call:?})")))
    }
}
