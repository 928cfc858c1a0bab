//! `plait providers models`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::providers::ListModels;

use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct ModelsArgs {
    /// Provider name.
    provider: String,
    /// Print the models as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: ModelsArgs) -> Result<ExitStatus, CliError> {
    let models = app.call(ListModels { provider: args.provider, refresh: false }).await?.models;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", serde_json::json!(models))?;
    } else {
        models.iter().try_for_each(|model| writeln!(out, "{model}"))?;
    }
    Ok(ExitStatus::Success)
}
