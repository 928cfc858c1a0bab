//! Where a flow comes from: a file, or an embedded example.

use std::path::{Path, PathBuf};

use plait_api::engine::diagnostic::{Diagnostic, Severity};
use plait_api::engine::flow::{self, Flow};
use plait_api::{ErrorReply, examples, files};

use crate::diagnostics::{self, Style};
use crate::failure::Failure;

/// A flow, and what is needed to say where something is wrong with it.
pub(crate) struct Source {
    /// The flow.
    pub(crate) flow: Flow,
    /// Its file, unless it is an example.
    pub(crate) path: Option<PathBuf>,
    name: String,
    text: String,
}

impl Source {
    /// Reads the flow that `named` stands for: a file, else an example of that id.
    pub(crate) fn load(named: &str, style: Style) -> Result<Self, Failure> {
        let path = Path::new(named);
        // A bare word that is an example's id and no file's name is the example.
        if !path.is_file()
            && let Some(text) = examples::text(named)
        {
            return Self::read(format!("{named}.flow.json"), text.to_owned(), None, style);
        }
        let file = files::read(path).map_err(|fault| {
            let error = ErrorReply::from(fault);
            if error.code == "flow.not_found" && path.components().count() == 1 && path.extension().is_none()
            {
                return error.hint(format!(
                    "Name a flow file, or one of the examples: {}.",
                    examples::IDS.join(", ")
                ));
            }
            error
        })?;
        Self::read(named.to_owned(), file.text, Some(file.path), style)
    }

    fn read(name: String, text: String, path: Option<PathBuf>, style: Style) -> Result<Self, Failure> {
        match flow::read(&text) {
            Ok(flow) => Ok(Self { flow, path, name, text }),
            Err(error) => Err(Failure::InvalidFlow {
                drawn: diagnostics::render_unreadable(&name, &text, &error, style),
                found: vec![*error.diagnostic],
            }),
        }
    }

    /// Its file, as runs have it.
    pub(crate) fn path_text(&self) -> Option<String> {
        self.path.as_ref().map(|path| path.display().to_string())
    }

    /// Draws findings with their places in the file.
    pub(crate) fn draw(&self, found: &[Diagnostic], style: Style) -> String {
        diagnostics::render(&self.name, &self.text, found, style)
    }

    /// Draws why the flow can't run: the errors among the findings.
    pub(crate) fn refuse(&self, found: &[Diagnostic], style: Style) -> Failure {
        let errors: Vec<_> = found.iter().filter(|one| one.severity == Severity::Error).cloned().collect();
        let mut drawn = self.draw(&errors, style);
        drawn.push_str(&counted(&errors, &self.name));
        Failure::InvalidFlow { drawn, found: errors }
    }

    /// `2 errors and 1 warning in my.flow.json.`
    pub(crate) fn count(&self, found: &[Diagnostic]) -> String {
        counted(found, &self.name)
    }
}

fn counted(found: &[Diagnostic], name: &str) -> String {
    let errors = found.iter().filter(|one| one.severity == Severity::Error).count();
    let warnings = found.len() - errors;
    let part = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let parts = match (errors, warnings) {
        (0, 0) => return format!("{name} is well.\n"),
        (_, 0) => part(errors, "error"),
        (0, _) => part(warnings, "warning"),
        _ => format!("{} and {}", part(errors, "error"), part(warnings, "warning")),
    };
    format!("{parts} in {name}.\n")
}
