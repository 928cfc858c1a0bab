//! The stored data of a conversation: its record, as lists display it, and its messages. Does not know where they are.

use plait_core::id::{Activation, ConversationId, RunId};
use plait_core::origin::{Origin, Origins};
use plait_journal::Spending;
use plait_llm::context::conversation::{ConversationRef, SummaryRef, message_id};
use plait_llm::context::{Content, Message, Role};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What conversations keep of their flow: its file, or `name:` and its name if it has no file.
pub fn flow_key(path: Option<&str>, name: &str) -> String {
    path.map_or_else(|| format!("name:{name}"), str::to_owned)
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRecord {
    pub id: ConversationId,
    /// The flow's file, or `name:` followed by its name if it has no file.
    pub flow: String,
    pub flow_name: String,
    /// The person who owns it.
    pub user: String,
    /// Identifies the conversation to providers that store sessions.
    pub thread_id: String,
    /// The beginning of the first question until a person renames it; empty before that.
    pub title: String,
    /// The creation time, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub created_at: u64,
    /// The time of the last change, likewise.
    #[ts(type = "number")]
    pub updated_at: u64,
    /// The number of messages.
    #[ts(type = "number")]
    pub messages: u64,
    /// The token count of all messages.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Usage and cost of the model calls of its runs and their child runs. Each call sends much of the history again, so this
    /// exceeds `tokens`. A fork starts at zero.
    #[serde(default)]
    pub spent: Spending,
    /// The latest summary of its beginning. The summarized messages are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<SummaryRef>,
    /// The origin of a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub forked_from: Option<ForkOrigin>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForkOrigin {
    pub conversation: ConversationId,
    /// The message at which it was forked.
    #[ts(type = "number")]
    pub message: u64,
    /// The run that was forked there and is kept by it, if it was made for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
}

impl ConversationRecord {
    /// The conversation as a run that starts now sees it, but for the workflow's memory: that is not part of the record.
    pub fn at(&self) -> ConversationRef {
        ConversationRef {
            id: self.id.clone(),
            thread: self.thread_id.clone(),
            messages: self.messages,
            summary: self.summary.clone(),
            memory: None,
        }
    }
}

/// One message of a conversation. It never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationMessage {
    /// The position in the conversation, from 0.
    #[ts(type = "number")]
    pub id: u64,
    pub conversation: ConversationId,
    /// The run that produced it.
    pub run: RunId,
    /// The user or the assistant.
    pub role: Role,
    pub content: Content,
    /// The model's reasoning, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning: Option<String>,
    /// Whether its end is missing: the reply reached a limit of tokens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub truncated: bool,
    /// The activation that produced it.
    pub author: Activation,
    /// The token count, computed once.
    pub tokens: u32,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// The creation time, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub created_at: u64,
}

impl ConversationMessage {
    /// The message as a later run recalls it.
    pub fn into_message(self) -> Message {
        let mut origins = self.origins;
        origins.add(&Origins::of(Origin::Conversation(self.conversation.to_string())));
        let message = Message::plain(message_id(self.id), self.role, self.content, self.author, self.tokens);
        Message { reasoning: self.reasoning, truncated: self.truncated, origins, ..message }
    }
}

/// A message as it is stored, without what its position says.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredMessage {
    run: RunId,
    pub(super) role: Role,
    pub(super) content: Content,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    author: Activation,
    pub(super) tokens: u32,
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    origins: Origins,
    at: u64,
}

impl StoredMessage {
    pub(super) fn of(message: &Message, run: &RunId, at: u64) -> Self {
        Self {
            run: run.clone(),
            role: message.role,
            content: message.content.clone(),
            reasoning: message.reasoning.clone(),
            truncated: message.truncated,
            author: message.author.clone(),
            tokens: message.tokens,
            origins: message.origins.clone(),
            at,
        }
    }

    pub(super) fn at_place(self, id: u64, conversation: &ConversationId) -> ConversationMessage {
        let Self { run, role, content, reasoning, truncated, author, tokens, origins, at } = self;
        let conversation = conversation.clone();
        ConversationMessage {
            id,
            conversation,
            run,
            role,
            content,
            reasoning,
            truncated,
            author,
            tokens,
            origins,
            created_at: at,
        }
    }
}

/// A title from a first question: its first line, up to 60 characters.
pub(super) fn title_of(question: &str) -> String {
    let line = question.trim().lines().next().unwrap_or_default().trim();
    let title: String = line.chars().take(60).collect();
    if title.len() < line.len() { format!("{}…", title.trim_end()) } else { title }
}
