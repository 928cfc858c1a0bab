//! Changes inputs at random: bytes, words of the input's language, and parts of other inputs.

use fastrand::Rng;

/// The longest input. Longer ones only repeat what shorter ones do, and take longer.
const MAX_INPUT_BYTES: usize = 64 << 10;

/// The maximum number of changes of one input.
const MAX_CHANGES: usize = 6;

/// Words that mean something in most inputs: JSON, and what numbers, texts and paths have at their edges.
const COMMON_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e999",
    "0.1",
    "9223372036854775807",
    "18446744073709551616",
    "-9223372036854775809",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "\u{202e}",
    "\u{1f9f5}",
    "\r\n",
    "\0",
    "..",
    "/",
    "~1",
    "#",
    "",
];

pub(crate) struct Mutator {
    rng: Rng,
    words: Vec<&'static str>,
}

impl Mutator {
    /// A mutator that also uses these words.
    pub(crate) fn new(seed: u64, words: &[&'static str]) -> Self {
        Self { rng: Rng::with_seed(seed), words: [COMMON_WORDS, words].concat() }
    }

    /// An index below `bound`, small ones no more likely than others.
    pub(crate) fn choose(&mut self, bound: usize) -> usize {
        self.rng.usize(..bound)
    }

    /// A changed copy of `input`; parts may come from `other`.
    pub(crate) fn mutate(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let mut changed = input.to_vec();
        for _ in 0..=self.rng.usize(..MAX_CHANGES) {
            self.change(&mut changed, other);
        }
        changed.truncate(MAX_INPUT_BYTES);
        changed
    }

    fn change(&mut self, input: &mut Vec<u8>, other: &[u8]) {
        let at = self.rng.usize(..=input.len());
        match self.rng.u8(..10) {
            0 if at < input.len() => input[at] ^= 1 << self.rng.u8(..8),
            1 if at < input.len() => input[at] = self.rng.u8(..),
            2 => {
                let end = self.span_end(at, input.len());
                input.drain(at..end);
            }
            3 => {
                let end = self.span_end(at, input.len());
                let copy = input[at..end].to_vec();
                let to = self.rng.usize(..=input.len());
                input.splice(to..to, copy);
            }
            4 | 5 => {
                let word = self.words[self.rng.usize(..self.words.len())];
                let end = if self.rng.bool() { at } else { self.span_end(at, input.len()) };
                input.splice(at..end, word.bytes());
            }
            6 => {
                // What nests, nests deep.
                let word = self.words[self.rng.usize(..self.words.len())];
                let times = 1 << self.rng.u32(..14);
                let room = MAX_INPUT_BYTES.saturating_sub(input.len()) / word.len().max(1);
                input.splice(at..at, word.repeat(room.min(times)).into_bytes());
            }
            7 => {
                let from = self.rng.usize(..=other.len());
                let end = self.span_end(from, other.len());
                input.splice(at..at, other[from..end].iter().copied());
            }
            8 => {
                let from = self.rng.usize(..=other.len());
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => self.replace_number(input, at),
        }
    }

    /// The end of a span that begins at `start`: short ones are likelier.
    fn span_end(&mut self, start: usize, len: usize) -> usize {
        let most = 1 << self.rng.u32(..12);
        (start + self.rng.usize(..=most)).min(len)
    }

    /// Replaces the first number behind `at`.
    fn replace_number(&mut self, input: &mut Vec<u8>, at: usize) {
        let Some(offset) = input[at..].iter().position(u8::is_ascii_digit) else { return };
        let start = at + offset;
        let end = input[start..]
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .map_or(input.len(), |len| start + len);
        let number = match self.rng.u8(..4) {
            0 => self.rng.u8(..).to_string(),
            1 => self.rng.u64(..).to_string(),
            2 => (1_u64 << self.rng.u32(..64)).to_string(),
            _ => format!("{}.5e{}", self.rng.u8(..), self.rng.u16(..400)),
        };
        input.splice(start..end, number.into_bytes());
    }
}
