//! Large notes lie behind the cards that they are about, and reach around them.

use super::item::Item;

/// The room between a card and the border of a note behind it.
const MARGIN: f64 = 20.0;
const BETWEEN_NOTES: f64 = 8.0;

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

/// Makes notes as large as the cards in front of them need, which are wider than in other tools. They do not reach into other notes.
pub(super) fn reach_around(items: &mut [Item], in_front: &[(usize, Vec<usize>)]) {
    for (at, cards) in in_front {
        let note = &items[*at];
        let (mut right, mut bottom) = (note.x + note.width, note.y + note.height);
        for card in cards.iter().map(|&card| &items[card]) {
            right = right.max(card.x + card.width + MARGIN);
            bottom = bottom.max(card.y + card.height + MARGIN);
        }
        for other in in_front.iter().map(|(other, _)| &items[*other]) {
            if other.x >= note.x + note.width && other.y < bottom && note.y < other.y + other.height {
                right = right.min(other.x - BETWEEN_NOTES).max(note.x + note.width);
            } else if other.y >= note.y + note.height && other.x < right && note.x < other.x + other.width {
                bottom = bottom.min(other.y - BETWEEN_NOTES).max(note.y + note.height);
            }
        }
        let note = &mut items[*at];
        (note.width, note.height) = (right - note.x, bottom - note.y);
    }
}
