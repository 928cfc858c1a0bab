//! `plait providers`.

mod list;
mod models;
mod test;

use clap::{Args, Subcommand};

use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait providers list
  plait providers test openai
  plait providers test local --model my-model
  plait providers models ollama")]
pub(crate) struct ProvidersArgs {
    #[command(subcommand)]
    command: ProvidersCommand,
}

#[derive(Debug, Subcommand)]
enum ProvidersCommand {
    /// List providers, and the model servers on this machine.
    List(list::ListArgs),
    /// Check that a provider replies and accepts the key.
    Test(test::TestArgs),
    /// List the models of a provider, one per line.
    Models(models::ModelsArgs),
}

pub(crate) async fn execute(home: &Home, args: ProvidersArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_writing(home)?;
    let status = match args.command {
        ProvidersCommand::List(args) => list::execute(&app, &args).await?,
        ProvidersCommand::Test(args) => test::execute(&app, args).await?,
        ProvidersCommand::Models(args) => models::execute(&app, args).await?,
    };
    app.close().await?;
    Ok(status)
}

fn count(models: &[String]) -> String {
    match models.len() {
        1 => "1 model".to_owned(),
        count => format!("{count} models"),
    }
}
