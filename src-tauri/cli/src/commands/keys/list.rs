//! `plait keys list`.

use std::io::Write as _;

use clap::Args;
use plait_api::keys::{KeyLocation, KeySource};
use plait_api::providers::{GetProviderStatus, KeyStatus, ProviderStatus};
use plait_api::{Connection, ErrorReply};

use super::storage_name;
use crate::exit::{CliError, error_text};
use crate::format::new_table;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print the sources as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let status = app.call(GetProviderStatus {}).await?;
    let mut out = stdout();
    let providers = status.providers.iter().filter(|provider| provider.takes_key);
    if args.json {
        let keys: Vec<_> = providers
            .map(|provider| {
                serde_json::json!({
                    "provider": provider.name,
                    "needsKey": provider.needs_key,
                    "key": provider.key,
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::Array(keys))?;
        return Ok(());
    }
    let mut table = new_table(&["Provider", "Key", "Source"]);
    for provider in providers {
        table.add_row([
            provider.name.clone(),
            masked_key(&provider.key),
            key_source(provider, &status.key_place),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    // The first problem is enough: they usually have the same cause.
    if let Some(fault) = status.providers.iter().find_map(|provider| provider.key.problem.as_ref()) {
        print_error(&error_text(&ErrorReply::from(fault.clone())));
    }
    Ok(())
}

fn masked_key(key: &KeyStatus) -> String {
    match (&key.source, &key.ending) {
        (None, _) => String::new(),
        (Some(_), Some(ending)) => format!("…{ending}"),
        (Some(_), None) => "set".to_owned(),
    }
}

pub(crate) fn key_source(provider: &ProviderStatus, place: &KeyLocation) -> String {
    match (&provider.key.source, &provider.key.problem) {
        (_, Some(fault)) => fault.code.to_string(),
        (Some(KeySource::Environment), _) => provider.key.variable.clone().unwrap_or_default(),
        (Some(source), _) => match &provider.key.set_for {
            Some(other) => format!("{}, set for {other}", storage_name(*source, place)),
            None => storage_name(*source, place),
        },
        (None, _) if provider.needs_key => {
            format!("not set (reads {})", provider.settings.key_env.as_deref().unwrap_or_default())
        }
        (None, _) if provider.takes_key => "not set (optional)".to_owned(),
        (None, _) => String::new(),
    }
}
