use super::*;

#[test]
fn no_more_is_remembered_than_there_is_room_for() {
    let sessions = Sessions::default();
    let hash = |number: usize| -> Hash { Sha256::digest(number.to_string()).into() };
    (0..MOST + 10).for_each(|number| sessions.keep(hash(number), &number.to_string()));
    let memory = sessions.0.lock().expect("lock");
    assert_eq!((memory.replies.len(), memory.order.len()), (MOST, MOST));
    assert!(!memory.replies.contains_key(&hash(9)) && memory.replies.contains_key(&hash(10)));
}
