//! Where the parts of a lowered flow come from: JSON pointers into the flow, with those into the pipeline.

use std::collections::BTreeMap;

/// The places by pointers into the flow.
#[derive(Clone, Debug, Default)]
pub(super) struct SourceMap(BTreeMap<String, String>);

impl SourceMap {
    /// Remembers the place of a part and of all below it that have none of their own.
    pub(super) fn add(&mut self, part: &str, place: &str) {
        self.0.insert(part.to_owned(), place.to_owned());
    }

    /// The place of a part that has one of its own.
    pub(super) fn own(&self, part: &str) -> Option<&str> {
        self.0.get(part).map(String::as_str)
    }

    /// The place of a part of the flow: that of the nearest part around it that has one, and the rest of the pointer.
    pub(super) fn of(&self, part: &str) -> String {
        let mut around = part;
        loop {
            if let Some(place) = self.0.get(around) {
                return format!("{place}{}", &part[around.len()..]);
            }
            match around.rfind('/') {
                Some(at) if at > 0 => around = &around[..at],
                // The settings and the name are at the same place in both.
                _ => return part.to_owned(),
            }
        }
    }
}
