//! `plait mcp remove`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::mcp::RemoveMcpServer;

use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// Names of the servers.
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

pub(super) async fn execute(app: &Connection, args: RemoveArgs) -> Result<ExitStatus, CliError> {
    for name in args.names {
        app.call(RemoveMcpServer { name: name.clone() }).await?;
        writeln!(stdout(), "Removed {name}.")?;
    }
    Ok(ExitStatus::Success)
}
