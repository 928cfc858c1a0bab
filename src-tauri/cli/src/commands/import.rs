//! `plait import`.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use plait_api::engine::error::ErrorCode;
use plait_api::engine::flow;
use plait_api::engine::import::{Format, ImportOutcome, Imported, MAX_BYTES, import};
use plait_api::{ErrorReply, flow_files};

use crate::exit::{CliError, ExitStatus};
use crate::terminal::{mask, print_error, redact_value, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
The format is recognized by what the file contains. What has no equivalent becomes a placeholder: it keeps the original, but \
can't run until you replace it. The report says what was translated, what became a placeholder and what was lost.

Examples:
  plait import workflow.json
  plait import app.yml -o app.flow.json
  plait import chatflow.json -o - > chat.flow.json
  plait import workflow.json --json | jq '.report.nodes[] | select(.outcome != \"translated\")'")]
pub(crate) struct ImportArgs {
    /// The file of another tool, or `-` for standard input.
    file: OsString,
    /// The flow file to write; it must not exist. `-` prints the flow instead. By default, the name of the file with
    /// `.flow.json`, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The tool that the file is from, if it is not recognized.
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
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

pub(crate) fn execute(args: &ImportArgs) -> Result<ExitStatus, CliError> {
    let text = read(&args.file)?;
    let stem = Path::new(&args.file).file_stem().filter(|_| args.file != "-");
    let name = stem.map_or_else(|| "Imported".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let imported = import(&text, args.format.map(|format| format.0), &name).map_err(ErrorReply::from)?;
    let written = flow::write(&imported.flow).map_err(|error| unwritable(&error.to_string()))?;
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    let file = match &args.output {
        Some(file) => file.clone(),
        None => PathBuf::from(format!("{name}.flow.json")),
    };
    if to_stdout && !args.json {
        write!(stdout(), "{}", mask(&written))?;
    } else if !to_stdout {
        create(&file, &written)?;
    }
    if args.json {
        print_json(&imported, (!to_stdout).then_some(file.as_path()))?;
    } else {
        print_error(&imported.report.to_text());
    }
    if !to_stdout && !args.json {
        print_error(&format!("\nWrote {}. Check it: plait check {}\n", file.display(), file.display()));
    }
    Ok(ExitStatus::Success)
}

fn print_json(imported: &Imported, file: Option<&Path>) -> Result<(), CliError> {
    let mut json = serde_json::json!({
        "complete": imported.report.nodes.iter().all(|node| node.outcome == ImportOutcome::Translated),
        "report": imported.report,
    });
    match file {
        Some(file) => json["file"] = file.display().to_string().into(),
        None => json["flow"] = serde_json::to_value(&imported.flow).unwrap_or_default(),
    }
    writeln!(stdout(), "{}", redact_value(json))?;
    Ok(())
}

fn read(file: &OsStr) -> Result<String, CliError> {
    if file != "-" {
        return Ok(flow_files::read(Path::new(file)).map_err(ErrorReply::from)?.text);
    }
    let mut text = String::new();
    // One byte more shows that there is more.
    std::io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_string(&mut text).map_err(|error| {
        ErrorReply::new(ErrorCode::UsageInput, format!("Could not read standard input: {error}."))
    })?;
    Ok(text)
}

fn create(file: &Path, text: &str) -> Result<(), ErrorReply> {
    let created = OpenOptions::new().write(true).create_new(true).open(file);
    created.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let message = format!("`{}` exists already.", file.display());
            ErrorReply::new(ErrorCode::FlowExists, message).hint("Name another file with `-o`.")
        }
        _ => unwritable(&format!("`{}`: {error}.", file.display())),
    })
}

fn unwritable(reason: &str) -> ErrorReply {
    ErrorReply::new(ErrorCode::FlowUnwritable, format!("The flow could not be written. {reason}"))
}
