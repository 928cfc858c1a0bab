use serde_json::json;

use super::*;
use crate::codes;

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
    let full = || ErrorReply::new(codes::STORE_FULL, "The disk is full.");
    assert!(!is_canceled(|guard| assert_eq!(guard.release(full()).code, "store.full")));
}

#[test]
fn question_about_a_tool_is_none_of_the_flow() {
    let paused = |tool| {
        let paused = json!({ "type": "run.paused", "node": "ask", "epoch": [], "prompt": "?", "schema": {}, "answered": false, "tool": tool });
        let event = serde_json::from_value::<Event>(paused).unwrap();
        asks(&Entry { seq: Some(1), at: 0, event, interrupted_ms: 0 })
    };
    assert!(paused(serde_json::Value::Null));
    assert!(!paused(json!({ "step": 0, "callId": "c1", "name": "delete", "kind": "approval" })));
}
