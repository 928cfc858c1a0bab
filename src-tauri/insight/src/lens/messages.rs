//! The messages of a prompt as they were sent, read again from its record.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use ts_rs::TS;

use super::histories::{Histories, TurnRange};
use plait_core::attachment::Attachment;
use plait_core::expression::as_text;
use plait_core::id::{Activation, MessageId, NodeId};
use plait_core::origin::Origins;
use plait_journal::view::{EpochView, ToolCallView};
use plait_llm::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use plait_llm::prompt_record::{BlockCut, BlockKind, BlockSource, PromptPart, PromptRecord, TOOL_IMAGES};

/// What a message of a prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum MessagePart {
    /// The system instructions.
    System,
    /// A message of the context's history.
    History,
    /// A turn of a loop's conversation, or all of them as the beginning of the message to answer.
    Conversation,
    /// The message to answer.
    Question,
    /// A reply of an earlier step, a tool's result, or why a reply was rejected.
    Step,
    /// Messages that the journal does not have at this place: those of a conversation that was deleted, or turns of a loop's
    /// conversation that were said in earlier iterations.
    Missing,
}

/// A block of the message to answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BlockText {
    pub block: BlockKind,
    pub text: String,
    #[ts(type = "number")]
    pub tokens: u64,
    /// What its items are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<BlockSource>>")]
    pub sources: Vec<BlockSource>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// What its cap left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cut: Option<BlockCut>,
}

/// One message as the model received it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SentMessage {
    pub part: MessagePart,
    pub role: Role,
    /// The whole text.
    pub text: String,
    /// Its size, where it was counted by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub tokens: Option<u64>,
    /// How many messages it stands for, if their texts are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub missing: Option<u64>,
    /// The tools that an assistant message calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ToolCall>>")]
    pub tool_calls: Vec<ToolCall>,
    /// For the result of a tool: the id of its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call_id: Option<String>,
    /// The node that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub author: Option<NodeId>,
    /// Its id in the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<MessageId>,
    /// The images and files that are sent with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
    /// The blocks that the text consists of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<BlockText>>")]
    pub blocks: Vec<BlockText>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
}

/// A message of a prompt with what only a provider needs: reasoning, provider state, the parts of its content.
pub(super) struct RebuiltMessage {
    pub(super) shown: SentMessage,
    /// The message itself; none where its text is missing, and for the system text.
    pub(super) message: Option<SharedMessage>,
    /// Whether it is a part of the next message.
    pub(super) is_part: bool,
}

/// The messages of the prompt of an activation's call number `index`, in order.
pub(super) fn rebuild(
    prompt: &PromptRecord,
    (activation, index): (&Activation, usize),
    epoch: &EpochView,
    histories: &Histories,
) -> Vec<RebuiltMessage> {
    let mut messages: Vec<RebuiltMessage> = Vec::new();
    // What the next message begins with, for a model that takes a prompt only.
    let mut beginning: Option<&str> = None;
    let mut parts = prompt.parts.iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            PromptPart::Turns { text: Some(text), tokens, origins, .. } => {
                let shown = SentMessage {
                    tokens: Some(*tokens),
                    origins: origins.clone(),
                    ..SentMessage::new(MessagePart::Conversation, Role::User, text.clone())
                };
                messages.push(RebuiltMessage { shown, message: None, is_part: true });
                beginning = (!text.is_empty()).then_some(text.as_str());
            }
            PromptPart::Turns {
                node,
                epoch,
                summary,
                pinned,
                first,
                own,
                current,
                count,
                tokens,
                named_media_types,
                origins,
                ..
            } => {
                let earlier = count.saturating_sub(current.len() as u64);
                let besides = pinned.len() as u64 + u64::from(summary.is_some());
                let range = TurnRange {
                    of: Activation { node: node.clone(), epoch: epoch.clone() },
                    pinned,
                    first: *first,
                    own: *own,
                    newest: earlier.saturating_sub(besides),
                };
                match histories.turns(&range) {
                    Some(turns) => {
                        messages.extend(summary.as_ref().map(|written| {
                            let of = Activation { node: node.clone(), epoch: written.clone() };
                            match histories.summary(&of) {
                                Some(summary) => RebuiltMessage::of_turn(Arc::clone(summary)),
                                None => RebuiltMessage::missing(1, 0, origins, Role::Assistant),
                            }
                        }));
                        let as_sent = |turn| with_labels(turn, named_media_types);
                        messages.extend(turns.into_iter().map(as_sent).map(RebuiltMessage::of_turn));
                    }
                    None => messages.push(RebuiltMessage::missing(earlier, *tokens, origins, Role::User)),
                }
                messages.extend(current.iter().map(|turn| {
                    let shown = SentMessage {
                        author: Some(turn.node.clone()),
                        ..SentMessage::new(MessagePart::Conversation, turn.role, turn.text.clone())
                    };
                    let mut message = RebuiltMessage::plain(shown, activation);
                    message.attach(&turn.attachments, 0);
                    message
                }));
            }
            PromptPart::Message { role, text, tokens, origins } => {
                let part = if *role == Role::System { MessagePart::System } else { MessagePart::Question };
                let shown = SentMessage {
                    tokens: Some(*tokens),
                    origins: origins.clone(),
                    ..SentMessage::new(part, *role, text.clone())
                };
                messages.push(RebuiltMessage::plain(shown, activation).beginning_with(beginning.take()));
            }
            PromptPart::Block { .. } => {
                let mut blocks = vec![part];
                while let Some(next) = parts.next_if(|next| matches!(next, PromptPart::Block { .. })) {
                    blocks.push(next);
                }
                let message = RebuiltMessage::plain(join_blocks(&blocks), activation);
                messages.push(message.beginning_with(beginning.take()));
            }
            PromptPart::Attachments { attachments, tokens, .. } => {
                if let Some(message) = messages.last_mut() {
                    message.attach(attachments, *tokens);
                }
            }
            PromptPart::History { first, last, count, tokens, origins } => {
                match histories.range((first, last), *count, &activation.epoch) {
                    Some(range) => messages.extend(range.into_iter().map(RebuiltMessage::of_history)),
                    None => messages.push(RebuiltMessage::missing(*count, *tokens, origins, Role::User)),
                }
            }
            PromptPart::Step { step, count, tokens, rejection, images, .. } => {
                let place = StepPlace { activation, index, step: *step, images };
                messages.extend(step_messages(&place, (*count, *tokens), rejection.as_deref(), epoch));
            }
        }
    }
    messages
}

