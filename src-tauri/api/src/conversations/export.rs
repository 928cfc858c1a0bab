//! `conversations.export`: a conversation as a text that people or programs read.

use std::fmt::Write as _;
use std::path::Path;

use plait_adapters::files;
use plait_adapters::store::conversation::record::{ConversationMessage, ConversationRecord};
use plait_engine::context::Role;
use plait_engine::id::ConversationId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

/// What a conversation is exported as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// To read: a heading for the conversation and one for each message.
    Markdown,
    /// All that is kept of it: `{"conversation": …, "messages": […]}`.
    Json,
}

/// `conversations.export`: the whole of a conversation as a text, and into a file where one is named.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportConversation {
    /// The conversation.
    pub conversation: ConversationId,
    /// As what.
    pub format: ExportFormat,
    /// The file to write it to, in place of what is there.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

/// A conversation as a text.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportedConversation {
    /// A name for its file.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Command for ExportConversation {
    const NAME: &'static str = "conversations.export";
    type Reply = ExportedConversation;

    async fn run(self, app: &Plait) -> Result<ExportedConversation, ErrorReply> {
        let store = app.store().clone();
        blocking(move || {
            let record = store.conversation(&self.conversation)?;
            let messages = store.conversation_messages(&self.conversation, 0, usize::MAX)?;
            let (text, extension) = match self.format {
                ExportFormat::Markdown => (markdown(&record, &messages), "md"),
                ExportFormat::Json => (in_json(&record, &messages)?, "json"),
            };
            if let Some(path) = &self.path {
                files::write(Path::new(path), &text, None)?;
            }
            Ok(ExportedConversation { name: format!("{}.{extension}", file_name(&record)), text })
        })
        .await
    }
}

fn markdown(record: &ConversationRecord, messages: &[ConversationMessage]) -> String {
    let title = if record.title.is_empty() { "A conversation" } else { &record.title };
    let mut text = format!("# {title}\n");
    if !record.flow_name.is_empty() {
        // A `String` takes everything; so below.
        let _ = write!(text, "\nWith the flow *{}*.\n", record.flow_name);
    }
    for message in messages {
        let who = if message.role == Role::User { "User" } else { "Assistant" };
        let _ = write!(text, "\n## {who}\n\n{}\n", message.content.text().trim_end());
    }
    text
}

fn in_json(record: &ConversationRecord, messages: &[ConversationMessage]) -> Result<String, ErrorReply> {
    serde_json::to_string_pretty(&json!({ "conversation": record, "messages": messages }))
        .map(|text| text + "\n")
        .map_err(|error| {
            ErrorReply::new("output.failed", format!("The conversation could not be written: {error}."))
        })
}

/// The title, as far as every system takes it for a file's name.
fn file_name(record: &ConversationRecord) -> String {
    let kept = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let name: String = record.title.to_lowercase().chars().map(kept).collect();
    let words: Vec<_> = name.split('-').filter(|word| !word.is_empty()).take(8).collect();
    if words.is_empty() { "conversation".to_owned() } else { words.join("-") }
}
