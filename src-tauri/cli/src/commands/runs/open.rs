//! `plait runs open`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::recording::{self, ReplayOptions, replay_of};
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

#[derive(Debug, Args)]
pub(super) struct OpenArgs {
    /// The file of a recording.
    file: PathBuf,
    #[command(flatten)]
    options: ReplayOptions,
}

pub(super) async fn execute(home: &Home, args: OpenArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &[]).await?;
    let request = replay_of(&app, &args.file).await?;
    let status = recording::follow(&app, request, args.options).await;
    open_app::close(&app).await?;
    status
}
