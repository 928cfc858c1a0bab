//! Asks questions in the terminal.

use std::io::{self, Write as _};

use console::style;
use plait_api::runs::answer_text;
use serde_json::Value;

use crate::exit::CliError;
use crate::printable::printable;
use crate::stdin_lines;

/// The reply to a question.
pub(crate) enum PromptReply {
    Text(String),
    /// Ctrl+D: end the pause without an answer.
    End,
}

/// Prints a question and reads the answer: one line, or several lines that end with a backslash, except the last one.
pub(crate) async fn ask(prompt: &str, schema: &Value) -> Result<PromptReply, CliError> {
    let mut err = io::stderr();
    writeln!(err, "\n{} {}", style("?").cyan().bold().for_stderr(), printable(prompt.trim()))?;
    if let Some(choices) = answer_text::answer_choices(schema) {
        writeln!(err, "  {}", style(printable(&choices.join(" / "))).dim().for_stderr())?;
    }
    stdin_lines::forget_typed();
    print_marker(false)?;
    let mut lines = AnswerLines::default();
    loop {
        if let Some(reply) = lines.add(stdin_lines::next_line().await?.as_deref()) {
            if matches!(reply, PromptReply::End) {
                err.write_all(b"\n")?;
            }
            return Ok(reply);
        }
        print_marker(true)?;
    }
}

pub(crate) fn print_marker(continued: bool) -> io::Result<()> {
    let mut err = io::stderr();
    write!(err, "{} ", style(if continued { "…" } else { "›" }).cyan().for_stderr())?;
    err.flush()
}

/// The lines of an answer so far.
#[derive(Default)]
struct AnswerLines(String);

impl AnswerLines {
    /// Adds a line, or the end of input. Returns the reply when it is complete.
    fn add(&mut self, line: Option<&str>) -> Option<PromptReply> {
        let Some(line) = line else {
            let text = std::mem::take(&mut self.0);
            return Some(if text.is_empty() { PromptReply::End } else { PromptReply::Text(text) });
        };
        let line = line.trim_end_matches(['\r', '\n']);
        if let Some(part) = line.strip_suffix('\\') {
            self.0.push_str(part);
            self.0.push('\n');
            return None;
        }
        self.0.push_str(line);
        Some(PromptReply::Text(std::mem::take(&mut self.0)))
    }
}

#[cfg(test)]
mod tests;
