//! `plait conversations show`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::conversations::ListMessages;
use plait_llm::context::Role;

use super::find;
use crate::exit::CliError;
use crate::format::{first_line, format_time, to_json};
use crate::progress::TRUNCATED;
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Conversation ID, a unique prefix of one, or `last`.
    conversation: String,
    /// Print one message per line as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ShowArgs) -> Result<(), CliError> {
    let id = find(app, &args.conversation).await?;
    let mut from = 0;
    loop {
        let page = app.call(ListMessages { conversation: id.clone(), from, limit: None }).await?;
        let mut out = stdout();
        if from == 0 && !args.json {
            let record = &page.conversation;
            let title = if record.title.is_empty() { "Untitled conversation" } else { &record.title };
            writeln!(out, "{title}\nConversation {}, {}", record.id, first_line(&record.flow_name, 60))?;
        }
        for message in &page.messages {
            if args.json {
                writeln!(out, "{}", to_json(message)?)?;
                continue;
            }
            let author = if message.role == Role::User { "user" } else { "assistant" };
            writeln!(out, "\n{} {author}, {}", message.id, format_time(message.created_at))?;
            writeln!(out, "{}", message.content.text().trim_end())?;
            if message.truncated {
                writeln!(out, "[{TRUNCATED}]")?;
            }
        }
        match page.next {
            Some(next) => from = next,
            None => return Ok(()),
        }
    }
}
