//! Ids of tool calls in the form that a vendor accepts. A conversation may have ids of another vendor, or of Plait. The
//! mapping is fixed: a call and its result get the same id in every request.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

/// How much of an id's hash stands in for it, in characters.
const HASH_CHARS: usize = 9;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The form of ids that a server of an `OpenAI` protocol accepts.
#[derive(Clone, Copy)]
pub(in crate::providers) enum CallIdForm {
    Any,
    /// The maximum number of characters.
    AtMost(usize),
    /// Nine letters and digits, as Mistral requires.
    Short,
}

impl CallIdForm {
    pub(in crate::providers) fn apply(self, id: &str) -> Cow<'_, str> {
        match self {
            Self::Any => Cow::Borrowed(id),
            Self::AtMost(chars) => bounded_id(id, chars),
            Self::Short => short_id(id),
        }
    }
}

/// An id of at most `max` characters.
fn bounded_id(id: &str, max: usize) -> Cow<'_, str> {
    if id.chars().count() <= max {
        return Cow::Borrowed(id);
    }
    let kept: String = id.chars().take(max.saturating_sub(HASH_CHARS + 1)).collect();
    Cow::Owned(format!("{kept}_{}", hash(id)))
}

/// An id of letters, digits, `_` and `-`, as Anthropic requires (`^[a-zA-Z0-9_-]+$`).
pub(in crate::providers) fn word_id(id: &str) -> Cow<'_, str> {
    let is_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    if !id.is_empty() && id.chars().all(is_word) {
        return Cow::Borrowed(id);
    }
    let readable: String = id.chars().filter(|char| is_word(*char)).take(40).collect();
    Cow::Owned(format!("{readable}_{}", hash(id)))
}

/// An id of nine letters and digits, as Mistral requires.
fn short_id(id: &str) -> Cow<'_, str> {
    let is_short = id.len() == HASH_CHARS && id.chars().all(|char| char.is_ascii_alphanumeric());
    if is_short { Cow::Borrowed(id) } else { Cow::Owned(hash(id)) }
}

/// Letters and digits that identify an id.
fn hash(id: &str) -> String {
    let digest = Sha256::digest(id.as_bytes());
    let chars =
        digest.iter().take(HASH_CHARS).map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]));
    chars.collect()
}

#[cfg(test)]
mod tests;
