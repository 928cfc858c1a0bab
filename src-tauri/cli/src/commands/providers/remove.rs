//! `plait providers rm`.

use std::io::Write as _;

use clap::Args;
use plait_api::providers::GetProviderStatus;
use plait_api::settings::{GetSettings, SetSettings};
use plait_api::{Connection, ErrorReply};

use super::unknown;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// Provider names. A built-in provider gets its own settings back.
    #[arg(required = true)]
    names: Vec<String>,
}

pub(super) async fn execute(app: &Connection, args: RemoveArgs) -> Result<ExitStatus, CliError> {
    let status = app.call(GetProviderStatus {}).await?.providers;
    let all: Vec<String> = status.iter().map(|one| one.name.clone()).collect();
    let mut settings = app.call(GetSettings {}).await?;
    let mut done = Vec::new();
    for name in &args.names {
        let provider = status.iter().find(|one| one.name == *name).ok_or_else(|| unknown(name, &all))?;
        if provider.built_in && !provider.changed {
            let message = format!("The provider `{name}` is built in and cannot be removed.");
            return Err(ErrorReply::new(codes::PROVIDER_BUILT_IN, message)
                .hint(format!("To remove its key, use `plait keys rm {name}`."))
                .into());
        }
        settings.providers.remove(name);
        done.push(if provider.built_in {
            format!("Put back the settings of {name}.")
        } else {
            format!("Removed {name} and its key.")
        });
    }
    app.call(SetSettings { settings }).await?;
    let mut out = stdout();
    done.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(ExitStatus::Success)
}
