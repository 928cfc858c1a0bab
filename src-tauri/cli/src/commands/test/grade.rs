//! `plait test grade`.

use std::path::PathBuf;

use clap::Args;
use plait_api::suites::{GradeResult, GradeVerdict, Mark, OpenSuite, Variant};
use plait_api::{Connection, ErrorReply};

use super::{find_suites, title};
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::terminal::print_styled_output;

/// The grade stays with the result: later runs of the case do not change it. `plait test export` writes both.
#[derive(Debug, Args)]
pub(super) struct GradeArgs {
    /// The case; of several variants, with its brackets, as `plait test` prints it.
    case: String,
    /// The suite, or the flow that it is beside. Without it, those below the current folder.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Which of the repeats, from 1.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    run: u32,
    #[command(flatten)]
    mark: MarkArgs,
    /// Why.
    #[arg(long, value_name = "TEXT", conflicts_with = "clear")]
    note: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct MarkArgs {
    #[arg(long)]
    pass: bool,
    #[arg(long)]
    fail: bool,
    /// A number, for example from 1 to 5.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = parse_score)]
    score: Option<f64>,
    /// Take the grade back.
    #[arg(long)]
    clear: bool,
}

fn parse_score(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|score: &f64| score.is_finite()).ok_or_else(|| "expected a number".to_owned())
}

pub(super) async fn execute(home: &Home, args: GradeArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_writing(home).await?;
    let done = grade(&app, &args).await;
    app.close().await?;
    let given = done?;
    let text = given.map_or_else(|| "Took the grade back".to_owned(), |mark| format!("Graded: {mark}"));
    print_styled_output(&format!("{text} ({})\n", printable(&args.case)));
    Ok(ExitStatus::Success)
}

async fn grade(app: &Connection, args: &GradeArgs) -> Result<Option<Mark>, CliError> {
    let (file, case, variant) = find_case(app, args).await?;
    let mark = match &args.mark {
        MarkArgs { pass: true, .. } => Some(Mark::Verdict(GradeVerdict::Pass)),
        MarkArgs { fail: true, .. } => Some(Mark::Verdict(GradeVerdict::Fail)),
        MarkArgs { score, .. } => score.map(Mark::Number),
    };
    let note = args.note.clone();
    let graded = GradeResult { file, case, variant, repeat: args.run - 1, mark, note };
    Ok(app.call(graded).await?.map(|grade| grade.mark))
}

async fn find_case(app: &Connection, args: &GradeArgs) -> Result<(String, String, Variant), CliError> {
    let mut found = Vec::new();
    for file in find_suites(app, args.suite.clone().into_iter().collect()).await? {
        let suite = app.call(OpenSuite { file: file.clone() }).await?;
        let wanted = suite.cases.into_iter().filter(|case| title(&case.name, &case.variant) == args.case);
        found.extend(wanted.map(|case| (file.clone(), case.name, case.variant)));
    }
    match found.pop() {
        Some(only) if found.is_empty() => Ok(only),
        Some(_) => {
            let message = format!("Several suites have a case `{}`.", args.case);
            Err(ErrorReply::new(codes::SUITE_NO_TESTS, message)
                .hint("Name the suite: `--suite FILE`.")
                .into())
        }
        None => {
            let message = format!("No suite here has a case `{}`.", args.case);
            let hint = "Write its name as `plait test` prints it: a row of a dataset is `CASE/ROW`.";
            Err(ErrorReply::new(codes::SUITE_NO_TESTS, message).hint(hint).into())
        }
    }
}
