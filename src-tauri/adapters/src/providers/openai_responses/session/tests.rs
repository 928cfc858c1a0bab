use super::*;

#[test]
fn session_cache_drops_the_oldest_replies_when_full() {
    let sessions = SessionCache::default();
    let hash = |number: usize| -> Hash { Sha256::digest(number.to_string()).into() };
    (0..MAX_STORED_REPLIES + 10).for_each(|number| sessions.insert(hash(number), &number.to_string()));
    let state = sessions.0.lock();
    assert_eq!((state.replies.len(), state.order.len()), (MAX_STORED_REPLIES, MAX_STORED_REPLIES));
    assert!(!state.replies.contains_key(&hash(9)) && state.replies.contains_key(&hash(10)));
}
