//! `plait providers test`.

use std::io::Write as _;

use clap::Args;
use plait_api::providers::{TestProvider, Tested};
use plait_api::{Connection, ErrorReply};

use super::count;
use crate::exit::{CliError, ExitStatus, error_text};
use crate::format::{format_duration, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// Provider name.
    provider: String,
    /// Generate a few tokens with this model instead of listing the models.
    #[arg(long)]
    model: Option<String>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: TestArgs) -> Result<ExitStatus, CliError> {
    let TestArgs { provider, model, json } = args;
    let report = app.call(TestProvider { provider: provider.clone(), model: model.clone() }).await?;
    let status = if report.fault.is_none() { ExitStatus::Success } else { ExitStatus::Failure };
    let mut out = stdout();
    if json {
        writeln!(out, "{}", to_json(&report)?)?;
        return Ok(status);
    }
    let duration = format_duration(report.took_ms);
    match (&report.fault, report.tested) {
        (Some(fault), _) => print_error(&error_text(&ErrorReply::from(fault.clone()))),
        (None, Tested::Models) => {
            let models = count(report.models.as_deref().unwrap_or_default());
            writeln!(out, "{provider} replied with {models} in {duration}.")?;
        }
        (None, Tested::Call) => {
            writeln!(out, "{provider} replied with {} in {duration}.", model.unwrap_or_default())?;
        }
    }
    Ok(status)
}