/// A turn as it was sent to a model that can't take attachments of these media types.
fn with_labels(turn: SharedMessage, media_types: &[String]) -> SharedMessage {
    if media_types.is_empty() {
        return turn;
    }
    let content = turn.content.with_labels_of(|attachment| media_types.contains(&attachment.media_type));
    Arc::new(Message { content, ..Message::clone(&turn) })
}

/// One message of several blocks.
fn join_blocks(parts: &[&PromptPart]) -> SentMessage {
    let mut blocks = Vec::with_capacity(parts.len());
    let mut origins = Origins::NONE;
    for part in parts {
        if let PromptPart::Block { block, text, tokens, sources, origins: own, cut } = part {
            origins.add(own);
            blocks.push(BlockText {
                block: *block,
                text: text.clone(),
                tokens: *tokens,
                sources: sources.clone(),
                origins: own.clone(),
                cut: cut.clone(),
            });
        }
    }
    let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    let (text, tokens) = (texts.join("\n\n"), blocks.iter().map(|block| block.tokens).sum());
    SentMessage {
        tokens: Some(tokens),
        origins,
        blocks,
        ..SentMessage::new(MessagePart::Question, Role::User, text)
    }
}

/// A round of tool calls before a call.
struct StepPlace<'a> {
    activation: &'a Activation,
    /// The call that the round was sent with.
    index: usize,
    step: u32,
    /// The images of its results that were sent.
    images: &'a [Attachment],
}

/// The reply of an earlier step, then the results of its tools or the reason why it was rejected.
fn step_messages(
    place: &StepPlace<'_>,
    (count, tokens): (u64, u64),
    rejection: Option<&str>,
    epoch: &EpochView,
) -> Vec<RebuiltMessage> {
    let earlier = epoch.calls.get(..place.index).unwrap_or_default();
    let is_step =
        |call: &&plait_journal::view::ModelCallView| call.step == place.step && call.sampling.is_none();
    let Some(reply) = earlier.iter().rev().filter(is_step).find_map(|call| call.reply.as_ref()) else {
        return vec![RebuiltMessage::missing(count, tokens, &Origins::NONE, Role::Assistant)];
    };
    let tools = latest_tools(epoch, place.step, reply.tool_calls.len());
    let calls: Vec<ToolCall> = tools.iter().map(|tool| tool.call.clone()).collect();
    let content = Content::with_attachments(reply.text.clone(), reply.attachments.clone());
    let message = Message {
        reasoning: reply.reasoning.clone().filter(|_| rejection.is_none()),
        tool_calls: if rejection.is_some() { Vec::new() } else { calls },
        provider_state: reply.provider_state.clone().filter(|_| rejection.is_none()),
        ..plain_message(place.activation, Role::Assistant, content)
    };
    let mut messages = vec![RebuiltMessage::of_step(message, Some(tokens))];
    if let Some(reason) = rejection {
        let message = plain_message(place.activation, Role::User, reason.to_owned());
        messages.push(RebuiltMessage::of_step(message, None));
        return messages;
    }
    messages.extend(tools.into_iter().map(|tool| {
        let message = Message {
            tool_call_id: Some(tool.call.id.clone()),
            is_error: tool.error.is_some(),
            origins: tool.origins.clone(),
            ..plain_message(place.activation, Role::Tool, result_text(tool))
        };
        RebuiltMessage::of_step(message, None)
    }));
    if !place.images.is_empty() {
        let content = Content::with_attachments(TOOL_IMAGES.to_owned(), place.images.iter().cloned());
        let message = plain_message(place.activation, Role::User, content);
        messages.push(RebuiltMessage::of_step(message, None));
    }
    messages
}

