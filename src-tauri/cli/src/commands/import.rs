//! `plait import`.

mod comparison;
mod otlp;

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use plait_api::flows::{ImportFlow, ImportedFlow};
use plait_api::runs::CompareImport;
use plait_api::{ErrorReply, flow_files};
use plait_core::flow;
use plait_formats::foreign::{Format, ImportOutcome, MAX_BYTES, name_of_file};

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::terminal::{mask, print_error, redact_value, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
The format is recognized by what the file contains. What has no equivalent becomes a placeholder: it keeps the original, but \
can't run until you replace it. The report says of each node whether it does the same, how it differs, that it is a placeholder, or \
why it is lost.

Examples:
  plait import workflow.json
  plait import app.yml -o app.flow.json
  plait import my-prompt-flow/flow.dag.yaml
  plait import chatflow.json -o - > chat.flow.json
  plait import workflow.json --compare execution.json
  plait import project.rivet-project --graph Summarize -o summarize.flow.json
  plait import otlp traces.jsonl
  plait import workflow.json --json | jq '.report.nodes[] | select(.outcome != \"same\")'")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    traces: Option<ImportCommand>,
    /// The file of another tool, the folder of a Prompt Flow, or `-` for standard input.
    #[arg(required = true)]
    file: Option<OsString>,
    /// The flow file to write; it must not exist. `-` prints the flow instead. By default, the name of the file with
    /// `.flow.json`, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The tool that the file is from, if it is not recognized.
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// The graph of a Rivet project to import, by its name or id. By default, the main graph.
    #[arg(long, value_name = "NAME")]
    graph: Option<String>,
    /// Compare with an execution of n8n, a log of Dify or a recording of Rivet: what asks people, models and servers delivers what is recorded and asks nobody, everything else
    /// runs, and each node's values are compared. Writes a flow only with `--output`.
    #[arg(long, value_name = "RECORD")]
    compare: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum ImportCommand {
    /// Import traces of model calls as a run.
    Otlp(otlp::OtlpArgs),
}

/// A format, as an argument.
#[derive(Clone, Copy, Debug)]
struct FormatArg(Format);

impl ValueEnum for FormatArg {
    fn value_variants<'a>() -> &'a [Self] {
        const VARIANTS: [FormatArg; Format::ALL.len()] = {
            let mut variants = [FormatArg(Format::ALL[0]); Format::ALL.len()];
            let mut at = 0;
            while at < variants.len() {
                variants[at] = FormatArg(Format::ALL[at]);
                at += 1;
            }
            variants
        };
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

pub(crate) async fn execute(home: &Home, args: ImportArgs) -> Result<ExitStatus, CliError> {
    if let Some(ImportCommand::Otlp(args)) = args.traces {
        return otlp::execute(home, args).await;
    }
    // The parser requires it.
    let source = args.file.unwrap_or_default();
    let app = if args.compare.is_some() {
        open_app::for_running(home, &[]).await?
    } else {
        open_app::for_reading(home).await?
    };
    let is_stdin = source == "-";
    let text = if is_stdin { Some(read_stdin()?) } else { None };
    let path = (!is_stdin).then(|| source.to_string_lossy().into_owned());
    let format = args.format.map(|format| format.0);
    let imported = app.call(ImportFlow { path, text, name: None, format, graph: args.graph }).await?;
    let compared = match &args.compare {
        Some(record) => {
            let path = Some(record.display().to_string());
            let (flow, report) = (imported.flow.clone(), imported.report.clone());
            Some(app.call(CompareImport { flow, report, path, text: None }).await?)
        }
        None => None,
    };
    app.close().await?;
    let writes = compared.is_none() || args.output.is_some();
    let written = flow::write(&imported.flow).map_err(|error| {
        ErrorReply::new(codes::FLOW_UNWRITABLE, format!("The flow could not be written. {error}"))
    })?;
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    let file = (!to_stdout && writes).then(|| args.output.unwrap_or_else(|| default_file(&source)));
    match &file {
        Some(file) => flow_files::create(file, &written).map_err(ErrorReply::from)?,
        None if args.json || !writes => {}
        None => write!(stdout(), "{}", mask(&written))?,
    }
    if let Some(comparison) = compared {
        return comparison::print(&comparison, args.json);
    }
    if args.json {
        print_json(&imported, file.as_deref())?;
        return Ok(ExitStatus::Success);
    }
    print_error(&imported.report.to_text());
    if let Some(file) = file {
        let file = file.display();
        print_error(&format!("\nWrote {file}. Check it: plait check {file}\n"));
    }
    Ok(ExitStatus::Success)
}

/// The name of the imported file with another ending, in the current folder.
fn default_file(file: &OsStr) -> PathBuf {
    let name = if file == "-" { None } else { name_of_file(Path::new(file)) };
    let name = name.unwrap_or_else(|| "Imported".to_owned());
    PathBuf::from(format!("{name}.flow.json"))
}

fn print_json(imported: &ImportedFlow, file: Option<&Path>) -> Result<(), CliError> {
    let mut json = serde_json::json!({
        "complete": imported.report.nodes.iter().all(|node| matches!(node.outcome, ImportOutcome::Same | ImportOutcome::Differs)),
        "report": imported.report,
    });
    match file {
        Some(file) => json["file"] = file.display().to_string().into(),
        None => json["flow"] = serde_json::to_value(&imported.flow).unwrap_or_default(),
    }
    writeln!(stdout(), "{}", redact_value(json))?;
    Ok(())
}

fn read_stdin() -> Result<String, ErrorReply> {
    let mut text = String::new();
    // One byte more shows that there is more.
    std::io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_string(&mut text).map_err(|error| {
        ErrorReply::new(codes::USAGE_INPUT, format!("Could not read standard input: {error}."))
    })?;
    Ok(text)
}
