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

/// Where a text stands in another one, also where one occurrence begins within another. None for an empty one.
pub(super) fn occurrences<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let next = move |from: usize| {
        let at = text.get(from..).filter(|_| !wanted.is_empty())?.find(wanted)?;
        Some(from + at..from + at + wanted.len())
    };
    std::iter::successors(next(0), move |Range { start, .. }| {
        next(start + text.get(*start..)?.chars().next()?.len_utf8())
    })
}
