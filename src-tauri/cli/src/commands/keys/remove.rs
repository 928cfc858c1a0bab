//! `plait keys rm`.

use clap::Args;
use plait_api::Connection;
use plait_api::keys::KeySource;
use plait_api::providers::{GetProviderStatus, RemoveKey};

use crate::exit::CliError;
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// Provider names.
    #[arg(required = true)]
    provider: Vec<String>,
}

pub(super) async fn execute(app: &Connection, args: RemoveArgs) -> Result<(), CliError> {
    let status = app.call(GetProviderStatus {}).await?;
    for provider in args.provider {
        let source_before =
            status.providers.iter().find(|known| known.name == provider).map(|known| known.key.source);
        let after = app.call(RemoveKey { provider: provider.clone() }).await?;
        let was_stored = !matches!(source_before, Some(None | Some(KeySource::Environment)));
        print_error(&match (was_stored, after.key.variable) {
            (true, None) => format!("Removed the key of {provider}.\n"),
            (true, Some(variable)) => {
                format!("Removed the key of {provider}. The key in {variable} is used from now on.\n")
            }
            (false, None) => format!("No key of {provider} is stored.\n"),
            (false, Some(variable)) => {
                format!("No key of {provider} is stored. The key in {variable} is used.\n")
            }
        });
    }
    Ok(())
}
