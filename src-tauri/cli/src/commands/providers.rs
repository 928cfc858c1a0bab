//! `plait providers`.

mod add;
mod fields;
mod list;
mod models;
mod presets;
mod remove;
mod set;
mod test;

use clap::{Args, Subcommand};
use plait_api::ErrorReply;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait providers list
  plait providers add groq
  plait providers add mine --kind openai-chat --url https://models.example.com/v1 --key-env MY_KEY
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
    /// Add a provider: from ready-made settings, or any server that speaks a known protocol.
    Add(add::AddArgs),
    /// Change the settings of a provider.
    Set(set::SetArgs),
    /// Remove providers, with their keys.
    #[command(name = "rm", alias = "remove")]
    Remove(remove::RemoveArgs),
    /// List the ready-made settings that `add` knows.
    Presets(presets::PresetsArgs),
    /// Check that a provider replies and accepts the key.
    Test(test::TestArgs),
    /// List the models of a provider, one per line.
    Models(models::ModelsArgs),
}

pub(crate) async fn execute(home: &Home, args: ProvidersArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_writing(home).await?;
    let result = match args.command {
        ProvidersCommand::List(args) => list::execute(&app, &args).await,
        ProvidersCommand::Add(args) => add::execute(&app, args).await,
        ProvidersCommand::Set(args) => set::execute(&app, args).await,
        ProvidersCommand::Remove(args) => remove::execute(&app, args).await,
        ProvidersCommand::Presets(args) => presets::execute(&app, &args).await,
        ProvidersCommand::Test(args) => test::execute(&app, args).await,
        ProvidersCommand::Models(args) => models::execute(&app, args).await,
    };
    app.close().await?;
    result
}

fn count(models: &[String]) -> String {
    match models.len() {
        1 => "1 model".to_owned(),
        count => format!("{count} models"),
    }
}

/// The error for a provider that is not there.
fn unknown(name: &str, names: &[String]) -> ErrorReply {
    ErrorReply::new(codes::PROVIDER_UNKNOWN, format!("There is no provider `{name}`."))
        .hint(format!("There are: {}. Add others with `plait providers add`.", names.join(", ")))
}
