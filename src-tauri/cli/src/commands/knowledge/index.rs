//! `plait knowledge index`, with its progress on standard error. Ctrl+C stops it; indexed files stay.

use std::fmt::Write as _;
use std::pin::pin;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plait_api::Connection;
use plait_api::knowledge::base::BaseStatus;
use plait_api::knowledge::{CancelKnowledge, ReindexKnowledge};
use plait_llm::retriever::IndexProgress;

use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct IndexArgs {
    /// The name of the knowledge base.
    name: String,
    /// Also index files that did not change.
    #[arg(long)]
    all: bool,
}

pub(super) async fn execute(app: &Connection, args: IndexArgs) -> Result<ExitStatus, CliError> {
    run(app, args.name, args.all).await
}

/// Indexes a base and says what became of it.
pub(super) async fn run(app: &Connection, name: String, all: bool) -> Result<ExitStatus, CliError> {
    let mut ctrl_c = CtrlC::listen()?;
    let bar = progress_bar();
    let on_progress = {
        let bar = bar.clone();
        Arc::new(move |now: IndexProgress| {
            if let Some(total) = now.total {
                bar.set_length(total);
                bar.set_position(now.done);
            }
        })
    };
    let mut indexing = pin!(async {
        match app.here() {
            Some(plait) => plait.knowledge().index(&name, all, on_progress).await,
            // The owner shows no progress here.
            None => app.call(ReindexKnowledge { name: name.clone(), all }).await,
        }
    });
    let (indexed, is_stopped) = tokio::select! {
        indexed = &mut indexing => (indexed, false),
        () = ctrl_c.pressed() => {
            app.call(CancelKnowledge { name: name.clone() }).await?;
            // Until the index is on disk.
            (indexing.await, true)
        }
    };
    bar.finish_and_clear();
    match indexed {
        Ok(base) => {
            print_error(&summary(&base));
            Ok(ExitStatus::Success)
        }
        Err(_) if is_stopped => {
            print_error("Stopped. What was indexed stays.\n");
            Ok(ExitStatus::Canceled)
        }
        Err(error) => Err(error.into()),
    }
}

fn progress_bar() -> ProgressBar {
    // Nothing is drawn if standard error is no terminal.
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    // The template is valid; otherwise the default one is used.
    if let Ok(style) = ProgressStyle::with_template("Indexing {pos} of {len} {wide_bar}") {
        bar.set_style(style);
    }
    bar
}

fn summary(base: &BaseStatus) -> String {
    let name = &base.definition.name;
    let mut text = format!("Indexed {name}: {} files, {} passages.\n", base.files, base.chunks);
    // Writing to a `String` never fails.
    if base.skipped_count > 0 {
        let _ = writeln!(text, "{} files are not searched:", base.skipped_count);
        for file in base.skipped.iter().take(10) {
            let _ = writeln!(text, "  {}: {}", file.source, file.reason.message);
        }
        if base.skipped_count > 10 {
            let _ = writeln!(text, "  and {} more", base.skipped_count - 10);
        }
    }
    text
}
