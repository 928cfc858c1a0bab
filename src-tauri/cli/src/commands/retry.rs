//! `plait retry`.

use clap::Args;
use plait_api::flows::nodes_with_subflows;
use plait_api::runs::answers::Answers;
use plait_api::runs::{BillRerun, RerunRequest, RetryRun, RunDetail, ShowRun};

use super::rerun::print_bill;
use super::runs;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::run_follower::RunFollower;
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
A new run executes the same flow, as it was recorded, with the same inputs. Replies of models, results of tools and answers of \
people that the earlier run has are taken from it and cost nothing; only what is missing is bought, called or asked. The \
earlier run stays as it is. What is reused and which model calls are made again is said first, as far as it is known.

Works for runs that failed, were canceled, or were recorded by another version of Plait that decided differently.

Examples:
  plait retry last
  plait retry 0197 --answer \"Yes\"")]
pub(crate) struct RetryArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Answer to a question that the earlier run did not get to. Repeatable. `NODE=TEXT` answers the question of that node;
    /// other answers are used in the order of the questions. A question about a tool call takes exactly `yes` or `no`, or
    /// JSON.
    #[arg(long, value_name = "[NODE=]TEXT", allow_hyphen_values = true)]
    answer: Vec<String>,
    /// Print one event per line as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: RetryArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &[]).await?;
    let earlier = runs::find(&app, &args.run).await?;
    let RunDetail { summary, flow, .. } = app.call(ShowRun { run: earlier.clone() }).await?;
    let nodes = nodes_with_subflows(&flow, summary.path.as_deref(), &plait_nodes::registry());
    let answers = Answers::read(args.answer, nodes)?;
    let ctrl_c = CtrlC::listen()?;
    let request = RerunRequest::of(earlier.clone());
    print_bill(&app.call(BillRerun(request)).await?);
    let started = app.call(RetryRun { run: earlier.clone() }).await?;
    print_error(&format!("Retrying run {earlier} as run {}\n", started.run));
    let status = RunFollower::new(&app, started.run, ctrl_c, answers, args.json).follow().await;
    open_app::close(&app).await?;
    status
}
