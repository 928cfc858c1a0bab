//! `plait keys`, `plait providers`, `plait usage`: what has to do with models beside any run.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_help = "\
A key is read from standard input, or asked for without showing it; never from the command line, which other programs can
see. It is kept in the system's keychain. Where there is none it is kept in an encrypted file of the data directory: locked
with the passphrase in PLAIT_KEYS_PASSPHRASE, or, without one, with a key in a file beside it that only its owner may read.
That second lock keeps keys out of plain sight and out of copies of the one file; it does not stop whoever can read both.

PLAIT_KEYCHAIN=off uses the file even where there is a keychain. A key that is stored goes before one in the environment.

Examples:
  plait keys set openai
  pass show openai | plait keys set openai
  plait keys list")]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Keep the key of a provider, read from standard input or asked for.
    Set {
        /// The provider.
        provider: String,
    },
    /// Forget the keys of providers. Those in the environment stay.
    Rm {
        /// The providers.
        #[arg(required = true)]
        provider: Vec<String>,
    },
    /// Say where each provider's key comes from. Shows no key.
    List {
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait providers list
  plait providers test openai
  plait providers test local --model my-model
  plait providers models ollama")]
pub(crate) struct ProvidersArgs {
    #[command(subcommand)]
    pub(crate) command: ProvidersCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProvidersCommand {
    /// List the providers, and the model servers that run on this machine.
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check that a provider answers: it is asked for its models, or for a few tokens of one.
    Test {
        /// The provider.
        provider: String,
        /// Ask this model instead of for the list of models.
        #[arg(long)]
        model: Option<String>,
        /// Print the outcome as JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the models a provider offers, one per line.
    Models {
        /// The provider.
        provider: String,
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Costs are those of the day of each call. — stands for an unknown price, ≥ for a sum in which some prices are unknown.

Examples:
  plait usage
  plait usage --days 7
  plait usage --json | jq '.total.cost'")]
pub(crate) struct UsageArgs {
    /// How many days back, today included.
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) days: u32,
    /// Print the usage as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
