//! Loads the flow that an argument names: a file, standard input, or an embedded example.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use plait_api::flows::name_tool;
use plait_api::{ErrorReply, examples, flow_files};
use plait_core::diagnostic::{Diagnostic, Severity};
use plait_core::flow;
use plait_core::flow::Flow;
use plait_formats::pipeline;
use plait_formats::pipeline::Pipeline;
use plait_formats::positions::Positions;

use crate::codes;
use crate::diagnostics;
use crate::exit::CliError;
use crate::terminal;

/// A flow with its text, to report the positions of problems.
pub(crate) struct FlowSource {
    pub(crate) flow: Flow,
    /// The file; absent for an example flow and for standard input.
    path: Option<PathBuf>,
    name: String,
    text: String,
    is_pipeline: bool,
    /// Warnings of what its text says and the flow does not show.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl FlowSource {
    /// Reads the file or example flow that `argument` stands for; `-` stands for standard input.
    pub(crate) fn load(argument: &OsStr) -> Result<Self, CliError> {
        if argument == "-" {
            let text = read_stdin()?;
            let is_pipeline = pipeline::looks_like_pipeline(&text);
            return Self::parse("standard input".to_owned(), text, None, is_pipeline);
        }
        let path = Path::new(argument);
        let name = argument.to_string_lossy().into_owned();
        // A file takes precedence over an example flow.
        if !path.is_file()
            && let Some(text) = examples::text(&name)
        {
            return Self::parse(format!("{name}.flow.json"), text.to_owned(), None, false);
        }
        let file = flow_files::read(path).map_err(|fault| {
            let error = ErrorReply::from(fault);
            let is_bare_word = path.components().count() == 1 && path.extension().is_none();
            if error.code == codes::FLOW_NOT_FOUND && is_bare_word {
                return error.hint(format!(
                    "Pass a flow file, or one of the example flows: {}.",
                    examples::IDS.join(", ")
                ));
            }
            error
        })?;
        let is_pipeline = pipeline::is_pipeline(&file.path);
        Self::parse(name, file.text, Some(file.path), is_pipeline)
    }

    fn parse(name: String, text: String, path: Option<PathBuf>, is_pipeline: bool) -> Result<Self, CliError> {
        let read = if is_pipeline {
            Pipeline::read(&text).map(|pipeline| (pipeline.flow, pipeline.warnings))
        } else {
            flow::read(&text).map(|flow| (flow, Vec::new())).map_err(|error| vec![error])
        };
        match read {
            Ok((flow, warnings)) => Ok(Self { flow, path, name, text, is_pipeline, warnings }),
            Err(errors) => {
                let errors = name_tool(&text, errors);
                let masked = terminal::mask(&text);
                let positions = positions(&masked, is_pipeline);
                let style = terminal::style();
                let rendered = diagnostics::render_read_errors(&name, &masked, &positions, &errors, style);
                let diagnostics = errors.into_iter().map(|error| *error.diagnostic).collect();
                Err(CliError::InvalidFlow { rendered, diagnostics })
            }
        }
    }

    /// The flow alone, when nothing more is reported about it.
    pub(crate) fn into_flow(self) -> Flow {
        self.flow
    }

    /// The file, as run requests take it. None for a path that is not Unicode, which they cannot hold: such a flow runs like
    /// one without a file, and cannot name others relative to it.
    pub(crate) fn path_text(&self) -> Option<String> {
        self.path.as_ref().and_then(|path| path.to_str()).map(str::to_owned)
    }

    /// Diagnostics with their positions in the text.
    pub(crate) fn render(&self, diagnostics: &[Diagnostic]) -> String {
        if diagnostics.is_empty() {
            return String::new();
        }
        let text = terminal::mask(&self.text);
        let positions = positions(&text, self.is_pipeline);
        diagnostics::render(&self.name, &text, &positions, diagnostics, terminal::style())
    }

    /// `2 errors and 1 warning in my.flow.json.`
    pub(crate) fn summary(&self, diagnostics: &[Diagnostic]) -> String {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        let warnings = diagnostics.len() - errors;
        let part = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let parts = match (errors, warnings) {
            (0, 0) => return "No problems found.\n".to_owned(),
            (_, 0) => part(errors, "error"),
            (0, _) => part(warnings, "warning"),
            _ => format!("{} and {}", part(errors, "error"), part(warnings, "warning")),
        };
        format!("{parts} in {}.\n", self.name)
    }

    /// The error for a flow that cannot run because of the errors among these diagnostics.
    pub(crate) fn invalid(&self, diagnostics: &[Diagnostic]) -> CliError {
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        let errors: Vec<_> = diagnostics.iter().filter(is_error).cloned().collect();
        let rendered = self.render(&errors) + &self.summary(&errors);
        CliError::InvalidFlow { rendered, diagnostics: errors }
    }
}

fn positions(text: &str, is_pipeline: bool) -> Positions<'_> {
    if is_pipeline { Positions::of_pipeline(text) } else { Positions::of_flow(text) }
}

fn read_stdin() -> Result<String, CliError> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).map_err(|error| {
        CliError::from(ErrorReply::new(
            codes::USAGE_INPUT,
            format!("Could not read a flow from standard input: {error}."),
        ))
    })?;
    Ok(text)
}
