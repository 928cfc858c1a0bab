//! How the content of a turn is written into a text of several turns, so that it cannot look like a turn of its own.
//!
//! - `&`, `<` and `>` become entities: tags and the marks around the history cannot be closed.
//! - The other punctuation by which the template sets turns apart (brackets, quotes, `#`, `|`, `*`) becomes entities, too.
//! - A line of the content never starts at the beginning of a line: it is indented. So `assistant: …` on a line of its own stays
//!   a part of the turn in which it was said.
//!
//! Where turns do not start on a line of their own, all punctuation of the template becomes entities; a template without any is
//! refused.

use std::borrow::Cow;
use std::fmt::Write;

/// Punctuation that is harmless where every turn starts on a line of its own, and common in plain text.
const HARMLESS_WITHIN_LINES: &[u8] = b"!,-./:;?";
/// What stands before each line of a content that would start at the beginning of a line.
const INDENT: &str = "  ";
/// How many bytes are looked at together.
const CHUNK: usize = 32;
/// The name of the tag around a history that is written as text.
pub(super) const HISTORY_TAG: &str = "conversation_history";

/// How contents are escaped for one template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentEscape {
    /// The ASCII characters that become entities, as bits.
    entities: u128,
    /// Whether the first line of a content starts at the beginning of a line.
    indents_first: bool,
}

impl Default for ContentEscape {
    fn default() -> Self {
        Self { entities: bits(b"&<>"), indents_first: false }
    }
}

/// A text that stands within a line: line breaks become spaces.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_line_break) {
        return Cow::Borrowed(text);
    }
    let words = text.split(is_line_break).map(str::trim).filter(|line| !line.is_empty());
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a tag of a written history begins with this text, which begins with `<`.
fn is_history_tag(text: &str) -> bool {
    let name = text[1..].trim_start_matches(['/', ' ']);
    name.get(..HISTORY_TAG.len()).is_some_and(|name| name.eq_ignore_ascii_case(HISTORY_TAG))
}

fn bits(characters: &[u8]) -> u128 {
    characters.iter().filter(|byte| byte.is_ascii()).fold(0, |bits, &byte| bits | 1 << byte)
}

impl ContentEscape {
    /// For contents that follow a label on its line, outside of any tag.
    pub(super) fn within_lines() -> Self {
        Self { entities: 0, indents_first: false }
    }

    /// For contents on the lines below a heading, outside of any tag.
    pub(super) fn below_heading() -> Self {
        Self { entities: 0, indents_first: true }
    }

    /// Stands for the contents of three turns (user, assistant, user) when a template is inspected. Letters, so that no helper
    /// changes anything but their case.
    pub(super) const MARKS: [&str; 3] = ["zqfirstqz", "zqsecondqz", "zqthirdqz"];

    /// The escape for a template that renders the marks to `text`.
    pub(super) fn for_rendered(text: &str) -> Result<Self, String> {
        let lower = text.to_lowercase();
        let [first, second, third] = Self::MARKS.map(|mark| lower.find(mark).map(|at| (at, at + mark.len())));
        let (Some(first), Some(second), Some(third)) = (first, second, third) else {
            return Err(
                "The template does not write the `content` of every turn: `{{#each history}}{{this.role}}: {{this.content}}{{/each}}`."
                    .to_owned(),
            );
        };
        if first.1 > second.0 || second.1 > third.0 {
            return Err("The template does not write the turns in their order.".to_owned());
        }
        let outside = lower[..first.0].bytes().chain(lower[first.1..second.0].bytes());
        let outside = outside.chain(lower[second.1..third.0].bytes()).chain(lower[third.1..].bytes());
        let punctuation: Vec<u8> = outside.filter(u8::is_ascii_punctuation).collect();
        // The text behind a content on its line must not name the speaker: a content of two lines could do that, too.
        let separators = [&lower[first.1..second.0], &lower[second.1..third.0]];
        let ends = separators.map(|separator| separator.split_once('\n').map(|(end, _)| end));
        let has_own_lines = ends[0].is_some() && ends[0] == ends[1];
        let mut entities = bits(b"&<>");
        if has_own_lines {
            entities |= bits(&punctuation) & !bits(HARMLESS_WITHIN_LINES);
        } else if punctuation.is_empty() {
            return Err(
                "Nothing separates the turns that the template writes: start each on a line of its own, or put it into brackets or tags."
                    .to_owned(),
            );
        } else {
            entities |= bits(&punctuation);
        }
        let line_start = |at: usize| lower[..at].trim_end_matches([' ', '\t']).ends_with('\n') || at == 0;
        let indents_first = [first, second, third].iter().any(|(start, _)| line_start(*start));
        Ok(Self { entities, indents_first })
    }

    /// The content as it is written.
    pub(super) fn apply<'a>(&self, content: &'a str) -> Cow<'a, str> {
        if !self.indents_first && self.first_change(content).is_none() {
            return Cow::Borrowed(content);
        }
        let mut text = String::with_capacity(content.len() + 16);
        if self.indents_first && !content.is_empty() {
            text.push_str(INDENT);
        }
        let mut rest = content;
        // Most of a content stays as it is, and is copied in one piece up to the next byte that may not.
        while let Some(at) = self.first_change(rest) {
            let (unchanged, from) = rest.split_at(at);
            text.push_str(unchanged);
            let mut characters = from.chars();
            let Some(character) = characters.next() else { break };
            rest = characters.as_str();
            match character {
                '\r' if rest.starts_with('\n') => {}
                character if is_line_break(character) => {
                    text.push('\n');
                    text.push_str(INDENT);
                }
                '<' if is_history_tag(from) => text.push_str("&lt;"),
                character if u8::try_from(character).is_ok_and(|byte| self.is_entity(byte)) => {
                    match character {
                        '&' => text.push_str("&amp;"),
                        '<' => text.push_str("&lt;"),
                        '>' => text.push_str("&gt;"),
                        '"' => text.push_str("&quot;"),
                        // Writing to a string cannot fail.
                        other => drop(write!(text, "&#{};", u32::from(other))),
                    }
                }
                character => text.push(character),
            }
        }
        text.push_str(rest);
        Cow::Owned(text)
    }

    /// The position of the first byte that may not stay as it is.
    fn first_change(self, text: &str) -> Option<usize> {
        let changes = |byte: u8| {
            byte < b' ' && byte != b'\t' || byte == b'<' || self.is_entity(byte) || !byte.is_ascii()
        };
        let (chunks, _) = text.as_bytes().as_chunks::<CHUNK>();
        let plain = CHUNK * chunks.iter().take_while(|chunk| self.is_plain(chunk)).count();
        text.as_bytes()[plain..].iter().position(|byte| changes(*byte)).map(|at| plain + at)
    }

    /// Whether all of this certainly stays as it is. Without branches, so that the compiler compares many bytes at once.
    fn is_plain(self, chunk: &[u8; CHUNK]) -> bool {
        let of_any = |byte: u8| u8::from(!(b' '..0x80).contains(&byte)) | u8::from(byte == b'<');
        let mut changes = chunk.iter().fold(0, |changes, byte| changes | of_any(*byte));
        let mut entities = self.entities;
        while entities != 0 {
            #[allow(clippy::cast_possible_truncation, reason = "a place among 128 bits")]
            let entity = entities.trailing_zeros() as u8;
            changes |= chunk.iter().fold(0, |changes, byte| changes | u8::from(*byte == entity));
            entities &= entities - 1;
        }
        changes == 0
    }

    fn is_entity(self, byte: u8) -> bool {
        byte.is_ascii() && self.entities & 1 << byte != 0
    }
}

#[cfg(test)]
mod tests;
