//! What precedes a part of a streamed text.

use super::invisible::is_hidden;

/// The last two visible characters before a text, the last one first. They decide whether a key can start with the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preceding([Option<char>; 2]);

impl Preceding {
    /// The text before the one that follows `text`.
    pub(crate) fn then(self, text: &str) -> Self {
        let mut last = text.chars().rev().filter(|char| !is_hidden(*char)).chain(self.chars());
        Self([last.next(), last.next()])
    }

    /// The characters, the last one first.
    pub(super) fn chars(self) -> impl Iterator<Item = char> {
        self.0.into_iter().flatten()
    }
}
