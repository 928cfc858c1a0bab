//! `plait memory erase`.

use clap::Args;
use plait_api::Connection;
use plait_api::memories::{EraseMemories, ResolveMemory};

use crate::exit::CliError;
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct EraseArgs {
    /// Memory IDs, or unique prefixes of them.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    memory: Vec<String>,
    /// Erase all memories of the user.
    #[arg(long)]
    all: bool,
}

pub(super) async fn execute(app: &Connection, args: EraseArgs) -> Result<(), CliError> {
    let ids = if args.all {
        None
    } else {
        // Every id is resolved before anything is erased, so that a typo erases nothing.
        let mut found = Vec::new();
        for prefix in args.memory {
            found.push(app.call(ResolveMemory { prefix }).await?.id);
        }
        Some(found)
    };
    let erased = app.call(EraseMemories { user: None, ids }).await?;
    print_error(&match erased.count {
        1 => "Erased 1 memory.\n".to_owned(),
        count => format!("Erased {count} memories.\n"),
    });
    Ok(())
}
