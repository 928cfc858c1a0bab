//! What people see of a run while it goes on, on standard error: a line for each node that is done, the text of models as
//! it streams, and on a terminal a spinner that names what is being worked on.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::Duration;

use console::style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plait_api::engine::id::Activation;
use plait_api::engine::run::{Entry, Event, SkipReason};

use crate::failure::say;
use crate::table::{duration, first_line};

/// Shows a run's entries.
pub(crate) struct Progress {
    shown: bool,
    on_terminal: bool,
    /// Turns while something is worked on; put away while a question stands.
    spinner: Option<ProgressBar>,
    /// What is being worked on, and the part of its text that is not a whole line yet.
    working: BTreeMap<Activation, String>,
}

impl Progress {
    /// Shows nothing unless `shown`.
    pub(crate) fn new(shown: bool) -> Self {
        let on_terminal = shown && std::io::stderr().is_terminal();
        Self { shown, on_terminal, spinner: None, working: BTreeMap::new() }
    }

    /// Shows one entry.
    pub(crate) fn show(&mut self, entry: &Entry) {
        if self.on_terminal && self.spinner.is_none() {
            self.spinner = Some(spinner());
        }
        let at = |node: &plait_api::engine::id::NodeId, epoch: &plait_api::engine::id::Epoch| Activation {
            node: node.clone(),
            epoch: epoch.clone(),
        };
        match &entry.event {
            Event::NodeStarted { node, epoch, .. } => {
                self.working.insert(at(node, epoch), String::new());
            }
            Event::NodeDelta { node, epoch, text, .. } => self.stream(&at(node, epoch), text),
            Event::NodeFinished { node, epoch, metadata, .. } => {
                let took = style(duration(metadata.duration_ms)).dim().for_stderr();
                self.done(&at(node, epoch), &format!("{} {{}}  {took}", style("✓").green().for_stderr()));
            }
            Event::NodeFailed { node, epoch, error, .. } => {
                let what = format!("{} [{}]", error.message, error.code);
                self.done(&at(node, epoch), &format!("{} {{}}  {what}", style("✗").red().for_stderr()));
            }
            Event::NodeSkipped { node, epoch, reason: SkipReason::DeadInput } => {
                self.done(&at(node, epoch), &format!("{} {{}}  skipped", style("–").dim().for_stderr()));
            }
            Event::NodeRetrying { node, epoch, delay_ms, error, .. } => {
                let again = format!("{} [{}]; again in {}", error.message, error.code, duration(*delay_ms));
                self.done(&at(node, epoch), &format!("{} {{}}  {again}", style("↻").yellow().for_stderr()));
            }
            Event::ToolCalled { node, epoch, call, .. } => {
                let at = at(node, epoch);
                self.flush(&at);
                self.note(&streamed(&at, &format!("→ {} {}", call.name, call.arguments)));
            }
            Event::ToolFinished { node, epoch, result, error, .. } => {
                let said = match (result, error) {
                    (_, Some(error)) => error.to_string(),
                    (result, None) => result.as_ref().map(ToString::to_string).unwrap_or_default(),
                };
                self.note(&streamed(&at(node, epoch), &format!("← {}", first_line(&said, 100))));
            }
            Event::RunPaused { node, epoch, .. } => {
                self.working.remove(&at(node, epoch));
            }
            Event::LoopExhausted { node, max_epochs, .. } => {
                self.note(&format!("The cycle at `{node}` was stopped after {max_epochs} rounds."));
            }
            _ => {}
        }
        self.tell_what_works();
    }

    /// A line that stays.
    pub(crate) fn note(&self, line: &str) {
        match &self.spinner {
            Some(spinner) => spinner.println(line),
            None if self.shown => say(&format!("{line}\n")),
            None => {}
        }
    }

    /// Takes the spinner away, for good or until the next entry.
    pub(crate) fn pause(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }

    /// Shows the whole lines of what streams in. Without a terminal the result at the end says the same.
    fn stream(&mut self, at: &Activation, text: &str) {
        let Some(spinner) = &self.spinner else { return };
        let line = self.working.entry(at.clone()).or_default();
        line.push_str(text);
        while let Some(end) = line.find('\n') {
            let rest = line.split_off(end + 1);
            spinner.println(streamed(at, line.trim_end()));
            *line = rest;
        }
    }

    /// Shows what streamed in and is not a whole line yet.
    fn flush(&mut self, at: &Activation) {
        let rest = self.working.get_mut(at).map(std::mem::take).unwrap_or_default();
        if !rest.trim().is_empty() {
            self.note(&streamed(at, rest.trim_end()));
        }
    }

    fn done(&mut self, at: &Activation, template: &str) {
        self.flush(at);
        self.working.remove(at);
        self.note(&template.replacen("{}", &at.to_string(), 1));
    }

    fn tell_what_works(&self) {
        let Some(spinner) = &self.spinner else { return };
        let message = match self.working.iter().find(|(_, text)| !text.is_empty()) {
            Some((at, text)) => streamed(at, text),
            None => self.working.keys().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        spinner.set_message(message);
    }
}

fn spinner() -> ProgressBar {
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {wide_msg}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

fn streamed(at: &Activation, text: &str) -> String {
    format!("{} {text}", style(format!("{at} │")).dim().for_stderr())
}
