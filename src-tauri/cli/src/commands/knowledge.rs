//! `plait knowledge`.

mod add;
mod index;
mod list;
mod remove;
mod search;

use clap::{Args, Subcommand};

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait knowledge add handbook ~/Documents/handbook
  plait knowledge search \"how do I book a train\"
  plait knowledge index handbook --all")]
pub(crate) struct KnowledgeArgs {
    #[command(subcommand)]
    command: KnowledgeCommand,
}

#[derive(Debug, Subcommand)]
enum KnowledgeCommand {
    /// List knowledge bases.
    List(list::ListArgs),
    /// Add folders and files as a knowledge base, and index them.
    Add(add::AddArgs),
    /// Index what changed.
    Index(index::IndexArgs),
    /// Show the passages that fit a query.
    Search(search::SearchArgs),
    /// Remove knowledge bases and their indexes. Their files stay.
    Rm(remove::RemoveArgs),
}

pub(crate) async fn execute(home: &Home, args: KnowledgeArgs) -> Result<ExitStatus, CliError> {
    let app = match &args.command {
        KnowledgeCommand::List(_) => open_app::for_reading(home).await?,
        // Beside a running window, the window's index is searched.
        KnowledgeCommand::Search(_) => match open_app::for_writing_now(home).await {
            Err(error) if error.code == codes::STORE_LOCKED => open_app::for_reading(home).await?,
            opened => opened?,
        },
        _ => open_app::for_writing(home).await?,
    };
    let status = match args.command {
        KnowledgeCommand::List(args) => list::execute(&app, &args).await?,
        KnowledgeCommand::Add(args) => add::execute(&app, args).await?,
        KnowledgeCommand::Index(args) => index::execute(&app, args).await?,
        KnowledgeCommand::Search(args) => search::execute(&app, args).await?,
        KnowledgeCommand::Rm(args) => remove::execute(&app, args).await?,
    };
    app.close().await?;
    Ok(status)
}
