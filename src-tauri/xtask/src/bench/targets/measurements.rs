//! The measurements that targets are compared with, by group and by what was measured.

use crate::bench::criterion::Estimate;
use crate::bench::figures::Figure;
use crate::bench::peers::Peer;

/// All measurements of one run.
#[derive(Clone, Copy)]
pub(crate) struct Measurements<'a> {
    pub(crate) own: &'a [Estimate],
    pub(crate) figures: &'a [Figure],
    pub(crate) peers: &'a [Peer],
}

impl Measurements<'_> {
    /// Microseconds per element, for a group that is measured at one size.
    pub(super) fn micros_per_element(&self, group: &str, by: &str) -> Option<f64> {
        self.own
            .iter()
            .find(|figure| figure.group == group && figure.by == by)
            .map(Estimate::micros_per_element)
    }

    /// The same for one of several sizes.
    pub(super) fn micros_per_element_at(&self, group: &str, by: &str, elements: u64) -> Option<f64> {
        let of = |figure: &&Estimate| figure.group == group && figure.by == by && figure.elements == elements;
        self.own.iter().find(of).map(Estimate::micros_per_element)
    }

    /// All figures of a group together.
    pub(super) fn total(&self, group: &str) -> Option<f64> {
        self.of_group(group).reduce(|sum, value| sum + value)
    }

    pub(super) fn largest(&self, group: &str) -> Option<f64> {
        self.of_group(group).reduce(f64::max)
    }

    pub(super) fn of_group(&self, group: &str) -> impl Iterator<Item = f64> {
        self.figures.iter().filter(move |figure| figure.group == group).map(|figure| figure.value)
    }

    pub(super) fn figure(&self, group: &str, by: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.group == group && figure.by == by).map(|figure| figure.value)
    }
}
