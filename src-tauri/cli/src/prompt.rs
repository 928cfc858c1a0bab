//! Asks questions in the terminal.

use std::io::{self, Write as _};

use console::style;
use plait_api::runs::answer_text;
use serde_json::Value;

use crate::exit::CliError;
use crate::printable::printable;

/// The reply to a question.
pub(crate) enum PromptReply {
    Text(String),
    /// Ctrl+D: end the pause without an answer.
    End,
}

/// Prints a question and reads the answer: one line, or several lines that end with a backslash, except the last one.
///
/// The read cannot be canceled. A dropped future leaves a thread that waits for a line until the process ends.
pub(crate) async fn ask(prompt: &str, schema: &Value) -> Result<PromptReply, CliError> {
    let mut err = io::stderr();
    writeln!(err, "\n{} {}", style("?").cyan().bold().for_stderr(), printable(prompt.trim()))?;
    if let Some(choices) = answer_text::answer_choices(schema) {
        writeln!(err, "  {}", style(printable(&choices.join(" / "))).dim().for_stderr())?;
    }
    print_marker(false)?;
    let read = tokio::task::spawn_blocking(|| read_answer(&mut io::stdin().lock()));
    let answer = read.await.unwrap_or_else(|error| Err(io::Error::other(error)))?;
    if answer.is_none() {
        err.write_all(b"\n")?;
    }
    Ok(answer.map_or(PromptReply::End, PromptReply::Text))
}

fn print_marker(continued: bool) -> io::Result<()> {
    let mut err = io::stderr();
    write!(err, "{} ", style(if continued { "…" } else { "›" }).cyan().for_stderr())?;
    err.flush()
}

/// Reads an answer. `None` at the end of input.
fn read_answer(input: &mut impl io::BufRead) -> io::Result<Option<String>> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        let ended = input.read_line(&mut line)? == 0;
        if ended && text.is_empty() {
            return Ok(None);
        }
        let line = line.trim_end_matches(['\r', '\n']);
        match line.strip_suffix('\\') {
            Some(part) if !ended => {
                text.push_str(part);
                text.push('\n');
                print_marker(true)?;
            }
            _ => {
                text.push_str(line);
                return Ok(Some(text));
            }
        }
    }
}

#[cfg(test)]
mod tests;
