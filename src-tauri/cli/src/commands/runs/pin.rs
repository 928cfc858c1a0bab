//! `plait runs pin`.

use clap::Args;
use plait_api::lens::ListTurns;
use plait_api::runs::PinTurn;
use plait_api::{Connection, ErrorReply};

use super::{find, open_root, turns};
use crate::codes;
use crate::exit::CliError;
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct PinArgs {
    /// Run ID, a unique prefix of one, or `last`. The run must be waiting for a person.
    run: String,
    /// The number of the turn in `plait runs turns`.
    turn: usize,
    /// Take the pin off.
    #[arg(long)]
    remove: bool,
}

pub(super) async fn execute(app: &Connection, args: &PinArgs) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    let root = open_root(app, &run).await?;
    let open = app.call(ListTurns { run: run.clone(), ended: false }).await?;
    let chosen = args.turn.checked_sub(1).and_then(|at| turns::turns(&open).nth(at));
    let (view, turn) = chosen.ok_or_else(|| {
        let message = format!("There is no turn number {} in run {run}.", args.turn);
        ErrorReply::new(codes::HISTORY_NO_TURN, message).hint("`plait runs turns` numbers them.")
    })?;
    let (node, epoch) = (view.node.clone(), view.epoch.clone());
    app.call(PinTurn { run, node, epoch, turn: turn.id.clone(), pinned: !args.remove }).await?;
    // The run tree was resumed for that. It is left as it was: waiting.
    app.idle_tree(&root).await;
    print_error(if args.remove { "Removed the pin.\n" } else { "Pinned the turn.\n" });
    Ok(())
}
