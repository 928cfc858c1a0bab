//! Asking a person on the terminal.

use std::io::{self, Write as _};

use console::style;
use plait_api::runs::answer_text;
use serde_json::Value;

use crate::failure::Failure;

/// What the person said.
pub(crate) enum Asked {
    /// This.
    Text(String),
    /// Nothing more.
    End,
}

/// Puts the question and reads the answer: a line, or several where each but the last ends with a backslash. Ctrl+D on an
/// empty answer ends the pause.
///
/// The read itself can't be taken back; a dropped future leaves a thread waiting for a line, which ends with the process.
pub(crate) async fn ask(prompt: &str, schema: &Value) -> Result<Asked, Failure> {
    let mut err = io::stderr();
    writeln!(err, "\n{} {}", style("?").cyan().bold().for_stderr(), prompt.trim())?;
    if let Some(choices) = answer_text::answer_choices(schema) {
        writeln!(err, "  {}", style(choices.join(" / ")).dim().for_stderr())?;
    }
    show_mark(false)?;
    let read = tokio::task::spawn_blocking(|| read(&mut io::stdin().lock()));
    let answer = read.await.unwrap_or_else(|error| Err(io::Error::other(error)))?;
    if answer.is_none() {
        err.write_all(b"\n")?;
    }
    Ok(answer.map_or(Asked::End, Asked::Text))
}

fn show_mark(more: bool) -> io::Result<()> {
    let mut err = io::stderr();
    write!(err, "{} ", style(if more { "…" } else { "›" }).cyan().for_stderr())?;
    err.flush()
}

fn read(input: &mut impl io::BufRead) -> io::Result<Option<String>> {
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
                show_mark(true)?;
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
