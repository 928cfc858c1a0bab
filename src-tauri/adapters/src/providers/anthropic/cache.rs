//! Marks that say up to where the provider may keep what it has read. Owns where they stand: at the end of the tools, of
//! the instructions, and of the history before what is newest, so that each turn reads what the turns before it wrote; and
//! within a turn at the end of its tool rounds, so that each round reads the rounds before it. Those are the four marks the
//! protocol allows.

use serde_json::{Value, json};

/// Marks the last of these tools or blocks. False if there is none.
pub(super) fn mark_last(blocks: &mut [Value]) -> bool {
    let Some(block) = blocks.last_mut() else { return false };
    mark(block);
    true
}

/// Marks a block, unless it is one the provider takes no mark on.
pub(super) fn mark(block: &mut Value) {
    let kind = block.get("type").and_then(Value::as_str);
    if !matches!(kind, Some("thinking" | "redacted_thinking")) {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
}
