//! `plait knowledge list`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::knowledge::{BaseState, ListKnowledge};

use crate::exit::{CliError, ExitStatus};
use crate::format::{new_table, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print the knowledge bases as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ListArgs) -> Result<ExitStatus, CliError> {
    let bases = app.call(ListKnowledge {}).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&bases)?)?;
        return Ok(ExitStatus::Success);
    }
    if bases.is_empty() {
        print_error("There are no knowledge bases yet. Add one: plait knowledge add handbook FOLDER\n");
        return Ok(ExitStatus::Success);
    }
    let mut table = new_table(&["Knowledge base", "State", "Files", "Passages", "Not searched", "Folder"]);
    for base in &bases {
        let state = match (base.state, &base.fault) {
            (BaseState::New, _) => "not indexed".to_owned(),
            (BaseState::Indexing, _) => "indexing".to_owned(),
            (BaseState::Ready, _) => "ready".to_owned(),
            (BaseState::Failed, fault) => {
                fault.as_ref().map_or("failed".to_owned(), |fault| fault.code.to_string())
            }
        };
        table.add_row([
            base.definition.name.clone(),
            state,
            base.files.to_string(),
            base.chunks.to_string(),
            base.skipped_count.to_string(),
            base.definition.paths.join(", "),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(ExitStatus::Success)
}
