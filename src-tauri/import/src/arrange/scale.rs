//! How far apart cards are. Each tool draws nodes in another size: the places of the file are drawn together or apart, each axis by one
//! factor, so that rows stay rows and columns columns.

use super::CARD_WIDTH;
use super::item::Item;

/// The least room between two cards, for edges and their values.
const SPACING: f64 = 48.0;
const MIN_FACTOR: f64 = 0.5;
/// Cards that would need more lay on each other in the file.
const MAX_FACTOR: f64 = 1.6;
/// A card is compared with so many of those to its right: each place has room for fewer, unless all lie on each other.
const MAX_NEIGHBORS: usize = 64;

pub(super) fn scale(items: &mut [Item]) {
    let (across, down) = factors(items);
    for item in items {
        item.x *= across;
        item.y *= down;
        if item.is_background {
            item.width = (item.width * across).max(CARD_WIDTH);
            item.height *= down;
        }
    }
}

/// The least factors by which no two cards lie on each other that did not in the file: of each two, along the axis that needs less.
fn factors(items: &[Item]) -> (f64, f64) {
    let mut cards: Vec<&Item> =
        items.iter().filter(|item| !item.is_background && !item.is_open_loop).collect();
    cards.sort_by(|one, other| one.x.total_cmp(&other.x).then(one.y.total_cmp(&other.y)));
    let (mut across, mut down): (Option<f64>, Option<f64>) = (None, None);
    for (at, one) in cards.iter().enumerate() {
        let near = cards[at + 1..].iter().take(MAX_NEIGHBORS);
        for other in near.take_while(|other| (other.x - one.x) * MIN_FACTOR < one.width + SPACING) {
            let (upper, lower) = if one.y <= other.y { (one, other) } else { (other, one) };
            let beside = (one.width + SPACING) / (other.x - one.x);
            let below = (upper.height + SPACING) / (lower.y - upper.y);
            let (axis, needed) = if beside <= below { (&mut across, beside) } else { (&mut down, below) };
            if needed <= MAX_FACTOR {
                *axis = Some(axis.map_or(needed, |known| known.max(needed)));
            }
        }
    }
    // Without neighbors along an axis, nothing says how far apart its cards are drawn.
    let factor = |needed: Option<f64>| needed.map_or(1.0, |needed| needed.max(MIN_FACTOR));
    (factor(across), factor(down))
}
