//! `plait config`.

mod explain;

use std::io::Write as _;

use clap::{Args, Subcommand};
use plait_api::ErrorReply;
use plait_api::config::{ExplainConfig, SetConfig};
use plait_core::config;
use plait_core::config::{ConfigSource, ResolvedConfig};
use plait_core::error::Fault;
use serde_json::Value;

use crate::exit::{CliError, ExitStatus};
use crate::format::{new_table, to_json};
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
A value can be set in several places. From the widest to the narrowest: built in, the settings, the flow (`settings` of its file), \
the loop around a node, the node. The narrowest place that sets a value holds. `plait config set` writes the settings; flows are \
edited in their files or in the window. Active runs are not affected.

Examples:
  plait config list
  plait config get maxConcurrency
  plait config set agent.provider openai
  plait config set history_management.max_tokens 2048
  plait config unset history_management.max_tokens
  plait config explain history_management.max_tokens my.flow.json clarify")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print the value that holds where flows leave it open.
    Get(KeyArgs),
    /// Set a value in the settings.
    Set(SetArgs),
    /// Remove a value from the settings.
    Unset(KeyArgs),
    /// List all keys with the values that hold where flows leave them open.
    List(ListArgs),
    /// Show what each place says of a value, and which holds.
    Explain(explain::ExplainArgs),
}

#[derive(Debug, Args)]
struct KeyArgs {
    /// Name of the value, like `history_management.max_tokens`. `plait config list` shows all.
    key: String,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct SetArgs {
    /// Name of the value. `plait config list` shows all.
    key: String,
    /// The value. `plait config explain KEY` says what it takes.
    #[arg(required_unless_present = "unset", allow_hyphen_values = true)]
    value: Option<String>,
    /// Remove the value from the settings instead.
    #[arg(long, conflicts_with = "value")]
    unset: bool,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: ConfigArgs) -> Result<ExitStatus, CliError> {
    match args.command {
        ConfigCommand::Get(args) => get(home, args).await?,
        ConfigCommand::Set(SetArgs { key, value, json, .. }) => set(home, key, value, json).await?,
        ConfigCommand::Unset(KeyArgs { key, json }) => set(home, key, None, json).await?,
        ConfigCommand::List(args) => list(home, &args).await?,
        ConfigCommand::Explain(args) => explain::execute(home, args).await?,
    }
    Ok(ExitStatus::Success)
}

async fn get(home: &Home, args: KeyArgs) -> Result<(), CliError> {
    let app = open_app::for_reading(home).await?;
    let found = app.call(ExplainConfig { key: Some(args.key), ..ExplainConfig::default() }).await?;
    app.close().await?;
    found.iter().try_for_each(|resolved| print(resolved, args.json))
}

/// Sets a value, or removes it, and prints what holds then.
async fn set(home: &Home, key: String, text: Option<String>, json: bool) -> Result<(), CliError> {
    let value = match text {
        Some(text) => parse(&key, &text)?,
        None => Value::Null,
    };
    let app = open_app::for_writing(home).await?;
    let resolved = app.call(SetConfig { key, value }).await?;
    app.close().await?;
    print(&resolved, json)
}

fn parse(key: &str, text: &str) -> Result<Value, ErrorReply> {
    Ok(config::find(key).and_then(|key| key.parse(text)).map_err(Fault::from)?)
}

async fn list(home: &Home, args: &ListArgs) -> Result<(), CliError> {
    let app = open_app::for_reading(home).await?;
    let all = app.call(ExplainConfig::default()).await?;
    app.close().await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&all)?)?;
        return Ok(());
    }
    let mut table = new_table(&["Key", "Value", "From"]);
    for resolved in &all {
        table.add_row([resolved.key.clone(), value_text(resolved), source_text(&resolved.source)]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(())
}

fn print(resolved: &ResolvedConfig, json: bool) -> Result<(), CliError> {
    let text = if json { to_json(resolved)? } else { value_text(resolved) };
    writeln!(stdout(), "{text}")?;
    Ok(())
}

/// The value that holds, or in parentheses its dependency.
fn value_text(resolved: &ResolvedConfig) -> String {
    match (&resolved.value, &resolved.depends) {
        (Some(value), _) => text_of(value),
        (None, Some(depends)) => format!("({depends})"),
        (None, None) => String::new(),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text).into_owned(),
        other => other.to_string(),
    }
}

fn source_text(source: &ConfigSource) -> String {
    match source {
        ConfigSource::BuiltIn => "built in".to_owned(),
        ConfigSource::Settings => "settings".to_owned(),
        ConfigSource::Flow => "flow".to_owned(),
        ConfigSource::Loop { node } => format!("loop {}", printable(node.as_str())),
        ConfigSource::Node { node } => format!("node {}", printable(node.as_str())),
    }
}
