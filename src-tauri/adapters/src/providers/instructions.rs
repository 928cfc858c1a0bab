//! Instructions, for protocols that have one place for them and none within the conversation.

use plait_engine::context::Role;
use plait_engine::provider::ModelRequest;

/// The instructions of the context, then those that stand within the history. Empty ones say nothing and are left out.
pub(super) fn instructions(request: &ModelRequest) -> impl Iterator<Item = String> {
    let within = request.messages.iter().filter(|message| message.role == Role::System);
    let all = request.system.iter().cloned().chain(within.map(|message| message.content.text()));
    all.filter(|text| !text.trim().is_empty())
}
