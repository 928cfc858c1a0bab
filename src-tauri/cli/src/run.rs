//! `plait run`, `plait resume` and `plait cancel`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use plait_api::engine::diagnostic::Severity;
use plait_api::engine::id::{NodeId, PortName, RunId};
use plait_api::engine::plan;
use plait_api::engine::run::view::RunStatus;
use plait_api::flows::check_with_subflows;
use plait_api::runs::{CancelRun, ResumeRun, RunRequest, StartRun};
use plait_api::runs::{RunDetail, ShowRun};
use plait_api::{ErrorReply, Options, Plait};
use serde_json::Value;

use crate::args::{CancelArgs, ResumeArgs, RunArgs, SetValue};
use crate::conversations;

use crate::failure::{Ending, Failure, say};
use crate::follow::{Follow, Replies};
use crate::interrupt::Interrupt;
use crate::runs;
use crate::source::Source;
use crate::terminal;

pub(crate) async fn run(home: &Path, args: RunArgs) -> Result<Ending, Failure> {
    let style = terminal::style();
    let source = Source::load(&args.flow, style)?;
    let to = args.to.as_deref().map(NodeId::from);
    let overrides = collect(args.set);
    // Refused before the store is touched: a flow that can't run needs no store to say so.
    plan::plan(&source.flow, &plait_api::engine::nodes::registry(), to.as_ref(), &overrides)
        .map_err(|found| source.refuse(&found, style))?;
    let path = source.path_text();
    let tree =
        check_with_subflows(&source.flow, path.as_deref(), &plait_api::engine::nodes::registry()).diagnostics;
    let called: Vec<_> = tree.into_iter().filter(|found| found.code.starts_with("subflow.")).collect();
    if to.is_none() && called.iter().any(|found| found.severity == Severity::Error) {
        return Err(source.refuse(&called, style));
    }
    let app = Plait::open(Options::new(home))?;
    let conversation = match &args.conversation {
        Some(named) => Some(conversations::for_run(&app, named, &source.flow, path.as_deref()).await?),
        None => None,
    };
    let start =
        StartRun(RunRequest { flow: source.flow, path, input: args.input, overrides, to, conversation });
    let interrupt = Interrupt::listen()?;
    let started = app.call(start).await?;
    let replies = Replies { answers: args.answer.into(), end: false };
    let ending = Follow::new(&app, started.run, interrupt, replies, args.json).run_to_the_end().await;
    app.close().await?;
    ending
}

pub(crate) async fn resume(home: &Path, args: ResumeArgs) -> Result<Ending, Failure> {
    let app = Plait::open(Options::new(home))?;
    let run = runs::find(&app, &args.run)?;
    let RunDetail { summary, entries, damage, .. } = app.call(ShowRun { run: run.clone() }).await?;
    if summary.status.is_final() {
        return Err(ended(&run, summary.status).into());
    }
    if let Some(damage) = damage {
        return Err(damage.into());
    }
    let replies = Replies { answers: args.answer.into(), end: args.end };
    let interrupt = Interrupt::listen()?;
    let follow = Follow::new(&app, run.clone(), interrupt, replies, args.json).after(entries);
    app.call(ResumeRun { run }).await?;
    let ending = follow.run_to_the_end().await;
    app.close().await?;
    ending
}

pub(crate) async fn cancel(home: &Path, args: &CancelArgs) -> Result<Ending, Failure> {
    let app = Plait::open(Options::new(home))?;
    let run = runs::find(&app, &args.run)?;
    let status = status_of(&app, &run).await?;
    if status.is_final() {
        return Err(ended(&run, status).into());
    }
    app.call(CancelRun { run: run.clone() }).await?;
    app.runs().settled(&run).await;
    let status = status_of(&app, &run).await?;
    app.close().await?;
    match status {
        RunStatus::Cancelled => say(&format!("Run {run} is cancelled.\n")),
        status if status.is_final() => return Err(ended(&run, status).into()),
        _ => {
            return Err(ErrorReply::new("run.not_cancelled", format!("Run {run} could not be cancelled."))
                .hint("See that the disk has room and the data directory can be written, then try again.")
                .into());
        }
    }
    Ok(Ending::Finished)
}

async fn status_of(app: &Plait, run: &RunId) -> Result<RunStatus, ErrorReply> {
    Ok(app.call(ShowRun { run: run.clone() }).await?.summary.status)
}

fn ended(run: &RunId, status: RunStatus) -> ErrorReply {
    let how = match status {
        RunStatus::Failed => "has failed",
        RunStatus::Cancelled => "was cancelled",
        _ => "has finished",
    };
    ErrorReply::new("run.ended", format!("Run {run} {how}; nothing is left to do in it."))
        .hint("`plait runs list` shows which runs wait or were interrupted.")
}

fn collect(set: Vec<SetValue>) -> BTreeMap<NodeId, BTreeMap<PortName, Arc<Value>>> {
    let mut values: BTreeMap<NodeId, BTreeMap<PortName, Arc<Value>>> = BTreeMap::new();
    for one in set {
        values.entry(one.node.into()).or_default().insert(one.port.into(), Arc::new(one.value));
    }
    values
}
