//! Values that differ, as lines of text.

use plait_insight::flow_diff::ValueChange;
use plait_insight::words::{PieceSide, TextPiece};
use serde_json::Value;

use crate::printable::printable;
use crate::terminal::stdout_color;

/// How much of what is the same is shown on each side of what differs, in characters.
const CONTEXT_CHARS: usize = 40;
/// How much is shown of a value or of words that differ, in characters.
const MAX_CHARS: usize = 400;

/// What changed, on one line: `[-old-]{+new+}`, in color where the terminal has it.
pub(super) fn change(change: &ValueChange) -> String {
    if !change.words.is_empty() {
        return one_line(
            &change
                .words
                .iter()
                .enumerate()
                .map(|(at, piece)| shown(piece, at, change.words.len()))
                .collect::<String>(),
        );
    }
    let side = |value: &Option<Value>, side| {
        value.as_ref().map(|value| marked(&short(&as_text(value)), side)).unwrap_or_default()
    };
    one_line(&format!("{}{}", side(&change.before, PieceSide::Before), side(&change.after, PieceSide::After)))
}

fn shown(piece: &TextPiece, at: usize, of: usize) -> String {
    match piece.side {
        PieceSide::Both => context(&piece.text, at == 0, at + 1 == of),
        side => marked(&short(&piece.text), side),
    }
}

/// What both texts have, without what is far from a difference.
fn context(text: &str, is_first: bool, is_last: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let ends = usize::from(!is_first) + usize::from(!is_last);
    if chars.len() <= ends * CONTEXT_CHARS + 3 {
        return text.to_owned();
    }
    let start: String = chars.iter().take(if is_first { 0 } else { CONTEXT_CHARS }).collect();
    let end: String = chars.iter().skip(chars.len() - if is_last { 0 } else { CONTEXT_CHARS }).collect();
    format!("{start}…{end}")
}

fn marked(text: &str, side: PieceSide) -> String {
    let (open, close, color) = match side {
        PieceSide::Both => return text.to_owned(),
        PieceSide::Before => ("[-", "-]", console::Style::new().red()),
        PieceSide::After => ("{+", "+}", console::Style::new().green()),
    };
    if stdout_color() {
        color.force_styling(true).apply_to(text).to_string()
    } else {
        format!("{open}{text}{close}")
    }
}

fn as_text(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    printable(&text).into_owned()
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.replace('\n', "⏎")
}
