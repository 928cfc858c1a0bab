use super::*;

fn given_up(end: impl FnOnce(&mut CancelWhenDropped)) -> bool {
    let (live, run) = (ActiveRuns::default(), RunId::from("0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10"));
    let mut child = CancelWhenDropped { live: live.clone(), run: Some(run.clone()) };
    end(&mut child);
    drop(child);
    live.is_given_up(&run)
}

#[test]
fn a_child_is_cancelled_with_its_node_but_left_where_it_is_when_it_can_t_go_on() {
    assert!(given_up(|_| ()));
    let full = || ErrorReply::new("store.full", "The disk is full.");
    assert!(!given_up(|child| assert_eq!(child.left(full()).code, "store.full")));
}
