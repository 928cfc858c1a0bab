//! `plait conversations rm`.

use clap::Args;
use plait_api::Connection;
use plait_api::conversations::DeleteConversation;

use super::find;
use crate::exit::CliError;
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// Conversation IDs, unique prefixes of them, or `last`.
    #[arg(required = true)]
    conversation: Vec<String>,
}

pub(super) async fn execute(app: &Connection, args: &RemoveArgs) -> Result<(), CliError> {
    // Every name is resolved before anything is deleted, so that a typo deletes nothing.
    let mut conversations = Vec::new();
    for name in &args.conversation {
        conversations.push(find(app, name).await?);
    }
    for conversation in conversations {
        app.call(DeleteConversation { conversation: conversation.clone() }).await?;
        print_error(&format!("Deleted conversation {conversation}.\n"));
    }
    Ok(())
}
