//! What a command says when it no longer follows a run, and its exit status: the run waits, or has ended.

use std::io::Write as _;

use plait_api::ErrorReply;
use plait_api::runs::answers::Questions;
use plait_core::id::Activation;
use plait_journal::view::{OpenPause, RunOutline, RunStatus};
use serde_json::Value;

use super::RunFollower;
use crate::codes;
use crate::debugger;
use crate::environment;
use crate::exit::{CliError, ExitStatus, error_text};
use crate::open_app;
use crate::terminal::{print_error, stdout};

impl RunFollower<'_> {
    /// Reports that the run stays waiting, and how to answer it.
    pub(super) fn stop_waiting(&mut self) -> ExitStatus {
        self.progress.pause();
        let plait = open_app::program(self.app);
        let places: Vec<String> = self.outline.stops.iter().map(debugger::describe).collect();
        if !places.is_empty() {
            let place = match &places[..] {
                [place] => place.clone(),
                places => format!("at {} places:\n  {}\n ", places.len(), places.join("\n  ")),
            };
            print_error(&format!(
                "Run {run} stands still {place} [{code}]\n  help: {plait} resume {run}\n",
                run = self.run,
                code = codes::DEBUG_STOPPED
            ));
            return ExitStatus::Stopped;
        }
        let questions = Questions { outline: &self.outline, first_asker: self.answers.first_asker.as_ref() };
        let open: Vec<&OpenPause> = questions.in_order().collect();
        let is_about_tool = open.first().is_some_and(|pause| pause.tool.is_some());
        let note = match self.answers.next_unaddressed() {
            Some(_) if is_about_tool => {
                "\n  note: a question about a tool call takes `yes`, `no` or JSON; any other answer is for a later question"
            }
            _ => "",
        };
        let answer = if is_about_tool { "yes|no|JSON" } else { "TEXT" };
        let (asked, address) = match &open[..] {
            [] => ("an answer".to_owned(), "[NODE=]"),
            [only] => (format!("an answer: {}", only.prompt.trim()), "[NODE=]"),
            several => {
                let line =
                    |pause: &&OpenPause| format!("\n  {}: {}", questions.address(pause), pause.prompt.trim());
                (format!("{} answers:{}", open.len(), several.iter().map(line).collect::<String>()), "NODE=")
            }
        };
        print_error(&format!(
            "Run {run} is waiting for {asked}{note}\n  help: {plait} resume {run} --answer {address}{answer}, or {plait} resume {run} --end\n",
            run = self.run
        ));
        ExitStatus::Waiting
    }

    /// Prints the result of a run that has ended.
    pub(super) fn finish(&mut self) -> Result<ExitStatus, CliError> {
        self.progress.pause();
        if self.json.is_none() {
            print_outputs(&self.outline)?;
        }
        match self.answers.texts.len() {
            0 => {}
            1 => print_error("note: One answer was not used.\n"),
            count => print_error(&format!("note: {count} answers were not used.\n")),
        }
        Ok(match self.outline.status {
            RunStatus::Failed => {
                if let Some(failed) = &self.outline.error {
                    let activation = Activation { node: failed.node.clone(), epoch: failed.epoch.clone() };
                    let mut error = ErrorReply::from(failed.error.clone());
                    error.message = format!("node `{activation}`: {}", error.message);
                    print_error(&error_text(&error));
                    if self.app.here().is_none()
                        && let Some(name) = variable_of_this_terminal(&error.message)
                    {
                        print_error(&format!(
                            "note: {name} is set in this terminal. The process that has the data directory open drives the run, and does not have it: store the key with `plait keys set`, or close that process first.\n"
                        ));
                    }
                }
                ExitStatus::Failure
            }
            RunStatus::Cancelled => {
                print_error(&format!("Run {} was canceled.\n", self.run));
                ExitStatus::Canceled
            }
            _ => ExitStatus::Success,
        })
    }
}

/// The variable that an error calls not set, if it is set here.
fn variable_of_this_terminal(message: &str) -> Option<&str> {
    let before = message.split_once(" is not set")?.0;
    let name = before.rsplit(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).next()?;
    environment::variable(name).map(|_| name)
}

/// Prints the outputs of the flow: a single value as it is, several values under the names of their ports.
fn print_outputs(outline: &RunOutline) -> Result<(), CliError> {
    let mut out = stdout();
    let values: Vec<_> = outline
        .outputs
        .iter()
        .flat_map(|(node, ports)| ports.iter().map(move |(port, value)| (format!("{node}.{port}"), value)))
        // Context outputs are wiring, not results.
        .filter(|(_, value)| value.get("contextId").is_none())
        .collect();
    for (name, value) in &values {
        if values.len() > 1 {
            writeln!(out, "{name}:")?;
        }
        match &***value {
            Value::String(text) => writeln!(out, "{}", text.trim_end())?,
            other => writeln!(out, "{other:#}")?,
        }
    }
    Ok(())
}
