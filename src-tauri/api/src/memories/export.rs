//! `memories.export`: a user's memories as Markdown or JSON.

use std::fmt::Write as _;

use plait_core::user::UserName;
use plait_llm::long_term_memory::{MemoryKind, MemoryRecord, RecallRequest, civil_date};
use serde::{Deserialize, Serialize};
use serde_json::json;
use ts_rs::TS;

use super::MemoryService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::text_export::{ExportFormat, json_text, write_if_named};

/// `memories.export`: returns all memories of a user as text, and writes them to a file if one is named. Markdown has a heading
/// for each kind, JSON is `{"user": …, "memories": […]}`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportMemories {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    pub format: ExportFormat,
    /// The file to write. An existing file is replaced.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportedMemories {
    /// A suggested file name.
    pub name: String,
    pub text: String,
    /// How many memories they are.
    #[ts(type = "number")]
    pub count: u64,
}

impl Command for ExportMemories {
    const NAME: &'static str = "memories.export";
    type Service = MemoryService;
    type Reply = ExportedMemories;

    async fn run(self, service: &MemoryService) -> Result<ExportedMemories, ErrorReply> {
        service.keys.redaction_with_stored_keys().await;
        let service = service.clone();
        run_blocking(move || {
            let user = service.users.resolve(self.user.as_ref())?;
            let mut memories = service.memory.search(&user, &RecallRequest::default())?;
            memories.reverse();
            let text = match self.format {
                ExportFormat::Markdown => markdown_text(&user, &memories),
                ExportFormat::Json => {
                    json_text("The memories", &json!({ "user": user, "memories": memories }))?
                }
            };
            write_if_named(self.path.as_deref(), &text)?;
            let name = format!("memories.{}", self.format.extension());
            Ok(ExportedMemories { name, text, count: memories.len() as u64 })
        })
        .await
    }
}

fn markdown_text(user: &UserName, memories: &[MemoryRecord]) -> String {
    let mut text = format!("# Memories of {user}\n");
    let kinds = [
        (MemoryKind::Fact, "Facts"),
        (MemoryKind::Episode, "Episodes"),
        (MemoryKind::Procedure, "Procedures"),
    ];
    // Writing to a `String` never fails.
    for (kind, title) in kinds {
        let mut of_kind = memories.iter().filter(|memory| memory.content.kind == kind).peekable();
        if of_kind.peek().is_some() {
            let _ = write!(text, "\n## {title}\n\n");
        }
        for memory in of_kind {
            let _ =
                writeln!(text, "- {}: {}", civil_date(memory.at), memory.content.text.replace('\n', "\n  "));
            for (index, step) in memory.content.steps.iter().enumerate() {
                let _ = writeln!(text, "  {}. {}", index + 1, step.replace('\n', "\n     "));
            }
        }
    }
    text
}
