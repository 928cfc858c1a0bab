//! `plait knowledge rm`.

use clap::Args;
use plait_api::Connection;
use plait_api::knowledge::RemoveKnowledge;

use crate::exit::{CliError, ExitStatus};
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// The names of knowledge bases.
    #[arg(required = true)]
    names: Vec<String>,
}

pub(super) async fn execute(app: &Connection, args: RemoveArgs) -> Result<ExitStatus, CliError> {
    for name in args.names {
        app.call(RemoveKnowledge { name: name.clone() }).await?;
        print_error(&format!("Removed knowledge base {name}. Its files stay.\n"));
    }
    Ok(ExitStatus::Success)
}
