//! The text of a file in an unknown encoding. The only decoder of files: whatever reads a text file reads it here.
//!
//! A byte order mark decides. Without one, the text is UTF-8 if its bytes are; UTF-16 if every second byte is mostly zero; otherwise
//! Windows-1252, which old programs write. A byte order mark is no part of the text.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How many bytes are looked at to recognize UTF-16.
const SNIFFED_BYTES: usize = 4 << 10;

/// A text, and the encoding in which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText<'a> {
    pub text: Cow<'a, str>,
    encoding: &'static Encoding,
}

impl DecodedText<'_> {
    /// The name of the encoding if it is not UTF-8, and so may be guessed.
    pub fn foreign_encoding(&self) -> Option<&'static str> {
        (self.encoding != UTF_8).then(|| match self.encoding.name() {
            "windows-1252" => "Windows-1252",
            name => name,
        })
    }
}

/// The text of a file with these bytes. None for a binary file.
pub fn decode(bytes: &[u8]) -> Option<DecodedText<'_>> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = marked
        .or_else(|| detect_utf16(bytes))
        .unwrap_or_else(|| if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 });
    let (text, has_errors) = encoding.decode_with_bom_removal(bytes);
    let is_text = !has_errors && !text.chars().any(is_binary);
    is_text.then_some(DecodedText { text, encoding })
}

/// Whether the first bytes of a file are those of UTF-16.
pub fn is_utf16(beginning: &[u8]) -> bool {
    let marked = Encoding::for_bom(beginning).is_some_and(|(encoding, _)| encoding != UTF_8);
    marked || detect_utf16(beginning).is_some()
}

/// UTF-16 of a text in which most characters are Latin: their high bytes are zero.
fn detect_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sniffed = &bytes[..bytes.len().min(SNIFFED_BYTES)];
    let pairs = sniffed.len() / 2;
    if pairs == 0 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let zeros = |offset: usize| sniffed.chunks_exact(2).filter(|pair| pair[offset] == 0).count();
    let (first, second) = (zeros(0), zeros(1));
    match (first, second) {
        (0, second) if second * 2 > pairs => Some(UTF_16LE),
        (first, 0) if first * 2 > pairs => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether no text has this character: control characters, and those that Windows-1252 leaves undefined.
fn is_binary(char: char) -> bool {
    char.is_control() && !matches!(char, '\t' | '\n' | '\r' | '\u{c}')
}

#[cfg(test)]
mod tests;
