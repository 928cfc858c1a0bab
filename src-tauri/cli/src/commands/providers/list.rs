//! `plait providers list`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::providers::{DetectProviders, GetProviderStatus};

use super::count;
use crate::commands::keys::key_source;
use crate::exit::{CliError, ExitStatus};
use crate::format::new_table;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print the providers and servers as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ListArgs) -> Result<ExitStatus, CliError> {
    let servers = app.call(DetectProviders {}).await?;
    let status = app.call(GetProviderStatus {}).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", serde_json::json!({ "providers": status.providers, "found": servers }))?;
        return Ok(ExitStatus::Success);
    }
    let mut table = new_table(&["Provider", "URL", "Key", "Status"]);
    for provider in &status.providers {
        let server = servers.iter().find(|server| server.providers.contains(&provider.name));
        table.add_row([
            provider.name.clone(),
            provider.settings.base_url.clone().unwrap_or_else(|| "none (built-in simulator)".to_owned()),
            key_source(provider, &status.key_place),
            server
                .map(|server| format!("running: {}, {}", server.software, count(&server.models)))
                .unwrap_or_default(),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    for server in servers.iter().filter(|server| server.providers.is_empty()) {
        let url = server.settings.base_url.as_deref().unwrap_or_default();
        print_error(&format!(
            "{} is running at {url} ({}), but no provider uses it.\n",
            server.software,
            count(&server.models)
        ));
    }
    Ok(ExitStatus::Success)
}
