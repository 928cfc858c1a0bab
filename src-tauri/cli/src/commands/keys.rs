//! `plait keys`. Never prints a key, and never reads one from the command line.

mod list;
mod remove;
mod set;

use clap::{Args, Subcommand};
use plait_api::keys::{KeyLocation, KeySource};

use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

pub(super) use list::key_source;
pub(super) use set::read_secret;

#[derive(Debug, Args)]
#[command(after_help = "\
A key is read from standard input or from a hidden prompt, never from the command line, which other programs \
can see. It is stored in the keychain of the system. Without a keychain it is stored in an encrypted file in the data \
directory. That file is encrypted with the passphrase in PLAIT_KEYS_PASSPHRASE or, without one, with a secret in a \
second file that only its owner can read. The secret protects copies of the encrypted file, but not against someone who \
can read both files.

PLAIT_KEYCHAIN=off uses the file even if there is a keychain. A stored key takes precedence over one in the environment. \
A key belongs to the host of the provider's base URL: for another host, enter another key.

Examples:
  plait keys set openai
  pass show openai | plait keys set openai
  plait keys list")]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Store the key of a provider, from standard input or a hidden prompt.
    Set(set::SetArgs),
    /// Remove the stored keys of providers.
    Rm(remove::RemoveArgs),
    /// List the source of each provider's key, without the keys.
    List(list::ListArgs),
}

pub(crate) async fn execute(home: &Home, args: KeysArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_reading(home).await?;
    match args.command {
        KeysCommand::Set(args) => set::execute(&app, args).await?,
        KeysCommand::Rm(args) => remove::execute(&app, args).await?,
        KeysCommand::List(args) => list::execute(&app, &args).await?,
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}

fn storage_name(source: KeySource, place: &KeyLocation) -> String {
    match source {
        KeySource::Session => "memory".to_owned(),
        KeySource::Keychain => "the keychain".to_owned(),
        KeySource::File => place.file.clone().unwrap_or_else(|| "the encrypted file".to_owned()),
        KeySource::Environment => "the environment".to_owned(),
    }
}
