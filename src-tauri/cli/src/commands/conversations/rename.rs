//! `plait conversations rename`.

use clap::Args;
use plait_api::Connection;
use plait_api::conversations::RenameConversation;

use super::find;
use crate::exit::CliError;
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct RenameArgs {
    /// Conversation ID, a unique prefix of one, or `last`.
    conversation: String,
    /// New title.
    title: String,
}

pub(super) async fn execute(app: &Connection, args: RenameArgs) -> Result<(), CliError> {
    let conversation = find(app, &args.conversation).await?;
    let renamed = app.call(RenameConversation { conversation, title: args.title }).await?;
    print_error(&format!("Renamed conversation {} to \u{201c}{}\u{201d}.\n", renamed.id, renamed.title));
    Ok(())
}
