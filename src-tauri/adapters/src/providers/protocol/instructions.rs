//! System instructions for protocols that take them in one place, outside the conversation.

use plait_engine::context::Role;
use plait_engine::provider::ModelRequest;

/// The context's instructions, then the system messages of the history. Empty ones are left out.
pub(in crate::providers) fn instructions(request: &ModelRequest) -> impl Iterator<Item = String> {
    let in_history = request.messages.iter().filter(|message| message.role == Role::System);
    let all = request.system.iter().cloned().chain(in_history.map(|message| message.content.text()));
    all.filter(|text| !text.trim().is_empty())
}
