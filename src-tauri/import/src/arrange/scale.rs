//! How far apart cards are. Each tool draws nodes in another size: the columns and the rows of the file are drawn together as far as cards
//! allow. Where cards need more room than in the file, only the columns and rows beside them move apart. An edge that leads to the right in
//! the file leads to the right here.

use super::item::Item;
use super::{CARD_WIDTH, GAP};

const MIN_FACTOR: f64 = 0.5;
/// Cards that would need more lay on each other in the file.
const MAX_FACTOR: f64 = 1.6;
/// A card is compared with so many of those to its right: each place has room for fewer, unless all lie on each other.
const MAX_NEIGHBORS: usize = 64;

/// Draws the items together. `edges` are the places of their sources and targets among them.
pub(super) fn scale(items: &mut [Item], edges: &[(usize, usize)]) {
    let (across, down) = axes(items, edges);
    for item in items {
        if item.is_background {
            item.width = (across.place(item.x + item.width) - across.place(item.x)).max(CARD_WIDTH);
            item.height = down.place(item.y + item.height) - down.place(item.y);
        }
        (item.x, item.y) = (across.place(item.x), down.place(item.y));
    }
}

/// The places along both axes at which no two cards lie on each other that did not in the file: each two are kept apart along the axis
/// that needs less. The target of an edge begins behind its source.
fn axes(items: &[Item], edges: &[(usize, usize)]) -> (Axis, Axis) {
    let mut cards: Vec<&Item> =
        items.iter().filter(|item| !item.is_background && !item.is_open_loop).collect();
    cards.sort_by(|one, other| one.x.total_cmp(&other.x).then(one.y.total_cmp(&other.y)));
    let (mut across, mut down) = (Vec::new(), Vec::new());
    let ends = edges.iter().map(|(source, target)| (&items[*source], &items[*target]));
    let behind = ends
        .filter(|(source, target)| !source.is_open_loop && !target.is_open_loop)
        .map(|(source, target)| Distance { from: source.x, to: target.x, least: source.width + GAP });
    across.extend(behind.filter(|distance| distance.to > distance.from && distance.factor() <= MAX_FACTOR));
    for (at, one) in cards.iter().enumerate() {
        let near = cards[at + 1..].iter().take(MAX_NEIGHBORS);
        for other in near.take_while(|other| (other.x - one.x) * MIN_FACTOR < one.width + GAP) {
            let (upper, lower) = if one.y <= other.y { (one, other) } else { (other, one) };
            let beside = Distance { from: one.x, to: other.x, least: one.width + GAP };
            let below = Distance { from: upper.y, to: lower.y, least: upper.height + GAP };
            let (axis, distance) =
                if beside.factor() <= below.factor() { (&mut across, beside) } else { (&mut down, below) };
            if distance.factor() <= MAX_FACTOR {
                axis.push(distance);
            }
        }
    }
    let places = |place: fn(&Item) -> f64| cards.iter().map(|card| place(card)).collect();
    (Axis::new(places(|card| card.x), across), Axis::new(places(|card| card.y), down))
}

/// Two places of the file, and how far apart they have to be.
struct Distance {
    from: f64,
    to: f64,
    least: f64,
}

impl Distance {
    fn factor(&self) -> f64 {
        self.least / (self.to - self.from)
    }
}

/// Where the places of the file along one axis are drawn.
struct Axis {
    /// The places of cards, ascending.
    file: Vec<f64>,
    drawn: Vec<f64>,
    /// How far apart the other places are drawn, as a share of their distance in the file.
    factor: f64,
}

impl Axis {
    fn new(mut file: Vec<f64>, mut distances: Vec<Distance>) -> Self {
        file.sort_by(f64::total_cmp);
        file.dedup();
        // Without neighbors along an axis, nothing says how far apart its cards are drawn.
        let needed = distances.iter().map(Distance::factor).reduce(f64::max).unwrap_or(1.0);
        let factor = needed.clamp(MIN_FACTOR, 1.0);
        distances.sort_by(|one, other| one.to.total_cmp(&other.to));
        let mut drawn: Vec<f64> = Vec::with_capacity(file.len());
        let mut open = distances.into_iter().peekable();
        for (at, &place) in file.iter().enumerate() {
            let mut least = match (at.checked_sub(1), drawn.last()) {
                (Some(before), Some(last)) => (place - file[before]).mul_add(factor, *last),
                _ => place * factor,
            };
            while let Some(distance) = open.next_if(|distance| distance.to <= place) {
                let before = file.partition_point(|&one| one < distance.from);
                if let Some(from) = drawn.get(before) {
                    least = least.max(from + distance.least);
                }
            }
            drawn.push(least);
        }
        Self { file, drawn, factor }
    }

    /// Where a place of the file is drawn; one between those of cards stays between them.
    fn place(&self, place: f64) -> f64 {
        let at = match self.file.binary_search_by(|one| one.total_cmp(&place)) {
            Ok(at) => return self.drawn[at],
            Err(at) => at,
        };
        match (at.checked_sub(1), self.file.get(at)) {
            (Some(before), Some(&after)) => {
                let share = (place - self.file[before]) / (after - self.file[before]);
                (self.drawn[at] - self.drawn[before]).mul_add(share, self.drawn[before])
            }
            (Some(last), None) => (place - self.file[last]).mul_add(self.factor, self.drawn[last]),
            (None, Some(&first)) => (place - first).mul_add(self.factor, self.drawn[at]),
            (None, None) => place,
        }
    }
}
