//! `memory_read`: finds something in the long-term memory of the run's user.

use plait_core::error::Fault;
use plait_llm::long_term_memory::{
    DEFAULT_RECALLED, MAX_RECALLED, MemoryKind, MemoryRecord, READ_TOOL, RecallRequest, civil_date,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool::{CallContext, NativeTool};

pub(super) struct MemoryRead;

/// The arguments of `memory_read`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// What to look for, in plain words. If empty, the newest memories.
    #[serde(default)]
    query: String,
    /// Only memories of these kinds: facts are statements, episodes what happened, procedures how to do something.
    #[serde(default)]
    kinds: Vec<MemoryKind>,
    /// Maximum number of memories, 8 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
}

impl NativeTool for MemoryRead {
    type Arguments = Arguments;
    const NAME: &'static str = READ_TOOL;
    const DESCRIPTION: &'static str = "Searches what is known about the user from earlier conversations: facts, episodes and \
        procedures. Sees the memory of the current user alone.";

    async fn call(&self, arguments: Arguments, context: CallContext) -> Result<Value, Fault> {
        let Arguments { query, kinds, limit } = arguments;
        let limit = limit.unwrap_or(DEFAULT_RECALLED).min(MAX_RECALLED);
        let recall =
            context.memories.recall(&context.site.user, RecallRequest { query, kinds, limit }).await?;
        recall.origins().iter().cloned().for_each(|origin| context.origins.add(origin));
        let memories: Vec<Value> = recall.memories.iter().map(for_model).collect();
        Ok(json!({ "memories": memories, "more": recall.more }))
    }
}

/// The fields of a memory that a model needs.
fn for_model(memory: &MemoryRecord) -> Value {
    let content = &memory.content;
    let mut shown = json!({
        "id": memory.id,
        "kind": content.kind,
        "text": content.text,
        "date": civil_date(memory.at),
    });
    if !content.steps.is_empty() {
        shown["steps"] = json!(content.steps);
    }
    shown
}
