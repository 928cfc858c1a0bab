//! What two texts have in common, by words.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, ChangeTag, capture_diff_slices};
use ts_rs::TS;

/// The most words of a text that is compared word by word. Longer ones are compared as wholes: the time grows with the product of the
/// length and of what differs.
const MAX_WORDS: usize = 20_000;

/// A part of two texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TextPiece {
    pub side: PieceSide,
    pub text: String,
}

/// Which of two texts a part is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PieceSide {
    Both,
    /// Only in the first.
    Before,
    /// Only in the second.
    After,
}

/// Both texts as one sequence of parts, in their order. What stands in both is in it once.
pub fn compare_words(before: &str, after: &str) -> Vec<TextPiece> {
    let (old, new) = (words(before), words(after));
    let mut pieces: Vec<TextPiece> = Vec::new();
    let mut add = |side, words: &[&str]| {
        let text = words.concat();
        match pieces.last_mut() {
            Some(last) if last.side == side => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => pieces.push(TextPiece { side, text }),
        }
    };
    if old.len().max(new.len()) > MAX_WORDS && before != after {
        add(PieceSide::Before, &old);
        add(PieceSide::After, &new);
        return pieces;
    }
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        for change in operation.iter_slices(&old, &new) {
            match change {
                (ChangeTag::Equal, words) => add(PieceSide::Both, words),
                (ChangeTag::Delete, words) => add(PieceSide::Before, words),
                (ChangeTag::Insert, words) => add(PieceSide::After, words),
            }
        }
    }
    pieces
}

/// The words of a text and what stands between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        // Each mark between words is a part of its own, so that a comma can be added.
        let end = if is_word {
            rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let piece = |piece: TextPiece| match piece.side {
            PieceSide::Both => piece.text,
            PieceSide::Before => format!("[-{}]", piece.text),
            PieceSide::After => format!("[+{}]", piece.text),
        };
        compare_words(before, after).into_iter().map(piece).collect()
    }

    #[test]
    fn words_that_differ_are_named() {
        assert_eq!(shown("It costs 23 euros.", "It costs 32 euros!"), "It costs [-23][+32] euros[-.][+!]");
        assert_eq!(shown("", "new"), "[+new]");
        assert_eq!(shown("same", "same"), "same");
    }

    #[test]
    fn long_texts_are_compared_as_wholes() {
        let (before, after) = ("a ".repeat(MAX_WORDS), "b ".repeat(MAX_WORDS));
        assert_eq!(compare_words(&before, &after).len(), 2);
    }

    proptest! {
        #[test]
        fn pieces_give_both_texts(before in "[ab ,é]{0,40}", after in "[ab ,é]{0,40}") {
            let pieces = compare_words(&before, &after);
            let text_of = |other| pieces.iter().filter(|piece| piece.side != other).map(|piece| &*piece.text).collect::<String>();
            prop_assert_eq!(text_of(PieceSide::After), before);
            prop_assert_eq!(text_of(PieceSide::Before), after);
        }
    }
}
