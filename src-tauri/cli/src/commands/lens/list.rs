//! `plait lens list`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::lens::ListPrompts;

use crate::exit::CliError;
use crate::format::{first_line, format_time, new_table, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Maximum number of runs.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Print the runs as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let runs = app.call(ListPrompts { limit: Some(args.limit), user: None }).await?;
    if args.json {
        writeln!(stdout(), "{}", to_json(&runs)?)?;
        return Ok(());
    }
    if runs.is_empty() {
        print_error("No run has called a model yet. Start one: plait run hello\n");
        return Ok(());
    }
    let mut table = new_table(&["Run", "Flow", "Started", "Calls", "Input", "Output", "Cost"]);
    for run in &runs {
        table.add_row([
            run.run.to_string(),
            format!(
                "{}{}",
                if run.parent_run_id.is_some() { "└ " } else { "" },
                first_line(&run.flow_name, 40)
            ),
            format_time(run.started_at),
            run.calls.to_string(),
            run.tokens.input.to_string(),
            run.tokens.output.to_string(),
            run.cost.to_string(),
        ]);
    }
    writeln!(stdout(), "{}", table.trim_fmt())?;
    Ok(())
}
