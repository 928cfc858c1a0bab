//! What the store keeps of a conversation: its record, as lists show it, and its messages. Refuses to know where they
//! stand in the database.

use plait_engine::context::conversation::{ConversationRef, SummaryRef, message_id};
use plait_engine::context::{Content, Message, Role};
use plait_engine::id::{Activation, ConversationId, RunId};
use plait_engine::run::Spending;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRecord {
    /// Which conversation.
    pub id: ConversationId,
    /// The flow it is had with: its file, or, for one that has none, its name behind `name:`.
    pub flow: String,
    /// That flow's name.
    pub flow_name: String,
    /// Who has it.
    pub user: String,
    /// What a provider that keeps sessions knows it by.
    pub thread_id: String,
    /// What people call it: the beginning of the first question, until somebody gives it a name. Empty before that.
    pub title: String,
    /// When it began, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub created_at: u64,
    /// When it last changed, likewise.
    #[ts(type = "number")]
    pub updated_at: u64,
    /// How many messages it holds.
    #[ts(type = "number")]
    pub messages: u64,
    /// What they take together, in tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    /// What the model calls of its runs, and of the runs that these began, have used and cost. Each sends much of what was
    /// said again, so that this is more than `tokens`. A fork's account begins with the fork.
    #[serde(default)]
    pub spent: Spending,
    /// The newest summary of its beginning. The messages it stands for are kept all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<SummaryRef>,
    /// Where it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub forked_from: Option<ForkOrigin>,
}

/// Where a conversation was forked from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForkOrigin {
    /// The other conversation.
    pub conversation: ConversationId,
    /// The last message it took from there.
    #[ts(type = "number")]
    pub message: u64,
}

impl ConversationRecord {
    /// The conversation as a run that begins now is to see it.
    pub fn at(&self) -> ConversationRef {
        ConversationRef {
            id: self.id.clone(),
            thread: self.thread_id.clone(),
            messages: self.messages,
            summary: self.summary.clone(),
        }
    }
}

/// One message of a conversation. It never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationMessage {
    /// Its place in the conversation, from 0.
    #[ts(type = "number")]
    pub id: u64,
    /// The conversation.
    pub conversation: ConversationId,
    /// The run it was said in.
    pub run: RunId,
    /// Who speaks: the user or the assistant.
    pub role: Role,
    /// What is said.
    pub content: Content,
    /// The model's reasoning, where it gave any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning: Option<String>,
    /// The execution that said it.
    pub author: Activation,
    /// What it takes, in tokens, counted once when it was made.
    pub tokens: u32,
    /// When it was said, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub created_at: u64,
}

impl ConversationMessage {
    /// The message as a later run remembers it.
    pub fn remembered(self) -> Message {
        let said = Message::plain(message_id(self.id), self.role, self.content, self.author, self.tokens);
        Message { reasoning: self.reasoning, ..said }
    }
}

/// A message as the database holds it: what its key does not say.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    run: RunId,
    role: Role,
    content: Content,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    author: Activation,
    tokens: u32,
    at: u64,
}

impl Row {
    pub(super) fn of(message: &Message, run: &RunId, at: u64) -> Self {
        Self {
            run: run.clone(),
            role: message.role,
            content: message.content.clone(),
            reasoning: message.reasoning.clone(),
            author: message.author.clone(),
            tokens: message.tokens,
            at,
        }
    }

    pub(super) fn at_place(self, id: u64, conversation: &ConversationId) -> ConversationMessage {
        let Self { run, role, content, reasoning, author, tokens, at } = self;
        let conversation = conversation.clone();
        ConversationMessage {
            id,
            conversation,
            run,
            role,
            content,
            reasoning,
            author,
            tokens,
            created_at: at,
        }
    }
}

/// A title from a first question: its first line, up to 60 characters.
pub(super) fn title_of(question: &str) -> String {
    let line = question.trim().lines().next().unwrap_or_default().trim();
    let cut: String = line.chars().take(60).collect();
    if cut.len() < line.len() { format!("{}…", cut.trim_end()) } else { cut }
}