/// The calls of a step. A later attempt may have made them again: the latest count.
fn latest_tools(epoch: &EpochView, step: u32, count: usize) -> Vec<&ToolCallView> {
    let all: Vec<&ToolCallView> =
        epoch.tools.iter().filter(|tool| tool.step == step && tool.ended_at.is_some()).collect();
    all[all.len().saturating_sub(count)..].to_vec()
}

/// A tool's result as the model gets it.
fn result_text(tool: &ToolCallView) -> String {
    match &tool.error {
        Some(fault) => json!({ "error": fault.message, "code": fault.code }).to_string(),
        None => tool.result.as_ref().map(as_text).unwrap_or_default(),
    }
}

fn plain_message(activation: &Activation, role: Role, content: impl Into<Content>) -> Message {
    let id = format!("{activation}/lens").into();
    Message::plain(id, role, content, activation.clone(), 0)
}

impl RebuiltMessage {
    fn plain(shown: SentMessage, activation: &Activation) -> Self {
        let message = plain_message(activation, shown.role, shown.text.clone());
        Self { message: Some(Arc::new(message)), shown, is_part: false }
    }

    fn missing(count: u64, tokens: u64, origins: &Origins, role: Role) -> Self {
        let shown = SentMessage {
            tokens: Some(tokens),
            missing: Some(count),
            origins: origins.clone(),
            ..SentMessage::new(MessagePart::Missing, role, String::new())
        };
        Self { shown, message: None, is_part: false }
    }

    /// The same, sent with this text before its own.
    fn beginning_with(self, text: Option<&str>) -> Self {
        let Some(text) = text else { return self };
        let message = self.message.map(|message| {
            let content: Content = format!("{text}\n\n{}", message.content.text()).into();
            Arc::new(Message { content, ..Message::clone(&message) })
        });
        Self { message, ..self }
    }

    /// The same with these images and files.
    fn attach(&mut self, attachments: &[Attachment], tokens: u64) {
        self.shown.attachments = attachments.to_vec();
        self.shown.tokens = self.shown.tokens.map(|own| own.saturating_add(tokens));
        if let Some(message) = &mut self.message {
            let parts = attachments.iter().cloned().map(Part::Attachment);
            let message = Arc::make_mut(message);
            message.content = match &message.content {
                Content::Text(text) => Content::with_attachments(text.clone(), attachments.iter().cloned()),
                Content::Parts(own) => Content::Parts(own.iter().cloned().chain(parts).collect()),
            };
        }
    }

    fn of_step(message: Message, tokens: Option<u64>) -> Self {
        let shown = SentMessage {
            tokens,
            tool_calls: message.tool_calls.clone(),
            tool_call_id: message.tool_call_id.clone(),
            author: Some(message.author.node.clone()),
            origins: message.origins.clone(),
            attachments: message.content.attachments().cloned().collect(),
            ..SentMessage::new(MessagePart::Step, message.role, message.content.text())
        };
        Self { shown, message: Some(Arc::new(message)), is_part: false }
    }

    /// A turn of a loop's conversation: of what was said, only role and text are sent.
    fn of_turn(turn: SharedMessage) -> Self {
        let shown = SentMessage { part: MessagePart::Conversation, ..SentMessage::of_history(&turn) };
        Self { shown, message: Some(turn), is_part: false }
    }

    fn of_history(message: SharedMessage) -> Self {
        Self { shown: SentMessage::of_history(&message), message: Some(message), is_part: false }
    }
}

impl SentMessage {
    pub(super) fn of_history(message: &SharedMessage) -> Self {
        Self {
            tokens: Some(message.tokens.into()),
            tool_calls: message.tool_calls.clone(),
            tool_call_id: message.tool_call_id.clone(),
            author: Some(message.author.node.clone()),
            id: Some(message.id.clone()),
            origins: message.origins.clone(),
            attachments: message.content.attachments().cloned().collect(),
            ..Self::new(MessagePart::History, message.role, message.content.text())
        }
    }

    fn new(part: MessagePart, role: Role, text: String) -> Self {
        Self {
            part,
            role,
            text,
            tokens: None,
            missing: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            author: None,
            id: None,
            attachments: Vec::new(),
            blocks: Vec::new(),
            origins: Origins::NONE,
        }
    }
}
