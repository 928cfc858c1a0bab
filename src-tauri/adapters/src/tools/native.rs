//! Plait's native tools, one file each, and the host that finds, checks and calls them.
//!
//! A tool never sees arguments that do not match its schema, and no tool can access anything outside the flow's folder.

mod calculator;
mod current_time;
mod expression;
mod read_file;
mod tool;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::host::Clock;
use plait_engine::tool::{ToolHost, ToolInvocation, ToolSpec};
use serde_json::Value;

use crate::clock::SystemClock;
use crate::project_files::FileAccess;
use tool::RegisteredTool;

/// The native tools: `calculator`, `current_time`, `read_file`. Cheap to clone.
#[derive(Clone)]
pub struct NativeTools(Arc<[RegisteredTool]>);

impl NativeTools {
    /// All native tools, with the system's clock. `access` says which files they may read.
    pub fn new(access: FileAccess) -> Self {
        Self::with_clock(access, Arc::new(SystemClock))
    }

    /// All native tools, with another clock.
    pub fn with_clock(access: FileAccess, clock: Arc<dyn Clock>) -> Self {
        // Sorted by name, which is the order in lists.
        Self(Arc::new([
            RegisteredTool::new(calculator::Calculator),
            RegisteredTool::new(current_time::CurrentTime(clock)),
            RegisteredTool::new(read_file::ReadFile(access)),
        ]))
    }
}

#[async_trait]
impl ToolHost for NativeTools {
    fn list(&self) -> Vec<ToolSpec> {
        self.0.iter().map(|tool| tool.spec.clone()).collect()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let tool = self.0.iter().find(|tool| tool.spec.name == call.tool.name).ok_or_else(|| {
            let names: Vec<_> = self.0.iter().map(|tool| format!("`{}`", tool.spec.name)).collect();
            Fault::new(ErrorCode::ToolUnknown, format!("There is no tool `{}`.", call.tool.name))
                .hint(format!("Available tools: {}.", names.join(", ")))
        })?;
        tool.check(&call.arguments)?;
        tool.call(call).await
    }
}

#[cfg(test)]
mod tests;
