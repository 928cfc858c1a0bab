//! Progress of a run on standard error: a line for each activation that ended and, in a terminal, streamed text and a spinner
//! with the active nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal as _;
use std::time::Duration;

use console::style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plait_core::error::Fault;
use plait_core::id::{Activation, NodeId};
use plait_journal::{CallEvent, DebugEvent, Entry, Event, LoopEvent, NodeEvent, SkipReason, skip_notice};
use plait_llm::tool::ToolProgress;

use crate::format::{first_line, format_duration};
use crate::printable::printable;
use crate::terminal::print_styled;

/// How often a line says what is waited for, in seconds.
const WAIT_INTERVAL_SECS: f64 = 10.0;

/// The marker of a reply without its end.
pub(crate) const TRUNCATED: &str = "truncated: the reply reached a limit of tokens";

/// Prints the entries of a run.
pub(crate) struct Progress {
    enabled: bool,
    is_terminal: bool,
    /// Absent while a question is asked.
    spinner: Option<ProgressBar>,
    /// Activations in progress, with the incomplete last line of their streamed text.
    active: BTreeMap<Activation, String>,
    /// What activations in progress wait for outside of the run.
    waits: BTreeMap<Activation, String>,
    /// The loops with iterations that have begun.
    loops: BTreeSet<NodeId>,
}

impl Progress {
    /// Prints nothing unless `enabled`.
    pub(crate) fn new(enabled: bool) -> Self {
        let is_terminal = enabled && std::io::stderr().is_terminal();
        Self {
            enabled,
            is_terminal,
            spinner: None,
            active: BTreeMap::new(),
            waits: BTreeMap::new(),
            loops: BTreeSet::new(),
        }
    }

    pub(crate) fn print(&mut self, entry: &Entry) {
        if self.is_terminal && self.spinner.is_none() {
            self.spinner = Some(spinner());
        }
        match &entry.event {
            Event::Node(at, NodeEvent::Started { .. }) => {
                self.active.insert(at.clone(), String::new());
            }
            Event::Node(at, NodeEvent::Delta { text, .. }) => self.stream(at, text),
            Event::Node(at, NodeEvent::Progressed { progress }) => self.wait(at, progress),
            Event::Node(at, NodeEvent::Noticed { notice }) => {
                self.flush(at);
                self.note(&notice_line(at, notice));
            }
            Event::Node(at, NodeEvent::Finished { metadata, .. }) => {
                let duration = style(format_duration(metadata.duration_ms)).dim().for_stderr();
                if metadata.pinned {
                    self.print_end(at, &format!("{} {{}}  pinned", style("=").cyan().for_stderr()));
                } else if metadata.truncated {
                    let mark = style("!").yellow().for_stderr();
                    self.print_end(at, &format!("{mark} {{}}  {duration}  {TRUNCATED}"));
                } else {
                    self.print_end(at, &format!("{} {{}}  {duration}", style("✓").green().for_stderr()));
                }
            }
            Event::Node(at, NodeEvent::Failed { error, .. }) => {
                let error = printable(&format!("{} [{}]", error.message, error.code)).into_owned();
                self.print_end(at, &format!("{} {{}}  {error}", style("✗").red().for_stderr()));
            }
            Event::Node(at, NodeEvent::Skipped { reason: SkipReason::DeadInput, failed: None }) => {
                self.print_end(at, &format!("{} {{}}  skipped", style("–").dim().for_stderr()));
            }
            Event::Node(at, NodeEvent::Skipped { reason: SkipReason::ByPerson, .. }) => {
                self.print_end(at, &format!("{} {{}}  skipped by hand", style("–").dim().for_stderr()));
            }
            Event::Node(at, NodeEvent::Skipped { failed: Some(failed), .. }) => {
                let notice = skip_notice(failed);
                let notice = printable(&format!("{} [{}]", notice.message, notice.code)).into_owned();
                self.print_end(at, &format!("{} {{}}  {notice}", style("!").yellow().for_stderr()));
            }
            Event::Node(at, NodeEvent::Retrying { dropped: Some(_), .. }) => {
                self.print_end(at, &format!("{} {{}}  run again by hand", style("↻").yellow().for_stderr()));
            }
            Event::Node(at, NodeEvent::Retrying { delay_ms, error, .. }) => {
                let message = printable(&error.message);
                let reason =
                    format!("{message} [{}]; retrying in {}", error.code, format_duration(*delay_ms));
                self.print_end(at, &format!("{} {{}}  {reason}", style("↻").yellow().for_stderr()));
            }
            Event::Call(at, CallEvent::ToolCalled { call, .. }) => {
                self.flush(at);
                // A program that an import made is hundreds of lines long; the lens and the trace have the whole call.
                let arguments = first_line(&call.arguments.to_string(), 200);
                self.note(&stream_line(at, &format!("→ {} {arguments}", call.name)));
            }
            Event::Call(at, CallEvent::ToolFinished { result, error, .. }) => {
                let output = match (result, error) {
                    (_, Some(error)) => error.to_string(),
                    (result, None) => result.as_ref().map(ToString::to_string).unwrap_or_default(),
                };
                self.note(&stream_line(at, &format!("← {}", first_line(&output, 100))));
            }
            Event::Node(at, NodeEvent::Paused { .. }) => {
                self.active.remove(at);
            }
            Event::Debug(DebugEvent::Logged { point, text, .. }) => {
                self.note(&stream_line(&point.activation(), &format!("· {text}")));
            }
            Event::Loop(Activation { node, .. }, LoopEvent::IterationStarted) => {
                self.loops.insert(node.clone());
            }
            Event::Loop(Activation { node, .. }, LoopEvent::Exhausted { max_epochs, unattended }) => {
                let why = if *unattended { " in which nobody was asked" } else { "" };
                let what = if self.loops.contains(node) { "loop" } else { "cycle at" };
                self.note(&format!(
                    "The {what} `{}` stopped after {max_epochs} iterations{why}.",
                    printable(node.as_str())
                ));
            }
            _ => {}
        }
        self.update_spinner();
    }

