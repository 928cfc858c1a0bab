//! `plait test export`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use plait_api::suites::{ResultRow, ResultTable, TabulateResults};
use plait_api::{ErrorReply, flow_files};

use super::only_suite;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

/// A row for each time that a case runs: the columns of its dataset or its inputs, its outputs, whether it passed and why not, tokens,
/// cost, time, and the grade that a person gave. Results that are out of date, since the flow or the case has changed, are not in it.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The suite, or the flow that it is beside. The one in the current folder without it.
    path: Option<PathBuf>,
    /// The file. Without it, the table is printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The form. Without it, as the name of the file says, else CSV.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Only cases with this text in their names.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only rows that failed.
    #[arg(long)]
    failed: bool,
    /// Only rows with a grade.
    #[arg(long)]
    graded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    /// A JSON object in each line, with earlier grades and the results that they are of.
    Jsonl,
}

pub(super) async fn execute(home: &Home, args: ExportArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_reading(home).await?;
    let found = async {
        let file = only_suite(&app, args.path.clone()).await?;
        Ok::<_, CliError>(app.call(TabulateResults { file, dataset: None }).await?)
    };
    let table = found.await;
    app.close().await?;
    let is_wanted = |row: &ResultRow| {
        args.filter.as_ref().is_none_or(|text| row.case.contains(text))
            && (!args.failed || row.result.as_ref().is_some_and(|result| !result.has_passed()))
            && (!args.graded || row.grade.is_some())
    };
    let ResultTable { columns, rows, .. } = table?;
    let table = ResultTable::of(rows.into_iter().filter(is_wanted).collect(), &columns);
    let named = |file: &Path| {
        let is_lines = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl"));
        if is_lines { Format::Jsonl } else { Format::Csv }
    };
    let format = args.format.or(args.output.as_deref().map(named)).unwrap_or(Format::Csv);
    let text = match format {
        Format::Csv => table.to_csv(),
        Format::Jsonl => table.to_json_lines(),
    };
    let text = text.map_err(|problem| {
        ErrorReply::new(codes::OUTPUT_FAILED, format!("The table can't be written: {problem}."))
    })?;
    match &args.output {
        None => {
            // A reader that is gone wants no more.
            let _ = stdout().write_all(text.as_bytes());
        }
        Some(file) => {
            flow_files::write_bytes(file, text.as_bytes()).map_err(ErrorReply::from)?;
            let rows =
                if table.rows.len() == 1 { "1 row".to_owned() } else { format!("{} rows", table.rows.len()) };
            print_error(&format!("Wrote {rows} to {}\n", file.display()));
        }
    }
    Ok(ExitStatus::Success)
}
