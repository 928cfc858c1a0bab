//! Messages of a context: role, content, tool calls, author.

mod request_hash;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use plait_core::attachment::Attachment;
use plait_core::id::{Activation, MessageId};
use plait_core::origin::Origins;
pub use request_hash::{KeptHash, MessageHash};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// Instructions.
    System,
    /// The person, or what stands for them.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// The name under which a text of several turns has what it says.
    pub fn speaker(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User | Self::Tool => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One part of a message's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image or a file.
    Attachment(Attachment),
}

/// The content of a message: plain text, or parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(untagged)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Parts, in order.
    Parts(Vec<Part>),
}

impl Content {
    /// Whether its text is this one.
    pub fn is_text(&self, text: &str) -> bool {
        match self {
            Self::Text(own) => own == text,
            Self::Parts(_) => self.text() == text,
        }
    }

    /// The text, with parts joined by newlines, without other media.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    Part::Attachment(_) => None,
                })
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    /// Text with these attachments after it.
    pub fn with_attachments(text: String, attachments: impl IntoIterator<Item = Attachment>) -> Self {
        let mut attachments = attachments.into_iter().map(Part::Attachment).peekable();
        if attachments.peek().is_none() {
            return Self::Text(text);
        }
        let text = (!text.is_empty()).then_some(Part::Text { text });
        Self::Parts(text.into_iter().chain(attachments).collect())
    }

    /// The same with the labels of these attachments in its text, in place of the attachments.
    #[must_use]
    pub fn with_labels_of(&self, is_named: impl Fn(&Attachment) -> bool) -> Self {
        let (named, others): (Vec<&Attachment>, Vec<&Attachment>) =
            self.attachments().partition(|attachment| is_named(attachment));
        if named.is_empty() {
            return self.clone();
        }
        let lines = std::iter::once(self.text()).chain(named.iter().map(|attachment| attachment.label()));
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        Self::with_attachments(lines.join("\n"), others.into_iter().cloned())
    }

    /// The text, with a label for each attachment.
    pub fn labeled_text(&self) -> String {
        self.with_labels_of(|_| true).text()
    }

    /// Its images and files.
    pub fn attachments(&self) -> impl Iterator<Item = &Attachment> {
        let parts = match self {
            Self::Text(_) => &[][..],
            Self::Parts(parts) => parts,
        };
        parts.iter().filter_map(|part| match part {
            Part::Text { .. } => None,
            Part::Attachment(attachment) => Some(attachment),
        })
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A model's call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The model's id for this call; its result refers to it.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    #[ts(type = "unknown")]
    pub arguments: Value,
}

/// One message of a context's history. Immutable; shared, never copied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Unique in the run.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    pub content: Content,
    /// The model's reasoning, if it reported any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning: Option<String>,
    /// The tool calls of an assistant message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ToolCall>>")]
    pub tool_calls: Vec<ToolCall>,
    /// For the result of a tool: the id of its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call_id: Option<String>,
    /// For an assistant message within a turn: data of its provider that must be sent back verbatim with it (signed or
    /// encrypted reasoning). An object whose only key names the protocol; other protocols ignore it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub provider_state: Option<Value>,
    /// The message that it repeats: what a node said in another context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub repeats: Option<MessageId>,
    /// Whether its end is missing: the reply reached a limit of tokens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub truncated: bool,
    /// For the result of a tool: whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_error: bool,
    /// The activation that wrote it.
    pub author: Activation,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// Its size in tokens, counted once when it was created.
    pub tokens: u32,
    /// Of what a model is sent of it, once [asked for](Self::request_hash).
    #[serde(skip)]
    #[ts(skip)]
    pub hash: KeptHash,
}

impl Message {
    /// Whether another message is the same but for where it comes from: journals of early versions do not say that.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self == other || *self == Self { origins: self.origins.clone(), ..other.clone() }
    }

    pub fn plain(
        id: MessageId,
        role: Role,
        content: impl Into<Content>,
        author: Activation,
        tokens: u32,
    ) -> Self {
        Self {
            id,
            role,
            content: content.into(),
            reasoning: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            provider_state: None,
            repeats: None,
            truncated: false,
            is_error: false,
            author,
            origins: Origins::NONE,
            tokens,
            hash: KeptHash::default(),
        }
    }
}

/// A message, shared between history, snapshots and events.
pub type SharedMessage = Arc<Message>;
