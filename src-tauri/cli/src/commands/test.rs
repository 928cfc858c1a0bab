//! `plait test`: runs the tests of flows.

mod add;
mod debug;
mod export;
mod grade;
mod junit;
mod report;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{Args, Subcommand};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use plait_api::suites::{
    BillSuite, CaseOutcome, FindSuites, ForgetResults, OpenSuite, RunTest, SuiteBill, SuiteCase, TestRef,
};
use plait_api::{Connection, ErrorReply};
use plait_llm::grant::GrantRule;
use plait_llm::models::Cost;
use serde_json::json;

use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::grant_rules::{GrantArgs, named_hosts};
use crate::open_app::{self, Home};
use crate::output_file;
use crate::prompt::{self, PromptReply};
use crate::terminal::{is_interactive, print_error, print_styled_output};
use report::Report;

/// How many cases run at once, unless the command line says it.
const DEFAULT_JOBS: usize = 8;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
A suite is a file beside its flow: `review.tests.yaml` beside `review.flow.json`. Its cases replay recordings, which cost nothing, or \
are live. The bill of live cases comes first: if anything may be bought or done outside, a terminal asks; elsewhere `--yes` is needed.

The exit code is 0 if all cases pass, 1 if one fails, 2 if a suite can't be read, 4 if the debugger holds a case and there is no \
terminal, and 130 after Ctrl+C. Then `--resume` goes on.

Examples:
  plait test
  plait test review.tests.yaml --filter monday
  plait test --junit results.xml --yes
  plait test --debug monday                    Stops where the case first departs from its recording
  plait test add last                          Makes a test of the latest run
  plait test add 0197 --suite review.tests.yaml --name monday
  plait test capitals.tests.yaml --rows 20     The first rows of each dataset only
  plait test export capitals.tests.yaml -o results.csv
  plait test grade capitals/France --fail --note 'names the wrong river'"
)]
pub(crate) struct TestArgs {
    #[command(subcommand)]
    command: Option<TestCommand>,
    /// Suites, flows with suites beside them, or folders. The current folder without any.
    paths: Vec<PathBuf>,
    /// Only cases with this text in their names.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only this many rows of each dataset, from the first.
    #[arg(long, value_name = "N")]
    rows: Option<u32>,
    /// How many cases run at once.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_JOBS, value_parser = parse_jobs)]
    jobs: usize,
    /// Write the results as XML in the form of `JUnit`.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// Run live cases without asking.
    #[arg(long)]
    yes: bool,
    /// Take the results of cases that have run since `plait test` last began, if they are as they were.
    #[arg(long)]
    resume: bool,
    /// Open this case in the debugger, where its prompt or output first departs from the recording.
    #[arg(long, value_name = "CASE", conflicts_with_all = ["filter", "junit", "json", "resume"])]
    debug: Option<String>,
    #[command(flatten)]
    grants: GrantArgs,
}

#[derive(Debug, Subcommand)]
enum TestCommand {
    /// Make a test of a run: a case with checks that hold of it, and a recording beside the suite.
    Add(add::AddArgs),
    /// Write the results of a suite as a table, with the grades that people gave.
    Export(export::ExportArgs),
    /// Grade the result of a case by hand.
    Grade(grade::GradeArgs),
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|jobs| (1..=256).contains(jobs))
        .ok_or_else(|| "expected a number from 1 to 256".to_owned())
}

/// A case that is to run.
struct WantedCase {
    file: String,
    case: SuiteCase,
}

pub(crate) async fn execute(home: &Home, args: TestArgs) -> Result<ExitStatus, CliError> {
    match args.command {
        Some(TestCommand::Add(args)) => return add::execute(home, args).await,
        Some(TestCommand::Export(args)) => return export::execute(home, args).await,
        Some(TestCommand::Grade(args)) => return grade::execute(home, args).await,
        None => {}
    }
    if let Some(file) = &args.junit {
        output_file::check_folder(file)?;
    }
    let rules = args.grants.rules(None)?;
    let app = open_app::for_running(home, &named_hosts(&rules)).await?;
    let status = run_tests(&app, args, rules).await;
    open_app::close(&app).await?;
    status
}

