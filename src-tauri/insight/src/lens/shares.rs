//! How a prompt divides the model's window.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::messages::{MessagePart, SentMessage};
use plait_llm::context::Role;
use plait_llm::prompt_record::{BlockKind, PromptPart, PromptRecord};
use plait_llm::tokens;

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ShareKind {
    /// The instructions.
    System,
    /// The history, and the turns of a loop's conversation.
    History,
    /// Passages of knowledge bases.
    Retrieval,
    /// The workflow's memory.
    Memory,
    /// The schemas of the tools and the instructions for them.
    Tools,
    /// Replies and tool results of the turn so far.
    Steps,
    /// What another node said, as the message to answer.
    Partner,
    /// The message to answer.
    Question,
    /// Images and files, of the message to answer and of the messages before it.
    Attachments,
    /// What is kept for the reply.
    Reserve,
    /// What is left.
    Free,
}

/// The tokens of one kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PromptShare {
    pub kind: ShareKind,
    #[ts(type = "number")]
    pub tokens: u64,
}

/// The shares of a prompt, in the order in which a bar shows them, without shares of 0. The shares of the prompt are as
/// counted, before correction.
pub(crate) fn shares(prompt: &PromptRecord, messages: &[SentMessage]) -> Vec<PromptShare> {
    let (mut system, mut history, mut retrieval, mut memory) = (0, 0, 0, 0);
    let (mut tools, mut steps, mut partner, mut question) = (prompt.tool_tokens, 0, 0, 0);
    let mut attachments = 0;
    for part in &prompt.parts {
        let share = match part {
            PromptPart::History { .. } | PromptPart::Turns { .. } => &mut history,
            PromptPart::Attachments { .. } => &mut attachments,
            PromptPart::Message { role: Role::System, .. } => &mut system,
            PromptPart::Message { role: Role::User, .. } => &mut question,
            PromptPart::Step { .. } | PromptPart::Message { .. } => &mut steps,
            PromptPart::Block { block: BlockKind::Retrieval, .. } => &mut retrieval,
            PromptPart::Block { block: BlockKind::Tools, .. } => &mut tools,
            PromptPart::Block { block: BlockKind::Memory, .. } => &mut memory,
            PromptPart::Block { block: BlockKind::Partner, .. } => &mut partner,
        };
        *share += part.tokens();
    }
    // The question may be in the history already, as its last message.
    let mut stored_questions = 0;
    if question == 0 && partner == 0 {
        let last = messages.iter().rev().find(|message| message.part == MessagePart::History);
        let stored = last.filter(|message| message.role == Role::User).and_then(|message| message.tokens);
        question = stored.unwrap_or_default().min(history);
        history -= question;
        let last = last.filter(|_| question > 0);
        stored_questions = usize::from(last.is_some());
        let attached = last.map_or(0, |last| attached(&prompt.model, last)).min(question);
        (question, attachments) = (question - attached, attachments + attached);
    }
    for part in [MessagePart::History, MessagePart::Conversation, MessagePart::Step] {
        let share = if part == MessagePart::Step { &mut steps } else { &mut history };
        let skipped = if part == MessagePart::History { stored_questions } else { 0 };
        let of_part = messages.iter().rev().filter(|message| message.part == part).skip(skipped);
        let attached = of_part.map(|message| attached(&prompt.model, message)).sum::<u64>().min(*share);
        (*share, attachments) = (*share - attached, attachments + attached);
    }
    let free = prompt.window.saturating_sub(prompt.reserve).saturating_sub(prompt.tokens);
    let all = [
        (ShareKind::System, system),
        (ShareKind::History, history),
        (ShareKind::Retrieval, retrieval),
        (ShareKind::Memory, memory),
        (ShareKind::Tools, tools),
        (ShareKind::Steps, steps),
        (ShareKind::Partner, partner),
        (ShareKind::Question, question),
        (ShareKind::Attachments, attachments),
        (ShareKind::Reserve, prompt.reserve),
        (ShareKind::Free, free),
    ];
    all.into_iter()
        .filter(|(_, tokens)| *tokens > 0)
        .map(|(kind, tokens)| PromptShare { kind, tokens })
        .collect()
}

fn attached(model: &str, message: &SentMessage) -> u64 {
    tokens::count_attachments(model, message.attachments.iter())
}
