//! `plait test add`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use plait_api::suites::AddTest;

use super::super::runs::find;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::terminal::print_styled_output;

/// The case replays the run and checks that its outputs are equal, that it calls the same tools, and that it uses no more than a tenth
/// more tokens. Edit the checks in the suite.
#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// The suite. Without it, the one beside the run's flow, which is made if there is none.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// The name of the case. Without it, the beginning of the run's input.
    #[arg(long)]
    name: Option<String>,
}

pub(super) async fn execute(home: &Home, args: AddArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &[]).await?;
    let run = find(&app, &args.run).await?;
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path).display().to_string();
    let added = app.call(AddTest { run, file: args.suite.map(absolute), name: args.name }).await;
    open_app::close(&app).await?;
    let added = added?;
    let mut text = format!("Added the case `{}` to {}\n", printable(&added.case), printable(&added.file));
    let _ = writeln!(text, "with the recording {}", printable(&added.recording));
    for check in &added.checks {
        let _ = writeln!(text, "  {}", printable(check));
    }
    for failure in added.outcome.results.iter().flat_map(|result| &result.failures) {
        let _ = writeln!(text, "It fails now: {}", printable(&failure.to_string()));
    }
    print_styled_output(&text);
    Ok(if added.outcome.passed { ExitStatus::Success } else { ExitStatus::Failure })
}
