//! Step 4, the record of one prompt: which messages were sent and what they took of the window.
//!
//! Messages that are in a history are referred to by id, so that a journal grows with what happened and not with
//! history × calls.

use imbl::Vector;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::assemble::Assembled;
use super::resolve::ModelConfig;
use crate::context::{Message, Role, SharedMessage};
use crate::id::MessageId;
use crate::tool::ToolSpec;

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PromptPart {
    /// A run of messages that are in the context's history, by their ids' first and last.
    History {
        /// The first message.
        first: MessageId,
        /// The last message.
        last: MessageId,
        /// How many they are.
        #[ts(type = "number")]
        count: u64,
        /// What they take together.
        #[ts(type = "number")]
        tokens: u64,
    },
    /// A round of tool calls: the model's reply of an earlier step of the same activation and its tools' results, which
    /// the events `model.replied` and `tool.finished` of that step hold.
    Step {
        /// Which step, from 0.
        step: u32,
        /// How many messages they are.
        #[ts(type = "number")]
        count: u64,
        /// What they take together.
        #[ts(type = "number")]
        tokens: u64,
    },
    /// A message that stands in no history: the instructions, the question.
    Message {
        /// Who speaks.
        role: Role,
        /// What is said.
        text: String,
        /// What it takes.
        #[ts(type = "number")]
        tokens: u64,
    },
}

/// Messages of the history that were left out because the window had no room for them: its oldest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Omitted {
    /// The first of them.
    pub first: MessageId,
    /// The last of them.
    pub last: MessageId,
    /// How many they are.
    #[ts(type = "number")]
    pub count: u64,
}

/// What was sent to a model in one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptRecord {
    /// Who is asked.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// The messages, in order.
    pub parts: Vec<PromptPart>,
    /// What was left out for want of room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub omitted: Option<Omitted>,
    /// The names of the tools offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub tools: Vec<String>,
    /// What the tools' schemas take.
    #[ts(type = "number")]
    pub tool_tokens: u64,
    /// What the whole prompt takes, as estimated before it is sent: the sum of the counts, corrected by what the
    /// provider has reported of earlier prompts.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The sum of the counts, where it was corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub counted: Option<u64>,
    /// The model's window.
    #[ts(type = "number")]
    pub window: u64,
    /// What is kept free for the reply.
    #[ts(type = "number")]
    pub reserve: u64,
}

/// The record of a prompt that is sent `kept`, the end of its history.
pub(super) fn record(
    config: &ModelConfig,
    parts: &Assembled,
    kept: &Vector<SharedMessage>,
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
        });
    }
    if let (Some(first), Some(last)) = (kept.front(), kept.last()) {
        let (first, last, count) = (first.id.clone(), last.id.clone(), kept.len() as u64);
        sent.push(PromptPart::History { first, last, count, tokens: sum(kept) });
    }
    if let Some(question) = &parts.question {
        sent.push(to_part(question));
    }
    for (step, messages) in (0..).zip(steps) {
        sent.push(PromptPart::Step { step, count: messages.len() as u64, tokens: sum(messages) });
    }
    let left_out = parts.history.len() - kept.len();
    let last = left_out.checked_sub(1).and_then(|last| parts.history.get(last));
    let omitted = parts.history.front().zip(last).map(|(first, last)| Omitted {
        first: first.id.clone(),
        last: last.id.clone(),
        count: left_out as u64,
    });
    let tools = tools.iter().map(|tool| tool.name.clone()).collect();
    PromptRecord { omitted, tools, ..PromptRecord::of(config, sent, tool_tokens) }
}

impl PromptRecord {
    /// The record of these parts, all of what is sent but for tools whose schemas take so much.
    pub(crate) fn of(config: &ModelConfig, parts: Vec<PromptPart>, tool_tokens: u64) -> Self {
        let counted = tool_tokens + parts.iter().map(PromptPart::tokens).sum::<u64>();
        let tokens = config.correction.apply(counted);
        Self {
            provider: config.provider.clone(),
            model: config.model.clone(),
            parts,
            omitted: None,
            tools: Vec::new(),
            tool_tokens,
            tokens,
            counted: (tokens != counted).then_some(counted),
            window: config.window,
            reserve: config.reserve,
        }
    }

    /// The sum of the counts, as they are without a correction.
    pub fn counted(&self) -> u64 {
        self.counted.unwrap_or(self.tokens)
    }
}

impl PromptPart {
    /// What the part takes of the window.
    pub fn tokens(&self) -> u64 {
        match self {
            Self::History { tokens, .. } | Self::Step { tokens, .. } | Self::Message { tokens, .. } => {
                *tokens
            }
        }
    }
}

fn to_part(message: &Message) -> PromptPart {
    PromptPart::Message { role: message.role, text: message.content.text(), tokens: message.tokens.into() }
}

fn sum<'a>(messages: impl IntoIterator<Item = &'a SharedMessage>) -> u64 {
    messages.into_iter().map(|message| u64::from(message.tokens)).sum()
}
