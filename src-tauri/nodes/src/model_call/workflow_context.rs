//! The tool `get_workflow_context`, which the engine answers itself: the workflow's memory, from the same data as the memory
//! block, and optionally a turn to be added to it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{ENGINE_SOURCE, MemoryAccess};
use crate::codes;
use plait_core::error::Fault;
use plait_llm::memory::{MemoryChange, WORKFLOW_MEMORY_TOOLS};
use plait_llm::tool::ToolSpec;
use plait_run::node::NodeContext;

/// The longest turn that a model may add, in bytes. Every reader gets it with every call.
const MAX_APPEND_BYTES: usize = 16_384;

/// The arguments of a call.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    append: Option<Append>,
}

/// A turn to be added.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Append {
    text: String,
    #[serde(default)]
    label: Option<String>,
}

/// How models see it, by both of its names.
pub(super) fn tools() -> [ToolSpec; 2] {
    WORKFLOW_MEMORY_TOOLS.map(|name| ToolSpec::new(name, DESCRIPTION, parameters(), ENGINE_SOURCE))
}

const DESCRIPTION: &str = "Reads the memory that the nodes of this workflow share: a summary of what was said before, the \
    recent turns and the iteration. Can add one turn to it.";

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "append": {
                "type": "object",
                "description": "A turn to add to the memory, for all who read it later.",
                "properties": {
                    "text": { "type": "string", "description": "What to add." },
                    "label": { "type": "string", "description": "Who says it. By default, you." },
                },
                "required": ["text"],
                "additionalProperties": false,
            },
        },
        "additionalProperties": false,
    })
}

impl MemoryAccess<'_> {
    /// The answer to a call of an engine tool. Adds what the call asks to add: also when the answer is already journaled, since
    /// a node that starts again starts without its changes.
    pub(crate) fn answer(&self, arguments: &Value, model: &str) -> Result<Value, Fault> {
        let arguments = match arguments {
            Value::Null => Arguments::default(),
            arguments => Arguments::deserialize(arguments).map_err(|error| {
                Fault::new(
                    codes::TOOL_BAD_ARGUMENTS,
                    format!("The arguments of `{}` are invalid: {error}.", WORKFLOW_MEMORY_TOOLS[0]),
                )
            })?,
        };
        let appended = arguments.append.is_some();
        if let Some(Append { text, label }) = arguments.append {
            self.append(text, label, model)?;
        }
        let context = self.tool_context();
        let mut answer = json!({
            "summary": context.workflow_summary,
            "recentTurns": context.recent_turns,
            "round": context.round,
        });
        if appended {
            answer["appended"] = true.into();
        }
        Ok(answer)
    }

    fn append(&self, text: String, label: Option<String>, model: &str) -> Result<(), Fault> {
        if !self.mode().writes() {
            let message = "This node may read the workflow's memory and not add to it.";
            return Err(Fault::new(codes::MEMORY_READ_ONLY, message)
                .hint("Set the node's `memory.mode` to `readWrite`."));
        }
        if text.trim().is_empty() || text.len() > MAX_APPEND_BYTES {
            let message = format!("`append.text` must have from 1 to {MAX_APPEND_BYTES} bytes.");
            return Err(Fault::new(codes::TOOL_BAD_ARGUMENTS, message));
        }
        let turn = self.turn(label, text, None, model);
        self.change(MemoryChange { turns: vec![turn], ..MemoryChange::default() });
        Ok(())
    }
}

/// Refuses a call that would offer a tool for a memory that the node may not read.
pub(crate) fn check_offer(tools: &[ToolSpec], node_context: &NodeContext) -> Result<(), Fault> {
    let Some(tool) = tools
        .iter()
        .find(|tool| tool.source == ENGINE_SOURCE && WORKFLOW_MEMORY_TOOLS.contains(&tool.name.as_str()))
    else {
        return Ok(());
    };
    if node_context.memory_mode.reads() {
        return Ok(());
    }
    let message =
        format!("The tool `{}` reads the workflow's memory, and this node has no access to it.", tool.name);
    Err(Fault::new(codes::MEMORY_OFF, message)
        .hint("Set the node's `memory.mode` to `read` or `readWrite`, or do not offer the tool to it."))
}
