//! `plait lens search`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::lens::{PromptHit, SearchPrompts};
use plait_llm::context::Role;

use crate::commands::runs::find;
use crate::exit::CliError;
use crate::format::{first_line, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// The text to find, in any case.
    text: String,
    /// Print one place per line as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &SearchArgs) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    let hits = app.call(SearchPrompts { run: run.clone(), text: args.text.clone() }).await?;
    let mut out = stdout();
    if args.json {
        for hit in &hits {
            writeln!(out, "{}", to_json(hit)?)?;
        }
        return Ok(());
    }
    if hits.is_empty() {
        print_error("No matches.\n");
    }
    for PromptHit { run: found_in, hit } in &hits {
        let child = if *found_in == run { String::new() } else { format!("run {found_in} · ") };
        let place = match (hit.message, hit.role) {
            (None, _) => "reply",
            (_, Role::System) => "system",
            (_, Role::User) => "user",
            (_, Role::Assistant) => "assistant",
            (_, Role::Tool) => "tool",
        };
        let text = format!("{}{}{}", hit.before, hit.found, hit.after).replace('\n', " ");
        let (node, epoch, call) = (&hit.node, &hit.epoch, hit.call + 1);
        writeln!(out, "{child}{node}{epoch} call {call}, {place}: {}", first_line(&text, 200))?;
    }
    Ok(())
}
