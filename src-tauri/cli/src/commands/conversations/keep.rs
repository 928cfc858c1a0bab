//! `plait conversations keep`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::conversations::KeepFork;

use crate::commands::runs;
use crate::exit::CliError;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct KeepArgs {
    /// The forked run: its ID, a unique prefix of it, or `last`.
    run: String,
}

pub(super) async fn execute(app: &Connection, args: &KeepArgs) -> Result<(), CliError> {
    let run = runs::find(app, &args.run).await?;
    let kept = app.call(KeepFork { run }).await?;
    if let Some(conversation) = kept.conversation {
        writeln!(stdout(), "{}", conversation.id)?;
    }
    let (stored, erased) = (kept.stored_memories, kept.erased_memories);
    if stored + erased > 0 {
        print_error(&format!("Taken over into the long-term memory: {stored} stored, {erased} erased.\n"));
    }
    Ok(())
}
