//! `memory_write`: stores something in the long-term memory of the run's user. A memory's id follows from the call, so that a
//! further attempt of it stores nothing twice.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::MemoryId;
use plait_llm::long_term_memory::{MemoryContent, MemoryKind, MemoryRecord};
use plait_llm::tool::ToolEffect;
use plait_run::host::Clock;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool::{CallContext, NativeTool};

pub(super) struct MemoryWrite(pub(super) Arc<dyn Clock>);

/// The arguments of `memory_write`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A fact is a statement, an episode a summary of what happened, a procedure a name with steps.
    #[serde(default)]
    kind: MemoryKind,
    /// The statement, the summary, or the name of the procedure, understandable without this conversation.
    text: String,
    /// The steps of a procedure, in order.
    #[serde(default)]
    steps: Vec<String>,
    /// The id of an outdated memory, from `memory_read`, that this one takes the place of.
    #[serde(default)]
    replaces: Option<String>,
}

impl NativeTool for MemoryWrite {
    type Arguments = Arguments;
    const NAME: &'static str = "memory_write";
    const DESCRIPTION: &'static str = "Stores something about the user for later conversations: a fact, an episode or a \
        procedure. Store only what will still be useful then.";
    const EFFECT: ToolEffect = ToolEffect::Write;

    async fn call(&self, arguments: Arguments, context: CallContext) -> Result<Value, Fault> {
        let Arguments { kind, text, steps, replaces } = arguments;
        let checked = MemoryContent { kind, text, steps }.checked()?;
        let site = &context.site;
        let record = MemoryRecord::of_run(&site.key, checked, site.source.clone(), self.0.now_ms());
        let record = MemoryRecord { origins: site.origins.clone(), ..record };
        let id = record.id.clone();
        context.memories.remember(&site.user, vec![record]).await?;
        let replaced = match replaces.map(MemoryId::from).filter(|old| *old != id) {
            Some(old) => context.memories.forget(&site.user, vec![old]).await?,
            None => 0,
        };
        Ok(json!({ "id": id, "replaced": replaced }))
    }
}
