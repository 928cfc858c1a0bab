//! Step 3: the turns of a loop's conversation, bounded before the history of the context is trimmed.
//!
//! They stand between the messages of the context and the user message. For a model that takes a single prompt they are a text at the
//! beginning of the user message instead. The summary and the pinned turns are never trimmed.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_llm::context::{Content, Message, Part, SharedMessage};
use plait_llm::loop_history::{
    BoundReason, BoundedHistory, HistoryBounds, Insertion, LoopConversation, LoopHistory, bound_history,
};
use plait_llm::models::ModelConfig;
use plait_llm::prompt_record::{LoopConversationRecord, OmissionReason, OmittedTurns, SentTurn};
use plait_llm::tokens;
use plait_llm::transcript::{TextBlock, write_text_block};

use crate::codes;

/// How often a text that takes more tokens than its turns is written again with fewer turns, before it has none of the newest.
const MAX_WRITES: usize = 6;

/// The conversation of a loop, as one call uses it.
#[derive(Clone, Debug)]
pub struct LoopTurns<'a> {
    pub conversation: &'a LoopConversation,
    /// The turns, with tokens as counted for the call's model. Nothing if the node takes no history.
    turns: Option<LoopHistory>,
    /// The turn that the node sends as its user message.
    own: Option<usize>,
    /// The media types of the attachments that are named in the text of their turns, since the model can't take them.
    pub(super) named_media_types: Vec<String>,
}

/// The sent part of a conversation.
#[derive(Clone, Debug)]
pub(super) struct SentTurns {
    pub(super) bounded: BoundedHistory,
    /// The turns as a text, if the model takes a prompt only, with its tokens.
    pub(super) text: Option<(String, u64)>,
    /// The tokens that the model's window has left for turns.
    pub(super) room: u64,
}

impl<'a> LoopTurns<'a> {
    /// The conversation for a call of `model`. `used` says whether the node takes the history; `own` is the turn that it sends
    /// as its user message; `takes` says which attachments the model can take. Others are named in the text of their turns.
    pub fn new(
        conversation: &'a LoopConversation,
        used: bool,
        own: Option<usize>,
        model: &str,
        takes: impl Fn(&Attachment) -> bool,
    ) -> Self {
        let all = &conversation.turns;
        let mut named = BTreeSet::new();
        if used && all.has_attachments() {
            let attachments = all.messages().iter().flat_map(|turn| turn.content.attachments());
            named.extend(attachments.filter(|attachment| !takes(attachment)).map(|it| it.media_type.clone()));
        }
        let turns = used.then(|| {
            // The size of an image depends on the model.
            if tokens::has_common_tokenizer(model) && !all.has_attachments() {
                return all.clone();
            }
            let convert = |content: &Content| {
                content.with_labels_of(|attachment| named.contains(&attachment.media_type))
            };
            all.converted(convert, |content| recount(model, content))
        });
        Self { conversation, turns, own, named_media_types: named.into_iter().collect() }
    }

    /// Whether the node takes the history.
    pub(super) fn are_sent(&self) -> bool {
        self.turns.is_some()
    }

    /// The turns that fit this room, in counted tokens, with what stands among them.
    pub(super) fn bound(&self, window_room: u64, insertions: &[Insertion]) -> Option<BoundedHistory> {
        let turns = self.turns.as_ref()?;
        let bounds = HistoryBounds { window_room: Some(window_room), ..self.conversation.bounds() };
        Some(bound_history(turns, insertions, self.conversation.summary(), self.own, bounds))
    }

    /// The turns that fit this room as a text, with its tokens.
    pub(super) async fn write(
        &self,
        window_room: u64,
        insertions: &[Insertion],
        model: &str,
        evaluator: &dyn Evaluator,
    ) -> Result<Option<SentTurns>, Fault> {
        let max_tokens = self.conversation.bounds().max_tokens.unwrap_or(u64::MAX).min(window_room);
        let mut room = window_room;
        let mut written = None;
        for write in 0..=MAX_WRITES {
            let Some(bounded) = self.bound(if write < MAX_WRITES { room } else { 0 }, insertions) else {
                return Ok(None);
            };
            let text = self.text(&bounded, evaluator).await?;
            let size = tokens::count(model, &text);
            let is_whole = size <= max_tokens || bounded.newest.is_empty();
            let one_less = bounded.tokens.saturating_sub(1);
            written = Some(SentTurns { text: Some((text, size)), bounded, room: window_room });
            if is_whole {
                break;
            }
            // Escapes and roles take tokens as well.
            room = (room.min(max_tokens) * max_tokens / size.max(1)).saturating_sub(1).min(one_less);
        }
        Ok(written)
    }

