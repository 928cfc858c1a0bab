//! `plait runs turns`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::lens::ListTurns;
use plait_insight::lens::{LoopTurnView, LoopTurnsView};
use plait_llm::context::Role;

use super::find;
use crate::exit::CliError;
use crate::format::{first_line, new_table, to_json};
use crate::terminal::{print_error, stdout};

/// How much of a turn is shown.
const MAX_SHOWN_CHARS: usize = 80;

#[derive(Debug, Args)]
pub(super) struct TurnsArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &TurnsArgs) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    let open = app.call(ListTurns { run, ended: false }).await?;
    if args.json {
        writeln!(stdout(), "{}", to_json(&open)?)?;
        return Ok(());
    }
    if open.is_empty() {
        print_error("No loop with a conversation is open in this run.\n");
        return Ok(());
    }
    let mut table = new_table(&["Turn", "Loop", "Role", "By", "Tokens", "Pinned", "Text"]);
    for (number, (view, turn)) in (1..).zip(turns(&open)) {
        let role = if turn.role == Role::User { "user" } else { "assistant" };
        let pin = if turn.pinned { "pinned" } else { "" };
        table.add_row([
            number.to_string(),
            format!("{}{}", view.node, view.epoch),
            role.to_owned(),
            format!("{}{}", turn.node, turn.epoch),
            turn.tokens.to_string(),
            pin.to_owned(),
            first_line(&turn.text, MAX_SHOWN_CHARS),
        ]);
    }
    writeln!(stdout(), "{}", table.trim_fmt())?;
    Ok(())
}

/// All turns in the order in which they are numbered.
pub(super) fn turns(open: &[LoopTurnsView]) -> impl Iterator<Item = (&LoopTurnsView, &LoopTurnView)> {
    open.iter().flat_map(|view| view.turns.iter().map(move |turn| (view, turn)))
}
