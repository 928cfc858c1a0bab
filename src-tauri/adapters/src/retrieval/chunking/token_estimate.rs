//! The size of a passage while it is split. Splitting measures each text several times, and counting exactly would take as long
//! as everything else together. What enters a prompt is counted exactly.

use text_splitter::ChunkSizer;

use crate::retrieval::tokenizer::is_unspaced;

/// Estimates tokens from the kinds of characters. For English, code and Markdown it is within a fifth of the count.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenEstimate;

/// Letters that a token of a word has on average, beyond the first ones.
const LETTERS_PER_TOKEN: usize = 7;
const DIGITS_PER_TOKEN: usize = 3;
/// Equal signs in a row that are one token.
const SIGNS_PER_TOKEN: usize = 4;

impl ChunkSizer for TokenEstimate {
    fn size(&self, text: &str) -> usize {
        let mut tokens = 0;
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            let mut run = |is_part: fn(char, char) -> bool| {
                let mut length = 1_usize;
                while chars.next_if(|next| is_part(char, *next)).is_some() {
                    length += 1;
                }
                length
            };
            tokens += if is_unspaced(char) {
                1
            } else if char.is_ascii_digit() {
                run(|_, next| next.is_ascii_digit()).div_ceil(DIGITS_PER_TOKEN)
            } else if char.is_ascii_alphabetic() {
                run(|_, next| next.is_ascii_alphabetic()).div_ceil(LETTERS_PER_TOKEN)
            } else if char.is_alphabetic() {
                // Other alphabets take about a token for three letters.
                run(|_, next| !next.is_ascii() && next.is_alphabetic() && !is_unspaced(next)).div_ceil(3)
            } else if char == '\n' {
                run(|_, next| next.is_ascii_whitespace());
                1
            } else if char.is_ascii_whitespace() {
                // One space belongs to the word behind it.
                usize::from(run(|_, next| next == ' ' || next == '\t') > 1)
            } else {
                run(|first, next| first == next).div_ceil(SIGNS_PER_TOKEN)
            };
        }
        tokens
    }
}
