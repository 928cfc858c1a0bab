//! `plait config explain`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;

use clap::Args;
use plait_api::ErrorReply;
use plait_api::config::ExplainConfig;
use plait_core::config;
use plait_core::config::{ConfigKey, ResolvedConfig};
use plait_core::error::Fault;

use super::{source_text, text_of, value_text};
use crate::exit::CliError;
use crate::flow_source::FlowSource;
use crate::format::to_json;
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// Name of the value. `plait config list` shows all.
    key: String,
    /// Flow file (`.flow.json`) or pipeline (`.yaml`), or the ID of an example flow.
    flow: Option<OsString>,
    /// ID of a node of the flow, or name of a step of the pipeline.
    #[arg(requires = "flow")]
    node: Option<String>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(home: &Home, args: ExplainArgs) -> Result<(), CliError> {
    let key = config::find(&args.key).map_err(|problem| ErrorReply::from(Fault::from(problem)))?;
    let flow = args.flow.as_ref().map(|flow| FlowSource::load(flow)).transpose()?;
    let app = open_app::for_reading(home).await?;
    let command = ExplainConfig {
        key: Some(args.key),
        flow: flow.map(FlowSource::into_flow),
        node: args.node.map(|node| node.as_str().into()),
    };
    let found = app.call(command).await?;
    app.close().await?;
    let mut out = stdout();
    for resolved in &found {
        let text = if args.json { to_json(resolved)? + "\n" } else { describe(key, resolved) };
        write!(out, "{text}")?;
    }
    Ok(())
}

/// The value, its meaning, and a line for each place that can set it.
fn describe(key: &ConfigKey, resolved: &ResolvedConfig) -> String {
    let layers: Vec<_> = key.layers().into_iter().map(config::Layer::name).collect();
    let mut text = format!("{} = {}\n{}\n", resolved.key, value_text(resolved), key.help);
    // Writing to a string does not fail.
    let _ = writeln!(text, "It takes {}. It can be set in {}.\n", key.kind.describe(), join(&layers));
    let rows: Vec<_> = resolved
        .layers
        .iter()
        .map(|layer| {
            let holds = if layer.source == resolved.source { ">" } else { " " };
            let value = layer.value.as_ref().map_or_else(|| "-".to_owned(), text_of);
            (holds, source_text(&layer.source), value, layer.pointer.as_deref().unwrap_or_default())
        })
        .collect();
    let width = |column: fn(&(&str, String, String, &str)) -> usize| {
        rows.iter().map(column).max().unwrap_or_default()
    };
    let (source, value) = (width(|row| row.1.chars().count()), width(|row| row.2.chars().count()));
    for (holds, from, own, pointer) in &rows {
        let line = format!("{holds} {from:source$}  {own:value$}  {}", printable(pointer));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn join(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
