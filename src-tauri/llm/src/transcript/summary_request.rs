//! What a model is asked that writes a summary: the summary so far and the turns after it.

use super::PromptText;
use crate::context::Content;

/// What stands in place of the end of a turn that is too long.
const ELLIPSIS: &str = " […]";

/// The request for a summary, as the text of its user message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRequest(String);

impl SummaryRequest {
    /// Asks for the summary that replaces `previous` and these turns, each a label and a text, of which at most `max_turn_bytes` are
    /// written.
    pub fn new<'a>(
        previous: Option<&str>,
        turns: impl Iterator<Item = (&'a str, &'a str)>,
        max_turn_bytes: usize,
    ) -> Self {
        let mut text = String::new();
        match previous {
            Some(previous) => {
                text.push_str(&PromptText::below("Summary so far:", previous.trim()));
                text.push_str("\n\nTurns after it:\n");
            }
            None => text.push_str("Turns:\n"),
        }
        for (label, content) in turns {
            let mut turn = PromptText::turn(label, content);
            let end = turn.floor_char_boundary(max_turn_bytes);
            if end < turn.len() {
                turn.truncate(end, ELLIPSIS);
            }
            text.push('\n');
            text.push_str(&turn);
            text.push('\n');
        }
        Self(text)
    }
}

impl From<SummaryRequest> for Content {
    fn from(request: SummaryRequest) -> Self {
        Self::Text(request.0)
    }
}
