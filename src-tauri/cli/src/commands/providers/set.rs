//! `plait providers set`.

use std::io::Write as _;

use clap::Args;
use plait_api::settings::{GetSettings, SetSettings};
use plait_api::{Connection, ErrorReply};

use super::fields::{Field, FieldArgs};
use super::unknown;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
When the URL moves to another host, the key of the former host is removed.

Examples:
  plait providers set mine --url https://models.example.com/v2
  plait providers set mine --token-limit max_completion_tokens --strict false
  plait providers set mine --unset token-limit --unset strict")]
pub(super) struct SetArgs {
    /// Provider name.
    name: String,
    #[command(flatten)]
    fields: FieldArgs,
    /// Setting to put back to its default. Repeatable.
    #[arg(long, value_enum, value_name = "SETTING")]
    unset: Vec<Field>,
}

pub(super) async fn execute(app: &Connection, args: SetArgs) -> Result<ExitStatus, CliError> {
    let SetArgs { name, fields, unset } = args;
    let mut settings = app.call(GetSettings {}).await?;
    let names: Vec<String> = settings.providers.keys().cloned().collect();
    let provider = settings.providers.get_mut(&name).ok_or_else(|| unknown(&name, &names))?;
    let before = provider.clone();
    fields.apply(provider);
    for field in unset {
        field.unset(provider);
    }
    if *provider == before {
        return Err(ErrorReply::new(
            codes::PROVIDER_BAD_SETTINGS,
            format!("Nothing of `{name}` would change."),
        )
        .hint("Give the settings to change; `plait providers set --help` lists them.")
        .into());
    }
    app.call(SetSettings { settings }).await?;
    writeln!(stdout(), "Changed {name}.")?;
    Ok(ExitStatus::Success)
}