async fn run_tests(app: &Connection, args: TestArgs, rules: Vec<GrantRule>) -> Result<ExitStatus, CliError> {
    let wanted = find_cases(app, &args).await?;
    if let Some(name) = &args.debug {
        let wanted = debug::only(wanted, name)?;
        confirm(app, std::slice::from_ref(&wanted), args.yes).await?;
        return debug::execute(app, wanted, rules).await;
    }
    if !confirm(app, &wanted, args.yes).await? {
        print_error("Nothing was started.\n");
        return Ok(ExitStatus::Canceled);
    }
    if !args.resume {
        forget_results(app, &wanted).await?;
    }
    let began = Instant::now();
    let mut report = Report::new(!args.json);
    let is_canceled = AtomicBool::new(false);
    {
        let run = |wanted: WantedCase| {
            let (is_canceled, rules, resume) = (&is_canceled, rules.clone(), args.resume);
            async move {
                if is_canceled.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                let WantedCase { file, case } = wanted;
                // Whole already: not asked for one by one.
                if let Some(outcome) = case.outcome.filter(|_| resume) {
                    return Ok(Some((file, outcome)));
                }
                let test = RunTest {
                    file: file.clone(),
                    case: case.name,
                    variant: case.variant,
                    resume,
                    grants: rules,
                };
                app.call(test).await.map(|outcome| Some((file, outcome)))
            }
        };
        let mut outcomes = stream::iter(wanted.into_iter().map(run)).buffered(args.jobs);
        let mut ctrl_c = CtrlC::listen()?;
        loop {
            tokio::select! {
                outcome = outcomes.try_next() => match outcome? {
                    Some(Some((file, outcome))) => report.add(file, outcome),
                    Some(None) => {}
                    None => break,
                },
                () = ctrl_c.pressed() => {
                    if is_canceled.swap(true, Ordering::Relaxed) {
                        break;
                    }
                    print_error("Waiting for the cases that run. Ctrl+C again leaves them.\n");
                }
            }
        }
    }
    let took = began.elapsed();
    if let Some(file) = &args.junit {
        junit::write(file, report.outcomes())?;
    }
    if args.json {
        let failed = report.outcomes().iter().filter(|(_, outcome)| !outcome.passed).count();
        let cases: Vec<_> = report
            .outcomes()
            .iter()
            .map(|(file, outcome)| json!({ "suite": file, "outcome": outcome }))
            .collect();
        let passed = cases.len() - failed;
        print_styled_output(
            &(to_json(&json!({ "passed": passed, "failed": failed, "cases": cases }))? + "\n"),
        );
    } else {
        report.finish(took);
    }
    Ok(match (is_canceled.into_inner(), report.has_failures()) {
        (true, _) => ExitStatus::Canceled,
        (false, true) => ExitStatus::Failure,
        (false, false) => ExitStatus::Success,
    })
}

/// The cases of the suites that the command line names, in their order.
async fn find_cases(app: &Connection, args: &TestArgs) -> Result<Vec<WantedCase>, CliError> {
    let mut wanted = Vec::new();
    for file in find_suites(app, args.paths.clone()).await? {
        let suite = app.call(OpenSuite { file: file.clone() }).await?;
        let is_wanted = |case: &SuiteCase| {
            args.filter.as_ref().is_none_or(|text| case.name.contains(text))
                && args.rows.zip(case.row.as_ref()).is_none_or(|(most, row)| row.number <= most)
        };
        let cases = suite.cases.into_iter().filter(is_wanted);
        wanted.extend(cases.map(|case| WantedCase { file: file.clone(), case }));
    }
    if wanted.is_empty() {
        return Err(no_tests("No case has this text in its name, or is among these rows.").into());
    }
    Ok(wanted)
}

/// The suites among these paths; below the current folder without any.
async fn find_suites(app: &Connection, mut paths: Vec<PathBuf>) -> Result<Vec<String>, CliError> {
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    // The process that owns the data directory may be in another folder.
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path).display().to_string();
    let files = app.call(FindSuites { paths: paths.into_iter().map(absolute).collect() }).await?;
    if files.is_empty() {
        return Err(no_tests("There are no suites here.").into());
    }
    Ok(files)
}

/// The only suite among these paths.
async fn only_suite(app: &Connection, path: Option<PathBuf>) -> Result<String, CliError> {
    let mut files = find_suites(app, path.into_iter().collect()).await?;
    match files.pop() {
        Some(only) if files.is_empty() => Ok(only),
        last => {
            files.extend(last);
            let message = format!("There are several suites here: {}.", files.join(", "));
            Err(ErrorReply::new(codes::SUITE_NO_TESTS, message).hint("Name one.").into())
        }
    }
}

