use super::*;
use plait_engine::error::ErrorCode;

fn is_canceled(end: impl FnOnce(&mut CancelOnDrop)) -> bool {
    let (active, run) = (ActiveRuns::default(), RunId::from("0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10"));
    let mut guard = CancelOnDrop { active: active.clone(), run: Some(run.clone()) };
    end(&mut guard);
    drop(guard);
    active.is_canceled_early(&run)
}

#[test]
fn dropping_a_node_cancels_its_child_unless_the_child_failed_to_continue() {
    assert!(is_canceled(|_| ()));
    let full = || ErrorReply::new(ErrorCode::StoreFull, "The disk is full.");
    assert!(!is_canceled(|guard| assert_eq!(guard.release(full()).code, "store.full")));
}
