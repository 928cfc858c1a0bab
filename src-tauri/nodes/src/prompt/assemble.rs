//! Step 2: the parts of a call before trimming: system text, history, and the user message with its blocks.

use super::blocks::{BlockInputs, SentBlock, add_blocks};
use super::loop_turns::LoopTurns;
use plait_core::id::{Epoch, MessageId};
use plait_core::origin::Origins;
use plait_llm::context::{ContextRecord, History, Role, SharedMessage};
use plait_llm::loop_history::{BoundedHistory, Insertion};
use plait_llm::tokens::{TOKENS_PER_MESSAGE, count_cached};
use plait_llm::tool::ToolSpec;
use plait_llm::transcript::CarriedMessages;

/// The parts of a call.
pub(super) struct Assembled {
    /// The system instructions and the system messages at the beginning of the history, each once.
    pub(super) system: Option<String>,
    /// Its size in tokens.
    pub(super) system_tokens: u64,
    /// Where it comes from.
    pub(super) system_origins: Origins,
    /// The history without these. System messages that were added later stay in their places. Ends with the user message if it was stored there and is sent unchanged.
    pub(super) history: History,
    /// What stands among the turns of the loop around the node.
    pub(super) insertions: Vec<Insertion>,
    /// The turns that the settings of the loop let through. The window may leave out a few more.
    pub(super) turns: Option<BoundedHistory>,
    /// The position in `history` of a message that was taken out because it is the user message.
    pub(super) removed: Option<usize>,
    /// The user message, if it is not in `history`.
    pub(super) question: Option<SharedMessage>,
    /// The blocks that the user message consists of, if it is not sent unchanged.
    pub(super) blocks: Vec<SentBlock>,
}

/// Assembles the parts of a call with the user message `question`, which may be the last of the history already.
pub(super) fn assemble(
    context: &ContextRecord,
    question: &SharedMessage,
    tools: &[ToolSpec],
    blocks: BlockInputs<'_>,
    turns: Option<&LoopTurns<'_>>,
    model: &str,
) -> Assembled {
    let whole = &context.message_history;
    let stored = whole.last().is_some_and(|last| last.id == question.id);
    let (mut history, mut insertions) = match turns {
        Some(turns) => (turns.conversation.scope.before(whole), turns.conversation.insertions(whole)),
        None => (whole.clone(), Vec::new()),
    };
    // What is sent as the user message is not sent a second time as what it was before.
    insertions.retain(|Insertion { message, .. }| {
        message.id != question.id && question.repeats.as_ref() != Some(&message.id)
    });
    if !turns.is_some_and(LoopTurns::are_sent) {
        history.extend(insertions.drain(..).map(|insertion| insertion.message));
    }
    let bounded = turns.and_then(|turns| turns.bound(u64::MAX, &insertions));
    let carried =
        CarriedMessages { history: &history, turns: bounded.as_ref().map(|bounded| &bounded.messages) };
    let (sent, blocks) = add_blocks(question, tools, blocks, carried, model);
    // Turns stand between the history and the user message.
    let as_stored = stored && turns.is_none() && sent.id == question.id && sent.content == question.content;
    if !as_stored && history.last().is_some_and(|last| last.id == question.id) {
        history.pop();
    }
    let mut system: Vec<String> = context.system_instructions.iter().cloned().collect();
    let mut system_origins = context.system_origins.clone();
    // System messages before all that was said, such as the summary of a conversation, go with the instructions and are never trimmed.
    while let Some(first) = history.front().filter(|first| first.role == Role::System).cloned() {
        system_origins.add(&first.origins);
        let text = first.content.text();
        if !system.contains(&text) {
            system.push(text);
        }
        history = history.suffix(1);
    }
    // What a partner said in this context is sent as the user message, and not a second time as its own. The first turn of a loop may
    // have been said before it.
    let said = |id: &MessageId, text: &str, reader: &Epoch| history.position_of_said(id, text, reader);
    let removed = question
        .repeats
        .as_ref()
        .and_then(|id| said(id, &question.content.text(), &question.author.epoch))
        .or_else(|| {
            let conversation = turns?.conversation;
            let sent = &bounded.as_ref()?.messages;
            let first = sent.get(sent.position(conversation.start.as_ref()?)?)?;
            said(&first.id, &first.content.text(), &conversation.owner.epoch)
        });
    if let Some(position) = removed {
        history.remove(position);
    }
    let system = (!system.is_empty()).then(|| system.join("\n\n"));
    let system_tokens = system.as_ref().map_or(0, |text| TOKENS_PER_MESSAGE + count_cached(model, text));
    let question = (!as_stored).then_some(sent);
    Assembled {
        system,
        system_tokens,
        system_origins,
        history,
        insertions,
        turns: bounded,
        removed,
        question,
        blocks,
    }
}