    /// Prints a line above the spinner. Its parts must be [`printable`].
    pub(crate) fn note(&self, line: &str) {
        match &self.spinner {
            Some(spinner) => spinner.println(line),
            None if self.enabled => print_styled(&format!("{line}\n")),
            None => {}
        }
    }

    /// Removes the spinner until the next entry.
    pub(crate) fn pause(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }

    /// Says what is waited for: in the spinner, or elsewhere at first and then now and again.
    fn wait(&mut self, at: &Activation, progress: &ToolProgress) {
        let Some(message) = &progress.message else { return };
        let is_first = self.waits.insert(at.clone(), message.clone()).is_none();
        if self.spinner.is_none() && (is_first || progress.progress % WAIT_INTERVAL_SECS < 1.0) {
            self.note(&stream_line(at, message));
        }
    }

    /// Prints the complete lines of streamed text. Only in a terminal: elsewhere the outputs at the end are enough.
    fn stream(&mut self, at: &Activation, text: &str) {
        let Some(spinner) = &self.spinner else { return };
        let line = self.active.entry(at.clone()).or_default();
        line.push_str(text);
        while let Some(end) = line.find('\n') {
            let rest = line.split_off(end + 1);
            spinner.println(stream_line(at, line.trim_end()));
            *line = rest;
        }
    }

    /// Prints the incomplete last line of streamed text.
    fn flush(&mut self, at: &Activation) {
        let rest = self.active.get_mut(at).map(std::mem::take).unwrap_or_default();
        if !rest.trim().is_empty() {
            self.note(&stream_line(at, rest.trim_end()));
        }
    }

    /// Prints the line of an activation that ended. The template has `{}` for its name.
    fn print_end(&mut self, at: &Activation, template: &str) {
        self.flush(at);
        self.active.remove(at);
        self.waits.remove(at);
        self.note(&template.replacen("{}", &printable(&at.to_string()), 1));
    }

    fn update_spinner(&self) {
        let Some(spinner) = &self.spinner else { return };
        let streams = self.active.iter().find(|(_, text)| !text.is_empty());
        let message = match streams.or_else(|| self.waits.iter().next()) {
            Some((at, text)) => stream_line(at, text),
            None => printable(&self.active.keys().map(ToString::to_string).collect::<Vec<_>>().join(", "))
                .into_owned(),
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

fn notice_line(at: &Activation, notice: &Fault) -> String {
    let mark = style("!").yellow().for_stderr();
    let hint = notice.hint.as_ref().map(|hint| format!("\n  help: {hint}")).unwrap_or_default();
    format!(
        "{mark} {}  {}",
        printable(&at.to_string()),
        printable(&format!("{} [{}]{hint}", notice.message, notice.code))
    )
}

fn stream_line(at: &Activation, text: &str) -> String {
    let name = style(format!("{} │", printable(&at.to_string()))).dim().for_stderr();
    format!("{name} {}", printable(text))
}
