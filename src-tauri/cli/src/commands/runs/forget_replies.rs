//! `plait runs forget-replies`.

use clap::Args;
use plait_api::Connection;
use plait_api::runs::ForgetReplies;

use super::find;
use crate::exit::CliError;
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(
    after_help = "`--replies any` takes replies that other runs bought. It does not take those that were forgotten: they are bought again. Nothing \
is removed from the runs, and repeating such a run still reuses its own replies.\n\n\
Examples:\n  plait runs forget-replies 0197\n  plait runs forget-replies --all"
)]
pub(super) struct ForgetRepliesArgs {
    /// Run IDs, unique prefixes of them, or `last`.
    #[arg(required_unless_present = "all")]
    run: Vec<String>,
    /// The replies of all runs.
    #[arg(long, conflicts_with = "run")]
    all: bool,
}

pub(super) async fn execute(app: &Connection, args: &ForgetRepliesArgs) -> Result<(), CliError> {
    if args.all {
        app.call(ForgetReplies { run: None }).await?;
        print_error("Forgot the replies of all runs.\n");
        return Ok(());
    }
    // Every name is resolved before anything is forgotten, so that a typo forgets nothing.
    let mut runs = Vec::new();
    for name in &args.run {
        runs.push(find(app, name).await?);
    }
    for run in runs {
        app.call(ForgetReplies { run: Some(run.clone()) }).await?;
        print_error(&format!("Forgot the replies of run {run}.\n"));
    }
    Ok(())
}
