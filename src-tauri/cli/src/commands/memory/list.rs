//! `plait memory list` and `plait memory search`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::memories::{ForkedMemories, ListMemories, MemoryPage};

use super::{Kind, kind_text};
use crate::exit::CliError;
use crate::format::{first_line, format_time, new_table, to_json};
use crate::terminal::{print_error, stdout};

/// How much of an id tables show: enough to be unique among thousands.
const SHOWN_ID_CHARS: usize = 12;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    options: ListOptions,
}

#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// What to look for, in plain words.
    query: String,
    #[command(flatten)]
    options: ListOptions,
}

#[derive(Debug, Args)]
struct ListOptions {
    /// Only memories of this kind. Repeatable.
    #[arg(long, value_enum)]
    kind: Vec<Kind>,
    /// Maximum number of memories.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Print the memories as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: ListArgs) -> Result<(), CliError> {
    print(app, None, args.options).await
}

pub(super) async fn search(app: &Connection, args: SearchArgs) -> Result<(), CliError> {
    print(app, Some(args.query), args.options).await
}

async fn print(app: &Connection, search: Option<String>, options: ListOptions) -> Result<(), CliError> {
    let kinds = options.kind.into_iter().map(Into::into).collect();
    let is_search = search.is_some();
    let page = app.call(ListMemories { user: None, kinds, search, limit: Some(options.limit) }).await?;
    let mut out = stdout();
    if options.json {
        writeln!(out, "{}", to_json(&page)?)?;
        return Ok(());
    }
    let MemoryPage { user, memories, found, counts, damage, branches } = &page;
    if let Some(damage) = damage {
        print_error(&format!(
            "The memories of {user} are damaged. {damage} `plait doctor --salvage` goes on with the rest.\n"
        ));
    }
    for ForkedMemories { run, stored, erased, damage } in branches {
        let damage =
            damage.as_deref().map(|damage| format!(" They are damaged. {damage}")).unwrap_or_default();
        print_error(&format!(
            "The forked run {run} has memories of its own: {} stored, {erased} erased.{damage} Take them over: plait conversations keep {run}\n",
            stored.len()
        ));
    }
    if memories.is_empty() {
        print_error(&if is_search || !counts.is_empty() {
            "No matching memories.\n".to_owned()
        } else {
            format!("The user {user} has no memories yet. Add one: plait memory add \"Prefers trains\"\n")
        });
        return Ok(());
    }
    let mut table = new_table(&["Memory", "Kind", "Text", "Stored", "From"]);
    for memory in memories {
        let source = &memory.source;
        let id: String = memory.id.as_str().chars().take(SHOWN_ID_CHARS).collect();
        table.add_row([
            id,
            kind_text(memory.content.kind).to_owned(),
            first_line(&memory.content.text, 60),
            format_time(memory.at),
            source.flow.as_deref().map_or_else(|| "you".to_owned(), |flow| first_line(flow, 30)),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    if *found > memories.len() as u64 {
        print_error(&format!("{} of {found} memories. `--limit` shows more.\n", memories.len()));
    }
    Ok(())
}
