//! One step back: what the links of a place say of a part of its text.

use std::ops::Range;

use super::links::{Link, Origin};
use super::ranges::{mapped, occurrences, overlap};
use super::{Found, Lineage, LineageCertainty, LineagePlace, LineageSource};

/// How many occurrences of a text at one place are listed.
const MAX_OCCURRENCES: usize = 4;

impl Lineage<'_> {
    /// Every part of the text that is one step before `found`, in the order of the text.
    pub(super) fn back(&self, found: &Found) -> Vec<Found> {
        let text = self.text(&found.place).unwrap_or_default();
        let mut steps: Vec<Found> = Vec::new();
        for link in self.links(&found.place) {
            let Some(range) = overlap(&link.range, &found.range) else { continue };
            for step in self.back_through(&found.place, &text, &link, range) {
                push(&mut steps, step);
            }
        }
        steps
    }

    fn back_through(&self, place: &LineagePlace, text: &str, link: &Link, range: Range<usize>) -> Vec<Found> {
        match &link.origin {
            Origin::Copy { place, range: copied } => {
                let range = mapped(&link.range, copied, &range);
                vec![Found { place: place.clone(), range, certainty: LineageCertainty::Copied, source: None }]
            }
            Origin::Source(source) => {
                let source = Some(at_line(source.clone(), text.get(link.range.start..range.start)));
                vec![Found { place: place.clone(), range, certainty: LineageCertainty::Copied, source }]
            }
            Origin::Computed { places, otherwise } => {
                let wanted = text.get(range.clone()).unwrap_or_default();
                let same = self.containing(places, wanted);
                if !same.is_empty() {
                    return same;
                }
                if let Some(source) = otherwise {
                    let source = Some(source.clone());
                    return vec![Found {
                        place: place.clone(),
                        range,
                        certainty: LineageCertainty::Copied,
                        source,
                    }];
                }
                let whole = |place: &LineagePlace| {
                    let length = self.text(place)?.len();
                    let certainty = LineageCertainty::Computed;
                    Some(Found { place: place.clone(), range: 0..length, certainty, source: None })
                };
                places.iter().filter_map(whole).collect()
            }
        }
    }

    /// Where a text stands in these places.
    pub(super) fn containing(&self, places: &[LineagePlace], wanted: &str) -> Vec<Found> {
        if wanted.trim().is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for place in places {
            let text = self.text(place).unwrap_or_default();
            found.extend(occurrences(&text, wanted).take(MAX_OCCURRENCES).map(|range| Found {
                place: place.clone(),
                range,
                certainty: LineageCertainty::SameText,
                source: None,
            }));
        }
        found
    }
}

/// Adds a step. A copy that goes on where the one before it ends is a part of it; equal texts beside each other are several.
pub(super) fn push(steps: &mut Vec<Found>, step: Found) {
    if let Some(last) = steps.last_mut() {
        let is_copied = [last.certainty, step.certainty] == [LineageCertainty::Copied; 2];
        let is_same = is_copied && last.place == step.place && last.source == step.source;
        if is_same && last.range.end == step.range.start {
            last.range.end = step.range.end;
            return;
        }
    }
    if !steps.contains(&step) {
        steps.push(step);
    }
}

/// The source with the line on which a text begins that stands after `before`.
fn at_line(source: LineageSource, before: Option<&str>) -> LineageSource {
    let lines = before.unwrap_or_default().matches('\n').count();
    match source {
        LineageSource::File { path, line } => LineageSource::File { path, line: line + lines },
        LineageSource::Passage { base, document, line } => {
            LineageSource::Passage { base, document, line: line + lines }
        }
        other => other,
    }
}
