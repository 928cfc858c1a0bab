//! `plait providers presets`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::providers::ListPresets;

use crate::exit::{CliError, ExitStatus};
use crate::format::new_table;
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct PresetsArgs {
    /// Print them as JSON, with their quirks and their sources.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &PresetsArgs) -> Result<ExitStatus, CliError> {
    let presets = app.call(ListPresets {}).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", serde_json::json!(presets))?;
        return Ok(ExitStatus::Success);
    }
    let mut table = new_table(&["Preset", "Server", "URL", "Key"]);
    for preset in presets {
        let (url, key) = (preset.settings.base_url, preset.settings.key_env);
        table.add_row([preset.name, preset.title, url.unwrap_or_default(), key.unwrap_or_default()]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(ExitStatus::Success)
}
