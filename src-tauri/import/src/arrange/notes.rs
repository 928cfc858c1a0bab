//! Large notes lie behind the cards that they are about, and reach around them.

use super::item::Item;

/// The room between a card and the border of a note behind it.
const MARGIN: f64 = 20.0;

/// For each large note, the cards that lie on it.
pub(super) fn cards_in_front(items: &[Item]) -> Vec<(usize, Vec<usize>)> {
    let lies_on = |card: &Item, note: &Item| {
        let (right, down) = (card.x - note.x, card.y - note.y);
        !card.is_background && (0.0..note.width).contains(&right) && (0.0..note.height).contains(&down)
    };
    let notes = items.iter().enumerate().filter(|(_, item)| item.is_background);
    notes
        .map(|(at, note)| (at, (0..items.len()).filter(|&card| lies_on(&items[card], note)).collect()))
        .collect()
}

/// Makes notes as large as the cards in front of them need, which are wider than in other tools.
pub(super) fn reach_around(items: &mut [Item], in_front: &[(usize, Vec<usize>)]) {
    for (note, cards) in in_front {
        for &card in cards {
            let (right, bottom) = (items[card].x + items[card].width, items[card].y + items[card].height);
            let note = &mut items[*note];
            note.width = note.width.max(right + MARGIN - note.x);
            note.height = note.height.max(bottom + MARGIN - note.y);
        }
    }
}
