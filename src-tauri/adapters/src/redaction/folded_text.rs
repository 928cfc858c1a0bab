//! A text in the form in which secrets are searched: without characters that change nothing for a reader or a decoder.
//!
//! Folding drops white space, control characters and invisible characters, decodes percent and backslash escapes,
//! ignores case, and maps the URL alphabet of base64 to the standard one. A secret and a text are folded by the same
//! rules, so a secret is found however it is spelled. Every folded byte knows where in the text it comes from.

use std::ops::Range;

use super::invisible::is_invisible;

/// A folded text with a map back to its source.
pub(super) struct FoldedText<'a> {
    source: &'a str,
    bytes: Vec<u8>,
    /// For each byte, where the character or escape that it comes from starts in the source.
    starts: Vec<u32>,
}

/// The folded form of a character or an escape.
enum Unit {
    Dropped,
    Byte(u8),
    Char(char),
}

impl<'a> FoldedText<'a> {
    /// Folds a text. None if it is larger than 4 GB.
    pub(super) fn new(source: &'a str) -> Option<Self> {
        u32::try_from(source.len()).ok()?;
        let mut folded = Self {
            source,
            bytes: Vec::with_capacity(source.len()),
            starts: Vec::with_capacity(source.len()),
        };
        let mut at = 0;
        while at < source.len() {
            let (unit, end) = read_unit(source, at);
            folded.push(&unit, at);
            at = end;
        }
        Some(folded)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The part of the source that a range of the folded text comes from.
    pub(super) fn source_range(&self, range: Range<usize>) -> Range<usize> {
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else { return 0..0 };
        self.start_of(range.start)..read_unit(self.source, self.start_of(last)).1
    }

    /// The length without a character at the end that was escaped byte by byte and lacks bytes.
    pub(super) fn complete_len(&self) -> usize {
        let tail = self.bytes.len().saturating_sub(3);
        match std::str::from_utf8(&self.bytes[tail..]) {
            Err(error) if error.error_len().is_none() => tail + error.valid_up_to(),
            _ => self.bytes.len(),
        }
    }

    /// Where the byte at `index` comes from; the end of the source for the end of the folded text.
    pub(super) fn start_of(&self, index: usize) -> usize {
        self.starts.get(index).map_or(self.source.len(), |start| *start as usize)
    }

    fn push(&mut self, unit: &Unit, at: usize) {
        match unit {
            Unit::Dropped => {}
            Unit::Byte(byte) => {
                self.push_byte(*byte, at);
                if !byte.is_ascii() {
                    self.drop_invisible_end();
                }
            }
            Unit::Char(char) => {
                let mut buffer = [0; 4];
                for byte in char.encode_utf8(&mut buffer).bytes() {
                    self.push_byte(byte, at);
                }
            }
        }
    }

    fn push_byte(&mut self, byte: u8, at: usize) {
        self.bytes.push(byte);
        // Fits: the length of the source was checked.
        self.starts.push(u32::try_from(at).unwrap_or(u32::MAX));
    }

    /// Drops an invisible character that was escaped byte by byte.
    fn drop_invisible_end(&mut self) {
        for length in 2..=4 {
            let Some(start) = self.bytes.len().checked_sub(length) else { return };
            if let Ok(end) = std::str::from_utf8(&self.bytes[start..]) {
                if end.chars().all(is_invisible) {
                    self.bytes.truncate(start);
                    self.starts.truncate(start);
                }
                return;
            }
        }
    }
}

/// A secret in the form in which it is searched.
pub(super) fn fold(text: &str) -> Vec<u8> {
    FoldedText::new(text).map(|folded| folded.bytes).unwrap_or_default()
}

/// Where an escape starts that the end of the text may have cut short; the length of the text if there is none.
pub(super) fn incomplete_escape_start(text: &str) -> usize {
    /// `u` and three digits: a whole Unicode escape has four.
    const MAX_ESCAPE_REST: usize = 4;
    let bytes = text.as_bytes();
    let tail = bytes.len().saturating_sub(MAX_ESCAPE_REST + 1);
    let Some(lead) = bytes[tail..].iter().rposition(|byte| matches!(byte, b'%' | b'\\')) else {
        return bytes.len();
    };
    let (mut start, rest) = (tail + lead, &bytes[tail + lead + 1..]);
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    if bytes[start] == b'%' {
        // More digits can follow `%25`, which escapes the percent sign.
        let can_continue =
            rest.len() < 2 && is_hex(rest) || rest.len() < 4 && rest.starts_with(b"25") && is_hex(&rest[2..]);
        return if can_continue { start } else { bytes.len() };
    }
    let can_continue = match rest {
        [] => true,
        [b'u', digits @ ..] => digits.len() < 4 && is_hex(digits),
        [b'x', digits @ ..] => digits.len() < 2 && is_hex(digits),
        _ => false,
    };
    if !can_continue {
        return bytes.len();
    }
    while start > 0 && bytes[start - 1] == b'\\' {
        start -= 1;
    }
    start
}

/// Reads the character or escape at `at`, which is a character boundary before the end. Also returns its end.
fn read_unit(source: &str, at: usize) -> (Unit, usize) {
    let bytes = source.as_bytes();
    match bytes[at] {
        b'%' => read_percent_escape(bytes, at),
        b'\\' => read_backslash_escape(bytes, at),
        byte if byte.is_ascii() => (fold_ascii(byte), at + 1),
        _ => match source[at..].chars().next() {
            Some(char) if is_invisible(char) => (Unit::Dropped, at + char.len_utf8()),
            Some(char) => (Unit::Char(char), at + char.len_utf8()),
            None => (Unit::Dropped, bytes.len()),
        },
    }
}

fn fold_ascii(byte: u8) -> Unit {
    match byte {
        0..=b' ' | 0x7f => Unit::Dropped,
        b'-' => Unit::Byte(b'+'),
        b'_' => Unit::Byte(b'/'),
        other => Unit::Byte(other.to_ascii_lowercase()),
    }
}

/// `%73`; also `%2573`, where the percent sign is escaped itself.
fn read_percent_escape(bytes: &[u8], at: usize) -> (Unit, usize) {
    let is_nested = bytes[at + 1..].starts_with(b"25") && hex_value(bytes, at + 3, 2).is_some();
    let digits = if is_nested { at + 3 } else { at + 1 };
    match hex_value(bytes, digits, 2).and_then(|value| u8::try_from(value).ok()) {
        Some(byte) if byte.is_ascii() => (fold_ascii(byte), digits + 2),
        Some(byte) => (Unit::Byte(byte), digits + 2),
        None => (Unit::Byte(b'%'), at + 1),
    }
}

/// `\n`, `\u0073`, `\x73`, `\"`; also with several backslashes, where a text was escaped several times.
fn read_backslash_escape(bytes: &[u8], at: usize) -> (Unit, usize) {
    let after = at + bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
    match bytes.get(after) {
        Some(b'n' | b'r' | b't' | b'b' | b'f') => (Unit::Dropped, after + 1),
        Some(b'u') => match hex_value(bytes, after + 1, 4) {
            Some(value) => (fold_code_point(value), after + 5),
            None => (Unit::Dropped, after),
        },
        Some(b'x') => match hex_value(bytes, after + 1, 2) {
            Some(value) => (fold_code_point(value), after + 3),
            None => (Unit::Dropped, after),
        },
        _ => (Unit::Dropped, after),
    }
}

fn fold_code_point(value: u32) -> Unit {
    match char::from_u32(value) {
        Some(char) if is_invisible(char) => Unit::Dropped,
        Some(char) => u8::try_from(value).ok().filter(u8::is_ascii).map_or(Unit::Char(char), fold_ascii),
        // Half of a pair: no secret has one.
        None => Unit::Dropped,
    }
}

/// The value of `count` hexadecimal digits.
fn hex_value(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let digits = bytes.get(at..at + count)?;
    digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests;
