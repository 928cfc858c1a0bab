//! Ranges of texts, in bytes.

use std::ops::Range;

/// What is in both.
pub(super) fn overlap(one: &Range<usize>, other: &Range<usize>) -> Option<Range<usize>> {
    let both = one.start.max(other.start)..one.end.min(other.end);
    (!both.is_empty()).then_some(both)
}

/// The part of `to` that `part` of `from` is. The whole of it, if the two differ in length.
pub(super) fn mapped(from: &Range<usize>, to: &Range<usize>, part: &Range<usize>) -> Range<usize> {
    if from.len() != to.len() {
        return to.clone();
    }
    let start = to.start + (part.start - from.start);
    start..start + part.len()
}
