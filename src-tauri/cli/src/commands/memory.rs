//! `plait memory`: a user's long-term memory.

mod change;
mod erase;
mod export;
mod list;
mod show;

use clap::{Args, Subcommand, ValueEnum};
use plait_llm::long_term_memory::MemoryKind;

use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

#[derive(Debug, Args)]
#[command(after_help = "\
Flows store memories with the node `remember` and the tool `memory_write`, and find them with `recall` and `memory_read`. Each \
user has a memory of their own; `--user` chooses another user than the current one.

Examples:
  plait memory list --kind fact
  plait memory search \"which trains\"
  plait memory add \"Prefers trains to planes\"
  plait memory add --kind procedure \"Book a trip\" --step \"Ask for the date\" --step \"Book\"
  plait memory edit 3fa1 --text \"Prefers night trains\"
  plait memory erase 3fa1
  plait memory export --format json > memories.json")]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
enum MemoryCommand {
    /// List memories, newest first.
    List(list::ListArgs),
    /// Search memories by words, best first.
    Search(list::SearchArgs),
    /// Show a memory with its steps and where it comes from.
    Show(show::ShowArgs),
    /// Add a memory.
    Add(change::AddArgs),
    /// Change what a memory says. Its old text is erased.
    Edit(change::EditArgs),
    /// Erase memories permanently. The journals of the runs that stored them keep what they recorded.
    Erase(erase::EraseArgs),
    /// Export all memories as Markdown or JSON.
    Export(export::ExportArgs),
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// A statement.
    Fact,
    /// What happened, with its date.
    Episode,
    /// How to do something: a name and steps.
    Procedure,
}

impl From<Kind> for MemoryKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Fact => Self::Fact,
            Kind::Episode => Self::Episode,
            Kind::Procedure => Self::Procedure,
        }
    }
}

fn kind_text(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Fact => "fact",
        MemoryKind::Episode => "episode",
        MemoryKind::Procedure => "procedure",
    }
}

pub(crate) async fn execute(home: &Home, args: MemoryArgs) -> Result<ExitStatus, CliError> {
    let app = match &args.command {
        MemoryCommand::List(_)
        | MemoryCommand::Search(_)
        | MemoryCommand::Show(_)
        | MemoryCommand::Export(_) => open_app::for_reading(home).await?,
        _ => open_app::for_writing(home).await?,
    };
    match args.command {
        MemoryCommand::List(args) => list::execute(&app, args).await?,
        MemoryCommand::Search(args) => list::search(&app, args).await?,
        MemoryCommand::Show(args) => show::execute(&app, &args).await?,
        MemoryCommand::Add(args) => change::add(&app, args).await?,
        MemoryCommand::Edit(args) => change::edit(&app, args).await?,
        MemoryCommand::Erase(args) => erase::execute(&app, args).await?,
        MemoryCommand::Export(args) => export::execute(&app, args).await?,
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}
