//! Makes text from flows, models, tools and files safe to print in a terminal. Escape sequences can write the clipboard,
//! change what was printed before, or hide text; so can characters that reverse the direction of writing.

use std::borrow::Cow;

/// The text with each control character but line breaks and tabs replaced by a visible sign. A line break is `\n` afterwards.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            char if is_unsafe(char) => out.push(sign(char)),
            char => out.push(char),
        }
    }
    Cow::Owned(out)
}

/// The text with each of these characters replaced by one of the same length in bytes, so that positions in it stay valid.
pub(crate) fn printable_in_place(text: &str) -> String {
    let replace = |char: char| match char {
        char if !is_unsafe(char) => char,
        char => match char.len_utf8() {
            1 => '?',
            2 => '¿',
            _ => char::REPLACEMENT_CHARACTER,
        },
    };
    text.chars().map(replace).collect()
}

fn is_unsafe(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        // Marks, embeddings, overrides and isolates of the writing direction (Unicode Standard Annex #9), by which text is
        // shown in another order than it is read in; and line and paragraph separators, which some terminals break lines at.
        '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        char => char.is_control(),
    }
}

/// The picture of a control character from the Unicode block of that name; other characters have none.
fn sign(char: char) -> char {
    match u32::from(char) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests;