fn no_tests(message: &str) -> ErrorReply {
    ErrorReply::new(codes::SUITE_NO_TESTS, message)
        .hint("A suite is a file beside its flow, like `my.tests.yaml`. `plait test add last` makes one of the latest run.")
}

/// The wanted cases by suite, in their order.
fn by_suite(wanted: &[WantedCase]) -> Vec<(&str, Vec<&SuiteCase>)> {
    let mut suites: Vec<(&str, Vec<&SuiteCase>)> = Vec::new();
    for WantedCase { file, case } in wanted {
        match suites.last_mut().filter(|(last, _)| last == file) {
            Some((_, cases)) => cases.push(case),
            None => suites.push((file, vec![case])),
        }
    }
    suites
}

async fn forget_results(app: &Connection, wanted: &[WantedCase]) -> Result<(), CliError> {
    for (file, cases) in by_suite(wanted) {
        let cases = cases.into_iter().map(|case| case.name.clone()).collect();
        app.call(ForgetResults { file: file.to_owned(), cases }).await?;
    }
    Ok(())
}

/// Prints the bill of what is live, and asks whether to go on. `run.not_confirmed` where nobody can be asked.
async fn confirm(app: &Connection, wanted: &[WantedCase], is_confirmed: bool) -> Result<bool, CliError> {
    let mut bill = SuiteBill::default();
    for (file, cases) in by_suite(wanted) {
        let may_buy = cases.into_iter().filter(|case| case.may_buy);
        let cases: Vec<_> =
            may_buy.map(|case| TestRef { case: case.name.clone(), variant: case.variant.clone() }).collect();
        if !cases.is_empty() {
            bill += app.call(BillSuite { file: file.to_owned(), cases }).await?;
        }
    }
    if bill.live_runs + bill.judgments == 0 {
        return Ok(true);
    }
    print_error(&format!("Bill: {}\n", bill_text(&bill)));
    if is_confirmed || bill.is_free() {
        return Ok(true);
    }
    if !is_interactive() {
        let message = "Nothing was started: live cases may buy replies or act outside.";
        return Err(ErrorReply::new(codes::RUN_NOT_CONFIRMED, message)
            .hint("Look at the bill, and add `--yes`.")
            .into());
    }
    let answer = prompt::ask("Start them?", &json!({ "enum": ["yes", "no"] })).await?;
    Ok(matches!(answer, PromptReply::Text(text) if matches!(text.trim(), "y" | "yes")))
}

fn bill_text(bill: &SuiteBill) -> String {
    let counted = |count: u32, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let cost = Cost { nano_usd: bill.at_most_nano_usd, unpriced: 0 };
    let mut parts = Vec::new();
    if bill.live_runs > 0 {
        let unknown = if bill.has_unknown { ", and what nobody knows before" } else { "" };
        let runs = counted(bill.live_runs, "live run");
        parts.push(format!("{runs}, at most {cost}{unknown}"));
    }
    if bill.judgments > 0 {
        parts.push(format!("at most {} of a model, at its price", counted(bill.judgments, "judgment")));
    }
    if bill.acts_outside {
        parts.push("they may use what the flows were granted".to_owned());
    }
    format!("{}.", parts.join("; "))
}

/// The name of a case with its variant.
fn title(case: &str, variant: &plait_api::suites::Variant) -> String {
    if variant.is_empty() {
        return case.to_owned();
    }
    let parts = variant.iter().map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    });
    format!("{case} [{}]", parts.collect::<Vec<_>>().join(", "))
}

/// The part of the repeats that passed, with its interval: `4 of 5 passed (80 %, with 95 % confidence 38–96 %)`.
fn rate_text(outcome: &CaseOutcome) -> String {
    let rate = &outcome.rate;
    let percent = |part: f64| format!("{:.0}", part * 100.0);
    let part = if rate.runs == 0 { 0.0 } else { f64::from(rate.passed) / f64::from(rate.runs) };
    format!(
        "{} of {} passed ({} %, with 95 % confidence {}–{} %)",
        rate.passed,
        rate.runs,
        percent(part),
        percent(rate.low),
        percent(rate.high)
    )
}
