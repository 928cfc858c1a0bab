use super::*;

#[test]
fn oldest_replies_are_dropped_when_there_are_too_many() {
    let replies = StoredReplies::default();
    let hash = |number: usize| -> Hash { Sha256::digest(number.to_string()).into() };
    (0..MAX_STORED_REPLIES + 10).for_each(|number| replies.insert_hash(hash(number), &number.to_string()));
    let state = replies.0.lock();
    assert_eq!((state.ids.len(), state.order.len()), (MAX_STORED_REPLIES, MAX_STORED_REPLIES));
    assert!(!state.ids.contains_key(&hash(9)) && state.ids.contains_key(&hash(10)));
}
