//! `plait replay`.

use std::path::PathBuf;

use clap::Args;
use plait_api::runs::RerunRequest;

use super::recording::{self, ReplayOptions, asks_nobody, replay_of};
use super::runs::find;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

/// A replay is a new run that takes everything from the recorded one: replies, results of tools, passages, answers, the clock. It needs
/// no network, no keys and no providers. What is not recorded fails (`run.not_recorded`).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait replay last
  plait replay last --pace recorded
  plait replay bug.plait-recording --break chat:after
  plait replay bug.plait-recording --json")]
pub(crate) struct ReplayArgs {
    /// The file of a recording; or a run: its ID, a unique prefix of it, or `last`.
    source: PathBuf,
    #[command(flatten)]
    options: ReplayOptions,
}

pub(crate) async fn execute(home: &Home, args: ReplayArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &[]).await?;
    let request = if args.source.is_file() {
        replay_of(&app, &args.source).await?
    } else {
        let run = find(&app, &args.source.to_string_lossy()).await?;
        RerunRequest { world: asks_nobody(), ..RerunRequest::of(run) }
    };
    let status = recording::follow(&app, request, args.options).await;
    open_app::close(&app).await?;
    status
}
