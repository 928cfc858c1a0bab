//! System instructions for protocols that take them in one place, outside the conversation.

use plait_llm::context::Role;
use plait_llm::provider::ModelRequest;
use serde_json::Value;

/// The context's instructions, then the system messages of the history. Empty ones are left out.
pub(in crate::providers) fn instructions(request: &ModelRequest) -> impl Iterator<Item = String> {
    let in_history = request.messages.iter().filter(|message| message.role == Role::System);
    let all = request.system.iter().cloned().chain(in_history.map(|message| message.content.text()));
    all.filter(|text| !text.trim().is_empty())
}

/// Asks in words for a reply that follows a schema, where a server accepts no schema.
pub(in crate::providers) fn schema_instruction(schema: &Value) -> String {
    format!("Give your final answer as JSON alone, by this JSON Schema:\n{schema}")
}
