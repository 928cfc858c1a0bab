//! `conversations.export`: a conversation as Markdown or JSON.

use std::fmt::Write as _;

use plait_core::id::ConversationId;
use plait_llm::context::Role;
use plait_store::conversation::record::{ConversationMessage, ConversationRecord};
use serde::{Deserialize, Serialize};
use serde_json::json;
use ts_rs::TS;

use super::service::ConversationService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::text_export::{ExportFormat, json_text, write_if_named};

/// `conversations.export`: returns a whole conversation as text, and writes it to a file if one is named. Markdown has a heading
/// for the conversation and one for each message, JSON is `{"conversation": …, "messages": […]}`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportConversation {
    pub conversation: ConversationId,
    pub format: ExportFormat,
    /// The file to write. An existing file is replaced.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportedConversation {
    /// A suggested file name.
    pub name: String,
    pub text: String,
}

impl Command for ExportConversation {
    const NAME: &'static str = "conversations.export";
    type Service = ConversationService;
    type Reply = ExportedConversation;

    async fn run(self, service: &ConversationService) -> Result<ExportedConversation, ErrorReply> {
        let store = service.store.clone();
        // Messages may be older than a key that they hold.
        let redaction = service.keys.redaction_with_stored_keys().await;
        run_blocking(move || {
            let record = store.conversation(&self.conversation)?;
            let messages = store.conversation_messages(&self.conversation, 0, usize::MAX)?;
            let text = match self.format {
                ExportFormat::Markdown => redaction.text(&markdown_text(&record, &messages)).into_owned(),
                ExportFormat::Json => {
                    let mut document = json!({ "conversation": record, "messages": messages });
                    redaction.value(&mut document);
                    json_text("The conversation", &document)?
                }
            };
            write_if_named(self.path.as_deref(), &text)?;
            let name = format!("{}.{}", file_name(&record), self.format.extension());
            Ok(ExportedConversation { name, text })
        })
        .await
    }
}

fn markdown_text(record: &ConversationRecord, messages: &[ConversationMessage]) -> String {
    let title = if record.title.is_empty() { "Conversation" } else { &record.title };
    let mut text = format!("# {title}\n");
    if !record.flow_name.is_empty() {
        // Writing to a `String` never fails.
        let _ = write!(text, "\nWith the flow *{}*.\n", record.flow_name);
    }
    for message in messages {
        let author = if message.role == Role::User { "User" } else { "Assistant" };
        let _ = write!(text, "\n## {author}\n\n{}\n", message.content.text().trim_end());
    }
    text
}

/// The title, reduced to characters that are valid in a file name on every platform.
fn file_name(record: &ConversationRecord) -> String {
    let to_valid = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let name: String = record.title.to_lowercase().chars().map(to_valid).collect();
    let words: Vec<_> = name.split('-').filter(|word| !word.is_empty()).take(8).collect();
    if words.is_empty() { "conversation".to_owned() } else { words.join("-") }
}
