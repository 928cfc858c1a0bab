//! Step 5: the record of a prompt: which messages were sent, and their tokens.
//!
//! Messages of the history are referred to by id, so that a journal does not grow with history × calls.

use std::ops::Range;

use super::assemble::Assembled;
use super::blocks::{SentBlock, attachment_tokens};
use super::loop_turns::{LoopTurns, SentTurns};
use plait_core::attachment::Attachment;
use plait_core::origin::Origins;
use plait_llm::context::{Message, Role, SharedMessage};
use plait_llm::loop_history::{BoundReason, BoundedHistory};
use plait_llm::models::{EXACT_PERMILLE, ModelConfig};
use plait_llm::prompt_record::{Omitted, PromptPart, PromptRecord};
use plait_llm::tool::ToolSpec;

/// The record of a prompt with the history from the position `start` on, which is the part that fits.
pub(super) fn build_record(
    config: &ModelConfig,
    parts: &Assembled,
    start: usize,
    turns: Option<(&LoopTurns<'_>, &SentTurns)>,
    steps: &[Vec<SharedMessage>],
    tools: &[ToolSpec],
    tool_tokens: u64,
) -> PromptRecord {
    let mut sent = Vec::with_capacity(3 + steps.len());
    if let Some(text) = &parts.system {
        sent.push(PromptPart::Message {
            role: Role::System,
            text: text.clone(),
            tokens: parts.system_tokens,
            origins: parts.system_origins.clone(),
        });
    }
    // A message that was taken out interrupts the history.
    let history = &parts.history;
    let gap = parts.removed.map_or(history.len(), |removed| removed.clamp(start, history.len()));
    for part in [start..gap, gap..history.len()] {
        let last = part.end.checked_sub(1).and_then(|last| history.get(last));
        if let Some((first, last)) = history.get(part.start).zip(last).filter(|_| !part.is_empty()) {
            let (first, last, count) = (first.id.clone(), last.id.clone(), part.len() as u64);
            let (tokens, origins) = history.totals(part);
            sent.push(PromptPart::History { first, last, count, tokens, origins });
        }
    }
    sent.extend(turns.into_iter().flat_map(turns_parts));
    match &parts.question {
        Some(question) if parts.blocks.is_empty() => sent.push(to_part(question, &config.model)),
        _ => sent.extend(parts.blocks.iter().map(block_part)),
    }
    sent.extend(parts.question.as_ref().and_then(|question| attachments_part(question, &config.model)));
    for (step, messages) in (0..).zip(steps) {
        // Either the reason of a rejection, or the images of tool results.
        let last_of_user = messages.last().filter(|message| message.role == Role::User);
        let images: Vec<Attachment> =
            last_of_user.iter().flat_map(|message| message.content.attachments()).cloned().collect();
        sent.push(PromptPart::Step {
            step,
            count: messages.len() as u64,
            tokens: sum_tokens(messages),
            origins: Origins::union(messages.iter().map(|message| &message.origins)),
            rejection: last_of_user.filter(|_| images.is_empty()).map(|message| message.content.text()),
            images,
        });
    }
    let last = start.checked_sub(1).and_then(|last| history.get(last));
    let omitted = history.front().zip(last).map(|(first, last)| Omitted {
        first: first.id.clone(),
        last: last.id.clone(),
        count: start as u64,
    });
    let tools = tools.iter().map(|tool| tool.name.clone()).collect();
    let conversation = turns.map(|(turns, sent)| Box::new(turns.record(config, sent)));
    let caution = Some(config.caution).filter(|caution| omitted.is_some() && *caution != EXACT_PERMILLE);
    PromptRecord { omitted, conversation, tools, caution, ..PromptRecord::new(config, sent, tool_tokens) }
}

/// The text of a message.
fn to_part(message: &Message, model: &str) -> PromptPart {
    PromptPart::Message {
        role: message.role,
        text: message.content.text(),
        tokens: u64::from(message.tokens).saturating_sub(attachment_tokens(message, model)),
        origins: message.origins.clone(),
    }
}

fn attachments_part(message: &Message, model: &str) -> Option<PromptPart> {
    let attachments: Vec<Attachment> = message.content.attachments().cloned().collect();
    let tokens = attachment_tokens(message, model);
    let origins = message.origins.clone();
    (!attachments.is_empty()).then_some(PromptPart::Attachments { attachments, tokens, origins })
}

/// The turns, interrupted by what stands among them.
fn turns_parts((turns, sent): (&LoopTurns<'_>, &SentTurns)) -> Vec<PromptPart> {
    let BoundedHistory { messages, inserted, has_summary, pinned, newest, left_out, .. } = &sent.bounded;
    let conversation = turns.conversation;
    let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let own = left_out.iter().find(|turns| turns.reason == BoundReason::OwnMessage);
    let own = own.map(|own| own.range.start);
    let part = |range: Range<usize>, positions: Range<usize>| {
        let (tokens, origins) = messages.totals(range.clone());
        let is_first = range.start == 0;
        PromptPart::Turns {
            node: conversation.owner.node.clone(),
            epoch: conversation.owner.epoch.clone(),
            summary: conversation
                .summary
                .as_ref()
                .filter(|_| *has_summary && is_first)
                .map(|(_, epoch)| epoch.clone()),
            pinned: if is_first { pinned.iter().map(|at| position(*at)).collect() } else { Vec::new() },
            first: position(positions.start),
            own: own.map(position),
            current: turns.current(&sent.bounded, positions),
            count: range.len() as u64,
            named_media_types: turns.named_media_types.clone(),
            text: sent.text.as_ref().map(|(text, _)| text.clone()),
            tokens: sent.text.as_ref().map_or(tokens, |(_, tokens)| *tokens),
            origins,
        }
    };
    if messages.is_empty() {
        return Vec::new();
    }
    if sent.text.is_some() || inserted.is_empty() {
        return vec![part(0..messages.len(), newest.clone())];
    }
    let older = usize::from(*has_summary) + pinned.len();
    let (mut parts, mut from, mut next) = (Vec::new(), 0, newest.start);
    for end in inserted.iter().copied().chain([messages.len()]) {
        if end > from {
            let turns_here = end - from - if from == 0 { older } else { 0 };
            // The own message is none of them.
            let skipped = own.is_some_and(|own| (next..=next + turns_here).contains(&own));
            let after = (next + turns_here + usize::from(skipped)).min(newest.end);
            parts.push(part(from..end, next..after));
            next = after;
        }
        parts.extend(messages.get(end).map(inserted_part));
        from = end + 1;
    }
    parts
}

/// A message of the context that stands among turns.
fn inserted_part(message: &SharedMessage) -> PromptPart {
    PromptPart::History {
        first: message.id.clone(),
        last: message.id.clone(),
        count: 1,
        tokens: message.tokens.into(),
        origins: message.origins.clone(),
    }
}

fn block_part(block: &SentBlock) -> PromptPart {
    PromptPart::Block {
        block: block.kind,
        text: block.text.clone(),
        tokens: block.tokens,
        sources: block.sources.clone(),
        origins: block.origins.clone(),
        cut: block.cut.clone(),
    }
}

fn sum_tokens<'a>(messages: impl IntoIterator<Item = &'a SharedMessage>) -> u64 {
    messages.into_iter().map(|message| u64::from(message.tokens)).sum()
}
