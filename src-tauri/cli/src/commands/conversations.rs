//! `plait conversations`. Also finds the conversation that an argument names.

mod export;
mod fork;
mod keep;
mod list;
mod remove;
mod rename;
mod show;

use clap::{Args, Subcommand};
use plait_api::conversations::{ConversationFlow, ListConversations, OpenConversation, ResolveConversation};
use plait_api::{Connection, ErrorReply};
use plait_core::flow::Flow;
use plait_core::id::ConversationId;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait conversations list --search invoice
  plait conversations export 0197 > conversation.md
  plait conversations fork 0197 5
  plait rerun last --from answer --yes; plait conversations keep last")]
pub(crate) struct ConversationsArgs {
    #[command(subcommand)]
    command: ConversationsCommand,
}

#[derive(Debug, Subcommand)]
enum ConversationsCommand {
    /// List conversations, last changed first.
    List(list::ListArgs),
    /// Show the messages of a conversation, with their numbers.
    Show(show::ShowArgs),
    /// Export a conversation as Markdown or JSON.
    Export(export::ExportArgs),
    /// Change the title of a conversation.
    Rename(rename::RenameArgs),
    /// Copy a conversation up to a message into a new one, and print its ID.
    Fork(fork::ForkArgs),
    /// Keep what a forked run said: as a conversation of its own, whose ID is printed.
    Keep(keep::KeepArgs),
    /// Delete conversations permanently.
    Rm(remove::RemoveArgs),
}

pub(crate) async fn execute(home: &Home, args: ConversationsArgs) -> Result<ExitStatus, CliError> {
    let app = match &args.command {
        ConversationsCommand::List(_) | ConversationsCommand::Show(_) | ConversationsCommand::Export(_) => {
            open_app::for_reading(home).await?
        }
        _ => open_app::for_writing(home).await?,
    };
    match args.command {
        ConversationsCommand::List(args) => list::execute(&app, args).await?,
        ConversationsCommand::Show(args) => show::execute(&app, &args).await?,
        ConversationsCommand::Export(args) => export::execute(&app, args).await?,
        ConversationsCommand::Rename(args) => rename::execute(&app, args).await?,
        ConversationsCommand::Fork(args) => fork::execute(&app, &args).await?,
        ConversationsCommand::Keep(args) => keep::execute(&app, &args).await?,
        ConversationsCommand::Rm(args) => remove::execute(&app, &args).await?,
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}

/// The conversation that a run continues. Its ID is printed on standard error.
pub(super) async fn open(
    app: &Connection,
    name: &str,
    flow: &Flow,
    path: Option<&str>,
) -> Result<ConversationId, ErrorReply> {
    let id = match name {
        "new" | "last" => {
            let flow = ConversationFlow::new(flow, path);
            app.call(OpenConversation { flow, user: None, new: name == "new" }).await?.id
        }
        prefix => app.call(ResolveConversation { prefix: prefix.to_owned() }).await?,
    };
    print_error(&format!("Conversation {id}\n"));
    Ok(id)
}

/// The conversation that an argument names: its ID, a unique prefix of it, or `last`.
async fn find(app: &Connection, name: &str) -> Result<ConversationId, ErrorReply> {
    if name != "last" {
        return app.call(ResolveConversation { prefix: name.to_owned() }).await;
    }
    let latest = app.call(ListConversations { limit: Some(1), ..ListConversations::default() }).await?;
    latest.into_iter().next().map(|conversation| conversation.id).ok_or_else(|| {
        ErrorReply::new(codes::CONVERSATION_NONE, "There are no conversations yet.")
            .hint("Start one: plait run chat-loop --conversation new")
    })
}
