//! `plait conversations fork`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::conversations::ForkConversation;

use super::find;
use crate::exit::CliError;
use crate::format::first_line;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ForkArgs {
    /// Conversation ID, a unique prefix of one, or `last`.
    conversation: String,
    /// Number of the last message to copy, as printed by `show`. A user message itself is left out, to be asked again.
    message: u64,
}

pub(super) async fn execute(app: &Connection, args: &ForkArgs) -> Result<(), CliError> {
    let conversation = find(app, &args.conversation).await?;
    let forked = app.call(ForkConversation { conversation, message: args.message }).await?;
    writeln!(stdout(), "{}", forked.conversation.id)?;
    if let Some(message) = forked.asked {
        print_error(&format!(
            "The fork ends before the user message \u{201c}{}\u{201d}.\n",
            first_line(&message, 60)
        ));
    }
    Ok(())
}
