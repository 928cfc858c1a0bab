//! `plait resume`.

use clap::Args;
use plait_api::AllowedHost;
use plait_api::flows::nodes_with_subflows;
use plait_api::runs::answers::Answers;
use plait_api::runs::{PutBreakpoint, ResumeRun, RunDetail, ShowRun};
use plait_journal::BreakpointText;
use plait_journal::view::RunOutline;

use super::runs;
use crate::attach::FilesToAttach;
use crate::ctrl_c::CtrlC;
use crate::debugger;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::run_follower::RunFollower;
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait resume last
  plait resume my.yaml --answer \"Yes\"
  plait resume 0197 --answer \"Yes\"
  plait resume last --answer color=blue
  plait resume last --answer \"Here it is\" --attach photo.png
  plait resume last --end")]
pub(crate) struct ResumeArgs {
    /// Run ID, a unique prefix of one, `last`, or a flow file, for its latest run. A child run is resumed with the run that it is part
    /// of, and its questions are answered first.
    run: String,
    /// Answer to a question of the run. Repeatable. `NODE=TEXT` answers the question of that node; other answers are used in
    /// the order of the questions. A question about a tool call takes exactly `yes` or `no`, or
    /// JSON.
    #[arg(long, value_name = "[NODE=]TEXT", conflicts_with = "end", allow_hyphen_values = true)]
    answer: Vec<String>,
    /// Attach an image, a PDF or a text file to the answer. Repeatable. `NODE=FILE` names the node
    /// where several take files.
    #[arg(long, value_name = "[NODE=]FILE")]
    attach: Vec<String>,
    /// End the pause without an answer.
    #[arg(long)]
    end: bool,
    /// Let tools and `httpRequest` request a host although its address is private or local. Repeatable. What the run may use
    /// was decided when it began.
    #[arg(long, value_name = "host=NAME[:PORT]", value_parser = open_app::parse_host)]
    allow: Vec<AllowedHost>,
    /// Replace the breakpoints of the run, as with `plait run`. Repeatable.
    #[arg(long = "break", value_name = "BREAKPOINT")]
    breakpoints: Vec<BreakpointText>,
    /// Print one event per line as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: ResumeArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &args.allow).await?;
    let run = match runs::latest_of_file(&app, &args.run).await? {
        Some(run) => run,
        None => runs::find(&app, &args.run).await?,
    };
    let named = app.call(ShowRun { run: run.clone() }).await?;
    if named.summary.status.is_final() {
        return Err(runs::already_ended(&run, named.summary.status).into());
    }
    // A run tree is one thing: it goes on as a whole.
    let root = named.above.iter().find(|above| !above.status.is_final()).map(|root| root.run.clone());
    let detail = match &root {
        Some(root) => {
            print_error(&format!("Run {run} is part of run {root}, which is resumed.\n"));
            app.call(ShowRun { run: root.clone() }).await?
        }
        None => named,
    };
    let RunDetail { summary, flow, entries, damage, .. } = detail;
    if let Some(damage) = damage {
        return Err(damage.into());
    }
    let attached = FilesToAttach::find_for_answers(&args.attach, &flow)?.store(&app).await?;
    let mut nodes = nodes_with_subflows(&flow, summary.path.as_deref(), &plait_nodes::registry());
    // The files may have changed since.
    nodes.extend(RunOutline::of(&entries).pauses.into_iter().filter_map(|pause| Some(pause.asker?.node)));
    let resolve = |breakpoint| debugger::resolve(breakpoint, |node| nodes.contains(node));
    let breakpoints = args.breakpoints.into_iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
    let mut answers = Answers::read(args.answer, nodes)?;
    answers.attachments = attached.answers;
    answers.end_first = args.end;
    let run = match root {
        Some(root) => {
            answers.first_asker = Some(run);
            root
        }
        None => run,
    };
    let ctrl_c = CtrlC::listen()?;
    let follower = RunFollower::new(&app, run.clone(), ctrl_c, answers, args.json).skip(entries);
    app.call(ResumeRun { run: run.clone() }).await?;
    for breakpoint in breakpoints {
        // Those that the run has stay.
        app.call(PutBreakpoint { run: run.clone(), breakpoint }).await?;
    }
    let status = follower.leave_stops().follow().await;
    open_app::close(&app).await?;
    status
}
