//! `plait memory show`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::memories::ResolveMemory;
use plait_llm::long_term_memory::MemoryRecord;

use super::kind_text;
use crate::exit::CliError;
use crate::format::{format_time, to_json};
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Memory ID, or a unique prefix of one.
    memory: String,
    /// Print the memory as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ShowArgs) -> Result<(), CliError> {
    let memory = app.call(ResolveMemory { prefix: args.memory.clone() }).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&memory)?)?;
        return Ok(());
    }
    let MemoryRecord { id, content, at, edited_at, source, origins } = &memory;
    writeln!(out, "{}", content.text)?;
    for (index, step) in content.steps.iter().enumerate() {
        writeln!(out, "  {}. {step}", index + 1)?;
    }
    writeln!(out, "\n{} {id}\nstored {}", kind_text(content.kind), format_time(*at))?;
    if let Some(edited_at) = edited_at {
        writeln!(out, "changed {}", format_time(*edited_at))?;
    }
    match (&source.flow, &source.run, &source.node) {
        (Some(flow), Some(run), Some(node)) => writeln!(out, "by node {node} of {flow}, run {run}")?,
        _ => writeln!(out, "by you")?,
    }
    if !origins.is_empty() {
        let places: Vec<String> = origins.iter().map(ToString::to_string).collect();
        writeln!(out, "comes from {}", places.join(", "))?;
    }
    Ok(())
}
