use super::{Followed, RunBroadcast};

#[test]
fn child_that_is_starting_is_not_taken_in() {
    let mut child = Followed { broadcast: RunBroadcast::new(), next_seq: None };
    assert!(!child.is_taken_in(), "it has no broadcast yet");
    child.broadcast.open(0);
    assert!(!child.is_taken_in(), "its first event is to come");
    child.broadcast.open(1);
    child.next_seq = Some(1);
    assert!(child.is_taken_in());
    child.broadcast.open(2);
    assert!(!child.is_taken_in(), "an event is on its way");
}
