//! `suite.add`: makes a test of a run: a recording beside the suite, and a case with checks that hold of the run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_store::atomic_file;
use plait_suites::{CaseOutcome, TestCase, Variant, add_case, suggested_checks};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::evidence::of_store;
use super::file::{SuiteFile, is_json, read_text, suites_beside};
use super::run_case::RunTest;
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::runs::ExportRecording;

/// The longest name that a case gets by itself, in characters.
const MAX_NAME_CHARS: usize = 60;

/// `suite.add`: adds a case to a suite, with a recording beside it: the outputs as they are, the tools that were called, no more than a
/// tenth more tokens. Then the case is run once. `suite.not_finished`, `suite.no_flow`, `suite.other_flow`, `suite.exists`,
/// `suite.not_added`, and the errors of `recording.export`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AddTest {
    pub run: RunId,
    /// The suite, an absolute path. Without it, the one beside the run's flow, which is made if there is none.
    #[serde(default)]
    #[ts(optional)]
    pub file: Option<String>,
    /// The name of the case. Without it, the beginning of the run's input, or the name of the flow.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
}

/// What was added.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AddedTest {
    /// The suite.
    pub file: String,
    pub case: String,
    /// The recording's file.
    pub recording: String,
    /// What is checked.
    pub checks: Vec<String>,
    /// What came of running the case. It fails if the flow is another one now than the run's.
    pub outcome: CaseOutcome,
}

impl Command for AddTest {
    const NAME: &'static str = "suite.add";
    type Service = SuiteService;
    type Reply = AddedTest;

    async fn run(self, service: &SuiteService) -> Result<AddedTest, ErrorReply> {
        let Self { run, file, name } = self;
        let new = {
            let (service, run) = (service.clone(), run.clone());
            run_blocking(move || service.new_case(&run, file.as_deref(), name)).await?
        };
        let NewCase { file, mut case, recording } = new;
        let exported = ExportRecording { run, file: recording.display().to_string(), mask: Vec::new() };
        exported.run(&service.runs).await?;
        let folder = file.parent().unwrap_or_else(|| Path::new(""));
        let relative = recording.strip_prefix(folder).unwrap_or(&recording);
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        case.recording = Some(parts.join("/"));
        let (name, checks) =
            (case.name.clone(), case.checks.iter().map(plait_suites::Check::label).collect());
        let path = file.clone();
        run_blocking(move || write_case(&path, &case)).await?;
        let file = file.display().to_string();
        let test = RunTest {
            file: file.clone(),
            case: name.clone(),
            variant: Variant::new(),
            resume: false,
            grants: Vec::new(),
        };
        let outcome = test.run(service).await?;
        Ok(AddedTest { file, case: name, recording: recording.display().to_string(), checks, outcome })
    }
}

/// A case that is not written yet.
struct NewCase {
    /// The suite.
    file: PathBuf,
    case: TestCase,
    /// Where the recording goes.
    recording: PathBuf,
}

impl SuiteService {
    /// Blocks.
    fn new_case(&self, run: &RunId, file: Option<&str>, name: Option<String>) -> Result<NewCase, ErrorReply> {
        let record = self.store.run(run)?;
        if record.status != RunStatus::Finished {
            return Err(ErrorReply::new(codes::SUITE_NOT_FINISHED, format!("Run {run} did not finish."))
                .hint("Make a test of a run that finished."));
        }
        let flow = record.flow.path.as_deref().map(PathBuf::from);
        let file = match (file, &flow) {
            (Some(file), _) => PathBuf::from(file),
            (None, Some(flow)) => {
                let (found, new) = suites_beside(flow);
                found.into_iter().next().unwrap_or(new)
            }
            (None, None) => {
                let message = format!("The flow of run {run} has no file that a suite could stand beside.");
                return Err(ErrorReply::new(codes::SUITE_NO_FLOW, message)
                    .hint("Save the flow and run it, or name the suite: `--suite FILE`."));
            }
        };
        let known = if file.is_file() { Some(SuiteFile::read(&file, None)?) } else { None };
        if let (Some(known), Some(flow)) = (&known, &flow)
            && known.flow_path != *flow
        {
            let message = format!(
                "`{}` tests `{}`; the run ran `{}`.",
                file.display(),
                known.flow_name(),
                flow.display()
            );
            return Err(
                ErrorReply::new(codes::SUITE_OTHER_FLOW, message).hint("Choose the suite of the run's flow.")
            );
        }
        let taken = |name: &str| {
            known.as_ref().is_some_and(|known| known.suite.cases.iter().any(|case| case.name == name))
        };
        let evidence = of_store(&self.store, run)?;
        let name = match name {
            Some(name) if taken(&name) => {
                let message = format!("`{}` has a case `{name}`.", file.display());
                return Err(ErrorReply::new(codes::SUITE_EXISTS, message).hint("Choose another name."));
            }
            Some(name) => name,
            None => {
                let input = evidence.root().view().outline.input.as_deref();
                free_name(&own_name(input, &record.flow.name), &taken)
            }
        };
        let recording = free_recording(&file, &name);
        let folder = recording.parent().unwrap_or_else(|| Path::new(""));
        fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        let case = TestCase { name, checks: suggested_checks(&evidence), ..TestCase::default() };
        Ok(NewCase { file, case, recording })
    }
}

/// The beginning of the input, or the name of the flow.
fn own_name(input: Option<&str>, flow: &str) -> String {
    let words: Vec<&str> = input.unwrap_or_default().split_whitespace().collect();
    let text = if words.is_empty() { flow.trim().to_owned() } else { words.join(" ") };
    match text.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None if text.is_empty() => "run".to_owned(),
        None => text,
    }
}

fn free_name(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let numbered = (2_u32..).map(|number| format!("{name} {number}"));
    [name.to_owned()].into_iter().chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// A file that is not there yet, in a folder named like the suite.
fn free_recording(suite: &Path, case: &str) -> PathBuf {
    let name: String = case
        .chars()
        .map(|char| if char.is_alphanumeric() { char.to_ascii_lowercase() } else { '-' })
        .take(MAX_NAME_CHARS)
        .collect();
    let name: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let name = if name.is_empty() { "case".to_owned() } else { name.join("-") };
    let folder = suite.with_extension("");
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    let files =
        [name.clone()].into_iter().chain(numbered).map(|name| folder.join(format!("{name}.plait-recording")));
    files.into_iter().find(|path| !path.exists()).unwrap_or_default()
}

/// Blocks.
fn write_case(file: &Path, case: &TestCase) -> Result<(), ErrorReply> {
    let text = if file.is_file() { Some(read_text(file)?) } else { None };
    let added = add_case(text.as_deref(), is_json(file), case).map_err(|problem| {
        let message = format!("The case can't be added to `{}`: {problem}", file.display());
        ErrorReply::new(codes::SUITE_NOT_ADDED, message)
    })?;
    atomic_file::replace(file, added.as_bytes()).map_err(|error| not_written(file, &error))
}

fn not_written(path: &Path, error: &io::Error) -> ErrorReply {
    ErrorReply::new(codes::SUITE_NOT_WRITTEN, format!("`{}` can't be written: {error}.", path.display()))
        .hint("Check the folder, your rights to it and the free space.")
}
