//! Plait's native tools, one file each, and the host that finds, checks and calls them.
//!
//! A tool never sees arguments that do not match its schema, no tool can access files outside the flow's folders, and none
//! can reach an address that is not public and that the person has not allowed.

mod calculator;
mod current_time;
mod expression;
mod fetch_url;
mod files;
mod identify_user;
mod memory_read;
mod memory_write;
mod read_file;
mod run_code;
mod search_files;
mod tool;
mod write_file;

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::tool::{ToolHost, ToolInvocation, ToolSpec};
use plait_run::host::Clock;
use serde_json::Value;

use super::environment::ToolEnvironment;
use crate::clock::SystemClock;
use crate::codes;
use tool::RegisteredTool;

/// The native tools. Cheap to clone.
#[derive(Clone)]
pub struct NativeTools(Arc<[RegisteredTool]>);

impl NativeTools {
    /// All native tools, with the system's clock.
    pub fn new(environment: &ToolEnvironment) -> Self {
        Self::with_clock(environment, Arc::new(SystemClock))
    }

    pub fn with_clock(environment: &ToolEnvironment, clock: Arc<dyn Clock>) -> Self {
        let files = &environment.files;
        // Sorted by name, which is the order in lists.
        Self(Arc::new([
            RegisteredTool::new(calculator::Calculator),
            RegisteredTool::new(current_time::CurrentTime(Arc::clone(&clock))),
            RegisteredTool::new(fetch_url::FetchUrl(environment.clone())),
            RegisteredTool::new(identify_user::IdentifyUser),
            RegisteredTool::new(memory_read::MemoryRead),
            RegisteredTool::new(memory_write::MemoryWrite(clock)),
            RegisteredTool::new(read_file::ReadFile(files.clone())),
            RegisteredTool::new(run_code::RunCode(environment.clone())),
            RegisteredTool::new(search_files::SearchFiles(files.clone())),
            RegisteredTool::new(write_file::WriteFile::new(files.clone(), environment.flow_guard.clone())),
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
            Fault::new(codes::TOOL_UNKNOWN, format!("There is no tool `{}`.", call.tool.name))
                .hint(format!("Available tools: {}.", names.join(", ")))
        })?;
        tool.check(&call.arguments)?;
        tool.call(call).await
    }
}

#[cfg(test)]
mod tests;
