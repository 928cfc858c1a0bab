//! `plait conversations list`.

use std::io::Write as _;
use std::path::Path;

use clap::Args;
use plait_api::Connection;
use plait_api::conversations::{ConversationFlow, ListConversations};

use crate::exit::CliError;
use crate::flow_source::FlowSource;
use crate::format::{first_line, format_time, new_table, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only conversations of this flow: a file, or the ID of an example flow.
    #[arg(long, value_name = "FLOW")]
    flow: Option<String>,
    /// Only conversations that contain all of these words.
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Maximum number of conversations.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Print the conversations as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: ListArgs) -> Result<(), CliError> {
    let ListArgs { flow, search, limit, json } = args;
    let filtered = flow.is_some() || search.is_some();
    let flow = flow.map(|name| find_flow(&name)).transpose()?;
    let conversations = app.call(ListConversations { user: None, flow, search, limit: Some(limit) }).await?;
    let mut out = stdout();
    if json {
        writeln!(out, "{}", to_json(&conversations)?)?;
        return Ok(());
    }
    if conversations.is_empty() {
        print_error(if filtered {
            "No matching conversations.\n"
        } else {
            "There are no conversations yet. Start one: plait run chat-loop --conversation new\n"
        });
        return Ok(());
    }
    let mut table = new_table(&["Conversation", "Title", "Flow", "Changed", "Messages", "Tokens", "Cost"]);
    for conversation in &conversations {
        table.add_row([
            conversation.id.to_string(),
            first_line(&conversation.title, 40),
            first_line(&conversation.flow_name, 30),
            format_time(conversation.updated_at),
            conversation.messages.to_string(),
            conversation.tokens.to_string(),
            conversation.spent.cost.to_string(),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(())
}

/// The flow of a file, or an example flow. The file may no longer exist if its path is absolute.
fn find_flow(name: &str) -> Result<ConversationFlow, CliError> {
    if !Path::new(name).exists() && Path::new(name).is_absolute() {
        return Ok(ConversationFlow { path: Some(name.to_owned()), name: String::new() });
    }
    let source = FlowSource::load(name.as_ref())?;
    Ok(ConversationFlow::new(&source.flow, source.path_text().as_deref()))
}
