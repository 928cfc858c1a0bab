//! `tools.*`: the tools that every flow can offer to models.

use std::sync::Arc;

use plait_llm::tool::{ToolEffect, ToolHost, ToolSpec};
use plait_run::node::Registry;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

/// Knows the tools.
pub struct ToolService {
    host: Arc<dyn ToolHost>,
    registry: Arc<Registry>,
}

impl ToolService {
    pub(crate) fn new(host: Arc<dyn ToolHost>, registry: Arc<Registry>) -> Self {
        Self { host, registry }
    }
}

/// A tool, for a list to choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolSummary {
    /// Its name in flows.
    pub name: String,
    /// What it does, as models read it.
    pub description: String,
    /// What a call changes.
    pub effect: ToolEffect,
}

/// Plait's own tools, sorted by name.
fn own_tools(host: &dyn ToolHost, registry: &Registry) -> Vec<ToolSpec> {
    let native = host.list().into_iter().filter(|tool| tool.source == "native");
    let mut own: Vec<_> = native.chain(registry.tools().iter().cloned()).collect();
    own.sort_by(|left, right| left.name.cmp(&right.name));
    own
}

/// `tools.list`: Plait's own tools, sorted by name. Starts nothing.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListTools {}

impl Command for ListTools {
    const NAME: &'static str = "tools.list";
    type Service = ToolService;
    type Reply = Vec<ToolSummary>;

    async fn run(self, service: &ToolService) -> Result<Vec<ToolSummary>, ErrorReply> {
        let summary = own_tools(&*service.host, &service.registry).into_iter().map(|tool| ToolSummary {
            name: tool.name,
            description: tool.description,
            effect: tool.effect,
        });
        Ok(summary.collect())
    }
}
