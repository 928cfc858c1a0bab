//! Where cards lie. By columns, so that a card is compared with its neighbors alone.

use std::collections::HashMap;

use super::item::Item;
use super::{CARD_WIDTH, GAP};

#[derive(Default)]
pub(super) struct TakenPlaces {
    /// The cards in each column, from top to bottom.
    columns: HashMap<i64, Vec<Area>>,
    /// Cards over many columns.
    wide: Vec<Area>,
    /// How high the highest card is.
    max_height: f64,
    /// Where the last card went that wanted this place and had this size: the next one goes below.
    lowest: HashMap<[u64; 4], f64>,
}

#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl TakenPlaces {
    /// Moves a card down to the first place that is free, and takes it.
    pub(super) fn place(&mut self, item: &mut Item) {
        /// Cards over more columns are kept apart, as wide.
        const MAX_COLUMNS: i64 = 4;
        let (width, height) = (item.width, item.height);
        let wanted = [item.x, item.y, width, height].map(f64::to_bits);
        if let Some(&lowest) = self.lowest.get(&wanted) {
            item.y = lowest;
        }
        let (left, right) = (item.x, item.x + width);
        let (first, last) = (column(left - GAP), column(right + GAP));
        let mut lists: Vec<&[Area]> =
            (first..=last).filter_map(|at| self.columns.get(&at)).map(Vec::as_slice).collect();
        lists.push(&self.wide);
        for list in &mut lists {
            let above = list.partition_point(|area| area.top + self.max_height + GAP <= item.y);
            *list = &list[above..];
        }
        // All cards in the way from top to bottom: once one lies below this card, all others do.
        while let Some((at, area)) = topmost(&lists) {
            if area.top >= item.y + height + GAP {
                break;
            }
            lists[at] = &lists[at][1..];
            let is_beside = area.right + GAP <= left || area.left >= right + GAP;
            if !is_beside && item.y < area.bottom + GAP {
                item.y = area.bottom + GAP;
            }
        }
        self.lowest.insert(wanted, item.y);
        self.max_height = self.max_height.max(height);
        let area = Area { left, right, top: item.y, bottom: item.y + height };
        if last - first >= MAX_COLUMNS {
            insert(&mut self.wide, area);
        } else {
            for at in first..=last {
                insert(self.columns.entry(at).or_default(), area);
            }
        }
    }
}

/// The topmost of the first areas of some lists, and which list it is in.
fn topmost(lists: &[&[Area]]) -> Option<(usize, Area)> {
    let firsts = lists.iter().enumerate().filter_map(|(at, list)| Some((at, *list.first()?)));
    firsts.min_by(|(_, a), (_, b)| a.top.total_cmp(&b.top))
}

fn insert(list: &mut Vec<Area>, area: Area) {
    let at = list.partition_point(|other| other.top <= area.top);
    list.insert(at, area);
}

#[expect(clippy::cast_possible_truncation, reason = "positions are clamped to a million, and hardly grow")]
fn column(x: f64) -> i64 {
    (x / (CARD_WIDTH + GAP)).floor() as i64
}
