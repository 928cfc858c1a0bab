//! Finds known secrets, in all their forms, in folded text. Takes time linear in the text, however many secrets there are.
//!
//! Every eighth group of eight bytes of each form is an anchor, so each part of at least fifteen bytes contains a whole one.
//! Eight bytes are one machine word: a table of words finds anchors in one pass over the text. Around each, text and form are
//! compared as far as they agree.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::disguises::Disguise;

/// The length of an anchor, and the distance from one to the next.
const ANCHOR_BYTES: usize = 8;
/// How often the same anchor counts in one form. Secrets that repeat themselves would cost time and find nothing new.
const MAX_EQUAL_ANCHORS: usize = 4;
/// Stands between forms. Folded text does not contain it.
const SEPARATOR: u8 = 0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SecretMatch {
    pub(super) range: Range<usize>,
    /// The index of the secret.
    pub(super) secret: usize,
}

/// The forms of all known secrets, prepared for searching.
#[derive(Default)]
pub(super) struct SecretMatcher {
    /// All forms, one after another.
    text: Vec<u8>,
    forms: Vec<Form>,
    anchors: AnchorTable,
}

struct Form {
    range: Range<usize>,
    min_match: usize,
    secret: usize,
}

impl SecretMatcher {
    /// Forms too short for an anchor are not searched: they would match by chance.
    pub(super) fn new(secrets: impl IntoIterator<Item = Vec<Disguise>>) -> Self {
        let mut matcher = Self::default();
        let mut anchors: HashMap<u64, Vec<AnchorPlace>> = HashMap::new();
        for (secret, disguises) in secrets.into_iter().enumerate() {
            for Disguise { folded, min_match } in disguises {
                if folded.len() < ANCHOR_BYTES {
                    continue;
                }
                let start = matcher.text.len();
                // A form that matches only as a whole needs one anchor.
                let last = if min_match == folded.len() { 0 } else { folded.len() - ANCHOR_BYTES };
                for at in (0..=last).step_by(ANCHOR_BYTES) {
                    let places = anchors.entry(word_of(&folded[at..at + ANCHOR_BYTES])).or_default();
                    let form = matcher.forms.len();
                    if places.iter().filter(|place| place.form == form).count() < MAX_EQUAL_ANCHORS {
                        places.push(AnchorPlace { form, at: start + at });
                    }
                }
                matcher.text.extend_from_slice(&folded);
                matcher.forms.push(Form { range: start..matcher.text.len(), min_match, secret });
                matcher.text.push(SEPARATOR);
            }
        }
        matcher.anchors = AnchorTable::new(anchors);
        matcher
    }

    /// Whether it finds nothing in any text.
    pub(super) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// All matches, in no order; they may overlap.
    pub(super) fn find(&self, folded: &[u8]) -> Vec<SecretMatch> {
        let mut matches = Vec::new();
        // How far each form is matched already: what lies before needs no second comparison.
        let mut matched_until: HashMap<usize, usize> = HashMap::new();
        self.anchors.for_each_in(folded, |end, &AnchorPlace { form, at }| {
            if matched_until.get(&form).is_some_and(|until| end <= *until) {
                return;
            }
            let Form { range, min_match, secret } = &self.forms[form];
            let start = end - ANCHOR_BYTES;
            let before = common_suffix(&folded[..start], &self.text[range.start..at]);
            let after = common_prefix(&folded[end..], &self.text[at + ANCHOR_BYTES..range.end]);
            let range = start - before..end + after;
            if range.len() >= *min_match {
                matched_until.insert(form, range.end);
                matches.push(SecretMatch { range, secret: *secret });
            }
        });
        matches
    }

    /// How many bytes at the end of folded text are part of a secret but too few to be a match: more may follow.
    pub(super) fn undecided_len(&self, folded: &[u8]) -> usize {
        let max = self.forms.iter().map(|form| form.min_match).max().unwrap_or(0).saturating_sub(1);
        let is_part = |length: usize| memmem::find(&self.text, &folded[folded.len() - length..]).is_some();
        // If the last n bytes are part of a secret, so are the last n - 1.
        let (mut part, mut beyond) = (0, max.min(folded.len()) + 1);
        while beyond - part > 1 {
            let middle = usize::midpoint(part, beyond);
            if is_part(middle) { part = middle } else { beyond = middle }
        }
        part
    }
}

/// Where an anchor stands.
struct AnchorPlace {
    form: usize,
    /// In the text of all forms.
    at: usize,
}

#[derive(Default)]
struct AnchorTable {
    places: HashMap<u64, Vec<AnchorPlace>>,
    /// One bit for each hash that an anchor has. Almost all words of a text are ruled out by it alone.
    filter: Vec<u64>,
}

impl AnchorTable {
    fn new(places: HashMap<u64, Vec<AnchorPlace>>) -> Self {
        /// At this size one word in 64 passes by chance, and the filter stays in the fastest cache.
        const BITS_PER_ANCHOR: usize = 64;
        let bits = (places.len() * BITS_PER_ANCHOR).next_power_of_two().max(64);
        let mut filter = vec![0; bits / 64];
        for word in places.keys() {
            let bit = hash(*word, bits);
            filter[bit / 64] |= 1 << (bit % 64);
        }
        Self { places, filter }
    }

    /// Calls `found` for each anchor with its end in the text, and with each of its places.
    fn for_each_in(&self, text: &[u8], mut found: impl FnMut(usize, &AnchorPlace)) {
        if self.places.is_empty() {
            return;
        }
        let bits = self.filter.len() * 64;
        let mut word = 0;
        for (index, byte) in text.iter().enumerate() {
            word = word << 8 | u64::from(*byte);
            let bit = hash(word, bits);
            // Zero bytes, which come before the text here, are in no anchor.
            if self.filter[bit / 64] >> (bit % 64) & 1 == 1
                && let Some(places) = self.places.get(&word)
            {
                for place in places {
                    found(index + 1, place);
                }
            }
        }
    }
}

/// A hash below `bits`, a power of two: the highest bits of a product (Knuth, The Art of Computer Programming, 6.4).
#[expect(clippy::cast_possible_truncation, reason = "the result is below `bits`")]
fn hash(word: u64, bits: usize) -> usize {
    const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
    (word.wrapping_mul(GOLDEN_RATIO) >> (64 - bits.trailing_zeros())) as usize
}

fn word_of(anchor: &[u8]) -> u64 {
    anchor.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
