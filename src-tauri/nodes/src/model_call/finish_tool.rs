//! The tool `finish`, which the engine answers itself: a model ends the loop around its node with it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::ENGINE_SOURCE;
use crate::codes;
use plait_core::error::Fault;
use plait_llm::tool::ToolSpec;
use plait_run::node::NodeContext;

pub(crate) const FINISH: &str = "finish";

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    /// For people who read the run.
    #[serde(rename = "reason")]
    _reason: Option<String>,
}

/// How models see it.
pub(super) fn finish_tool() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "reason": { "type": "string", "description": "Why the work is done." },
        },
        "additionalProperties": false,
    });
    ToolSpec::new(
        FINISH,
        "Ends the loop that this step is part of. Call it when the work is done, then answer.",
        parameters,
        ENGINE_SOURCE,
    )
}

/// The answer to a call. The loop ends when its iteration is over and the node has succeeded.
pub(super) fn answer(arguments: &Value, node_context: &NodeContext) -> Result<Value, Fault> {
    if !arguments.is_null()
        && let Err(error) = Arguments::deserialize(arguments)
    {
        let message = format!("The arguments of `{FINISH}` are invalid: {error}.");
        return Err(Fault::new(codes::TOOL_BAD_ARGUMENTS, message));
    }
    if !node_context.is_in_loop() {
        return Err(Fault::new(
            codes::LOOP_NONE,
            "There is no loop around this node that could be finished.",
        )
        .hint("Answer without calling this tool."));
    }
    Ok(json!({ "finishes": true }))
}
