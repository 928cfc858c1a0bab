//! `plait memory add` and `plait memory edit`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::memories::{AddMemory, EditMemory, ResolveMemory};
use plait_llm::long_term_memory::{MemoryContent, MemoryRecord};

use super::Kind;
use crate::exit::CliError;
use crate::format::to_json;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The statement of a fact, the summary of an episode, or the name of a procedure.
    text: String,
    /// What kind of memory it is.
    #[arg(long, value_enum, default_value_t = Kind::Fact)]
    kind: Kind,
    /// A step of a procedure. Repeatable, in order.
    #[arg(long = "step", value_name = "TEXT")]
    steps: Vec<String>,
    /// Print the memory as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct EditArgs {
    /// Memory ID, or a unique prefix of one.
    memory: String,
    /// The new text.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// The new kind.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// A step of a procedure. Repeatable, in order; replaces all steps.
    #[arg(long = "step", value_name = "TEXT")]
    steps: Vec<String>,
    /// Print the memory as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn add(app: &Connection, args: AddArgs) -> Result<(), CliError> {
    let content = MemoryContent { kind: args.kind.into(), text: args.text, steps: args.steps };
    let added = app.call(AddMemory { user: None, content }).await?;
    print(&added, args.json, "Added")
}

pub(super) async fn edit(app: &Connection, args: EditArgs) -> Result<(), CliError> {
    let MemoryRecord { id, content: old, .. } = app.call(ResolveMemory { prefix: args.memory }).await?;
    let kind = args.kind.map_or(old.kind, Into::into);
    // Other kinds have no steps.
    let kept = if kind == old.kind { old.steps } else { Vec::new() };
    let steps = if args.steps.is_empty() { kept } else { args.steps };
    let content = MemoryContent { kind, text: args.text.unwrap_or(old.text), steps };
    let edited = app.call(EditMemory { user: None, id, content }).await?;
    print(&edited, args.json, "Changed")
}

fn print(memory: &MemoryRecord, json: bool, done: &str) -> Result<(), CliError> {
    if json {
        writeln!(stdout(), "{}", to_json(memory)?)?;
    } else {
        print_error(&format!("{done} memory {}.\n", memory.id));
    }
    Ok(())
}
