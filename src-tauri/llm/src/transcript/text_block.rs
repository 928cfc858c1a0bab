//! A history as a text, for models that take a prompt only.

use std::borrow::Cow;
use std::fmt::Write;

use super::HistoryTemplate;
use super::escape::ContentEscape;
use crate::context::{History, Message};
use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_core::id::MessageId;

/// What stands before the turns.
const OPENING: &str = "<conversation_history>";
/// What stands after them. No content can contain it.
const CLOSING: &str = "</conversation_history>";

/// How a history is written.
#[derive(Clone, Copy, Debug)]
pub struct TextBlock<'a> {
    /// The loop's template, if it sets one.
    pub template: Option<&'a HistoryTemplate>,
    /// The first turn of the conversation, if it is the loop's input, and what stands before its content.
    pub start: Option<(&'a MessageId, &'a str)>,
}

/// The turns as one text between two marks; empty if there are none. The faults are those of templates.
pub async fn write_text_block(
    messages: &History,
    block: TextBlock<'_>,
    evaluator: &dyn Evaluator,
) -> Result<String, Fault> {
    if messages.is_empty() {
        return Ok(String::new());
    }
    let turns = messages.iter().map(|message| {
        let prefix = block.start.filter(|(id, _)| **id == message.id);
        (message.role.speaker(), prefix.map_or("", |(_, prefix)| prefix), content(message))
    });
    let written = match block.template {
        Some(template) => template.render(turns, evaluator).await?,
        None => write_lines(turns),
    };
    Ok(format!("{OPENING}\n{}\n{CLOSING}", written.trim_end_matches('\n')))
}

/// The turns one below the other, each under its role: what the default of `history_template` writes.
fn write_lines<'a>(turns: impl Iterator<Item = (&'static str, &'a str, Cow<'a, str>)>) -> String {
    let escape = ContentEscape::default();
    let mut text = String::new();
    for (role, prefix, content) in turns {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{role}: {prefix}{}", escape.apply(&content));
    }
    text
}

fn content(message: &Message) -> Cow<'_, str> {
    match &message.content {
        crate::context::Content::Text(text) => Cow::Borrowed(text),
        parts @ crate::context::Content::Parts(_) => Cow::Owned(parts.text()),
    }
}

#[cfg(test)]
mod tests;
