//! Characters that a reader does not see.

use std::ops::Range;

/// Whether a character takes no room, or only room: white space and the code points that Unicode calls
/// `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt`), among them the zero-width ones.
pub(crate) fn is_invisible(char: char) -> bool {
    char.is_whitespace()
        || char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is invisible and no white space.
pub(super) fn is_hidden(char: char) -> bool {
    is_invisible(char) && !char.is_whitespace()
}

/// A text without its hidden characters, with a map back to its source.
pub(super) struct VisibleText {
    text: String,
    /// For each byte, its place in the source.
    places: Vec<usize>,
}

impl VisibleText {
    /// None if the text has no such characters, as almost all have none.
    pub(super) fn new(source: &str) -> Option<Self> {
        // Skips printable ASCII, which most texts consist of, byte by byte.
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
        let first = source.bytes().position(|byte| !is_plain(&byte))?;
        if !source[first..].contains(is_hidden) {
            return None;
        }
        let mut visible = Self { text: String::new(), places: Vec::new() };
        for (at, char) in source.char_indices().filter(|(_, char)| !is_hidden(*char)) {
            visible.text.push(char);
            visible.places.extend(at..at + char.len_utf8());
        }
        Some(visible)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The part of the source that a range comes from. The range is not empty.
    pub(super) fn source_range(&self, range: Range<usize>) -> Range<usize> {
        let end = range.end.checked_sub(1).map_or(0, |last| self.source_start(last) + 1);
        self.source_start(range.start)..end
    }

    /// Where a byte comes from.
    pub(super) fn source_start(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or_default()
    }
}