    async fn text(&self, bounded: &BoundedHistory, evaluator: &dyn Evaluator) -> Result<String, Fault> {
        let LoopConversation { settings, start, .. } = self.conversation;
        let block = TextBlock {
            template: settings.history_template.as_ref(),
            start: start.as_ref().map(|id| (id, settings.init.history.start_with.prefix.as_str())),
        };
        write_text_block(&bounded.messages, block, evaluator).await
    }

    pub(super) fn record(&self, config: &ModelConfig, sent: &SentTurns) -> LoopConversationRecord {
        let conversation = self.conversation;
        let management = &conversation.settings.history_management;
        let BoundedHistory { messages, tokens, has_summary, left_out, .. } = &sent.bounded;
        let reason = |reason| match reason {
            BoundReason::Tokens => OmissionReason::MaxTokens,
            BoundReason::Turns => OmissionReason::MaxTurns,
            BoundReason::Window => OmissionReason::Window,
            BoundReason::Summarized => OmissionReason::Summarized,
            BoundReason::OwnMessage => OmissionReason::OwnMessage,
        };
        let left_out = left_out.iter().map(|turns| OmittedTurns {
            reason: reason(turns.reason),
            first: turns.range.start as u64,
            count: turns.count as u64,
        });
        let ignored = conversation.settings.history_template.is_some() && !config.prompt_only;
        let ignored = ignored.then(|| template_ignored(config));
        LoopConversationRecord {
            node: conversation.owner.node.clone(),
            epoch: conversation.owner.epoch.clone(),
            strategy: management.strategy,
            max_tokens: management.token_bound(),
            max_turns: management.turn_bound(),
            room: Some(sent.room),
            sent: (messages.len() - sent.bounded.inserted.len()) as u64,
            tokens: sent.text.as_ref().map_or(*tokens, |(_, tokens)| *tokens),
            left_out: left_out.collect(),
            summary: conversation.summary.as_ref().filter(|_| *has_summary).map(|(_, epoch)| epoch.clone()),
            notices: conversation.no_summary.iter().map(|(_, fault)| fault.clone()).chain(ignored).collect(),
        }
    }

    /// The turns between these positions that are of the iteration under way and are sent: no later event has them if it fails.
    pub(super) fn current(&self, bounded: &BoundedHistory, positions: Range<usize>) -> Vec<SentTurn> {
        let appended = self.conversation.appended;
        let positions = positions.start.max(appended)..positions.end.max(appended);
        let turns = self.conversation.turns.messages().slice(positions);
        let sent = turns.iter().filter_map(|turn| bounded.messages.get(bounded.messages.position(&turn.id)?));
        let turns = sent.map(|turn| SentTurn {
            role: turn.role,
            text: turn.content.text(),
            node: turn.author.node.clone(),
            attachments: turn.content.attachments().cloned().collect(),
        });
        turns.collect()
    }
}

impl SentTurns {
    /// Their tokens in the prompt.
    pub(super) fn tokens(&self) -> u64 {
        self.text.as_ref().map_or(self.bounded.tokens, |(_, tokens)| *tokens)
    }

    /// The user message with the text of the turns before it.
    pub(super) fn before(&self, question: SharedMessage) -> SharedMessage {
        let Some((text, size)) = self.text.as_ref().filter(|(text, _)| !text.is_empty()) else {
            return question;
        };
        let content = match &question.content {
            Content::Text(own) => Content::Text(format!("{text}\n\n{own}")),
            Content::Parts(parts) => {
                let first = Part::Text { text: text.clone() };
                Content::Parts(std::iter::once(first).chain(parts.iter().cloned()).collect())
            }
        };
        let size = u32::try_from(*size).unwrap_or(u32::MAX);
        let tokens = question.tokens.saturating_add(size);
        Arc::new(Message { content, tokens, ..Message::clone(&question) })
    }
}

fn recount(model: &str, content: &Content) -> u32 {
    match content {
        Content::Text(text) => {
            let counted = tokens::TOKENS_PER_MESSAGE + tokens::count_cached(model, text);
            u32::try_from(counted).unwrap_or(u32::MAX)
        }
        parts @ Content::Parts(_) => tokens::count_message(model, parts),
    }
}

fn template_ignored(config: &ModelConfig) -> Fault {
    let message = format!(
        "`history_template` was not used: `{}` takes messages, so it received the turns as messages.",
        config.model
    );
    Fault::new(codes::HISTORY_TEMPLATE_IGNORED, message)
        .hint("Remove the template, or mark the model as prompt-only in the settings.")
}
