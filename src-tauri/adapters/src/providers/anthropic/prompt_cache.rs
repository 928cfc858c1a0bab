//! Cache breakpoints: up to where the provider may cache the prompt. They are at the end of the tools, of the instructions,
//! and of the history before the newest message, so that each turn reuses what the turns before it cached; and within a turn
//! after its tool results, so that each step reuses the steps before it. The protocol allows four breakpoints.

use serde_json::{Value, json};

/// Puts a breakpoint on the last of these tools or blocks. Returns false if there is none.
pub(super) fn mark_last(blocks: &mut [Value]) -> bool {
    let Some(block) = blocks.last_mut() else { return false };
    mark(block);
    true
}

/// Puts a breakpoint on a block, unless it is of a type that takes none.
pub(super) fn mark(block: &mut Value) {
    let kind = block.get("type").and_then(Value::as_str);
    if !matches!(kind, Some("thinking" | "redacted_thinking")) {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
}
