//! `plait check --against-waiting`: what becomes of the runs that wait, and moving them.

use std::io::Write as _;

use plait_api::runs::{CheckWaiting, EditEffect, MoveRun, RerunRequest, WaitingRun};
use plait_api::{Connection, ErrorReply};
use plait_journal::{Event, RunEvent};

use super::CheckArgs;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::format::{first_line, new_table, to_json};
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::terminal::{print_error, stdout};

/// How much of a question is shown, in characters.
const MAX_QUESTION: usize = 40;

pub(super) async fn execute(home: &Home, args: &CheckArgs) -> Result<ExitStatus, CliError> {
    let source = FlowSource::load(&args.flow)?;
    let Some(path) = source.path_text() else {
        return Err(ErrorReply::new(codes::CHECK_NO_FILE, "Only the runs of a flow file can be looked for.")
            .hint("Give the path of a flow file.")
            .into());
    };
    let app = if args.r#move {
        open_app::for_running(home, &[]).await?
    } else {
        open_app::for_writing_now(home).await?
    };
    let waiting = app.call(CheckWaiting { flow: source.flow.clone(), path: path.clone() }).await?;
    if args.json {
        writeln!(stdout(), "{}", to_json(&waiting)?)?;
    } else {
        print(&waiting)?;
    }
    if args.r#move {
        for run in waiting.iter().filter(|run| run.effect == EditEffect::Same) {
            let request = RerunRequest {
                flow: Some(source.flow.clone()),
                path: Some(path.clone()),
                ..RerunRequest::of(run.run.clone())
            };
            go_on(&app, request).await?;
        }
    }
    app.close().await?;
    let is_stranded = waiting.iter().any(|run| run.effect == EditEffect::Stranded);
    Ok(if is_stranded { ExitStatus::Invalid } else { ExitStatus::Success })
}

/// Moves a run, and waits until the new one asks.
async fn go_on(app: &Connection, request: RerunRequest) -> Result<(), CliError> {
    let earlier = request.run.clone();
    let moved = app.call(MoveRun(request)).await?;
    print_error(&format!("Run {earlier} goes on as run {}\n", moved.run));
    let mut watch = app.watch(&moved.run, 0).await?;
    while let Some(entry) = watch.next().await {
        if matches!(entry?.event, Event::Run(RunEvent::Waiting { .. })) {
            break;
        }
    }
    Ok(())
}

fn print(waiting: &[WaitingRun]) -> Result<(), CliError> {
    if waiting.is_empty() {
        print_error("No run of this flow waits.\n");
        return Ok(());
    }
    let mut table = new_table(&["Run", "Asks", "Effect", "Why"]);
    for WaitingRun { run, question, effect, why, .. } in waiting {
        let question = question.as_deref().map(|text| first_line(text, MAX_QUESTION)).unwrap_or_default();
        let effect = match effect {
            EditEffect::Current => "none",
            EditEffect::Same => "same",
            EditEffect::Changed => "changed",
            EditEffect::Stranded => "stranded",
        };
        table.add_row([run.as_str(), &*printable(&question), effect, &*printable(why)]);
    }
    writeln!(stdout(), "{table}")?;
    Ok(())
}
