use serde_json::json;

use crate::testing::NodeHarness;
use plait_core::user::UserName;
use plait_journal::earlier_run::EarlierRun;
use plait_journal::{CallEvent, Entry, Event};

fn harness() -> NodeHarness {
    let mut harness = NodeHarness::new();
    harness.run("remember", json!({}), &[("value", json!("Prefers trains."))]);
    let procedure = json!({ "kind": "procedure", "text": "Booking trains", "steps": ["Ask", "Book"] });
    harness.epoch = plait_core::id::Epoch::root().child(1);
    harness.run("remember", json!({}), &[("value", procedure)]);
    harness
}

#[test]
fn memories_become_a_text_and_a_list() {
    let mut harness = harness();
    let run = harness.run("recall", json!({}), &[("query", json!("trains"))]);
    assert_eq!(run.event_names(), ["memory.recalled"]);
    assert_eq!(run.output("text"), Some(&json!("- Booking trains:\n  1. Ask\n  2. Book\n- Prefers trains.")));
    assert_eq!(run.output("memories").unwrap().as_array().unwrap().len(), 2);
    let run = harness.run("recall", json!({ "kinds": ["fact"] }), &[("query", json!("trains"))]);
    assert_eq!(run.output("text"), Some(&json!("- Prefers trains.")));
    let run = harness.run("recall", json!({ "limit": 1 }), &[("query", json!("trains"))]);
    assert_eq!(run.result.unwrap().extra["more"], 1);
}

#[test]
fn query_comes_from_the_context_edge_or_is_empty() {
    let mut harness = harness();
    let context = json!({ "contextId": "main", "currentOutput": "Prefers" });
    let run = harness.run("recall", json!({}), &[("context", context.clone())]);
    assert_eq!(run.output("text"), Some(&json!("- Prefers trains.")));
    assert_eq!(run.output("context"), Some(&context));
    let newest = harness.run("recall", json!({ "limit": 1 }), &[]);
    assert_eq!(newest.output("memories").unwrap()[0]["text"], "Booking trains");
}

#[test]
fn other_user_recalls_nothing() {
    let mut harness = harness();
    harness.user = UserName::parse("eve").unwrap();
    let run = harness.run("recall", json!({}), &[("query", json!("trains"))]);
    assert_eq!(run.output("text"), Some(&json!("")));
    assert_eq!(run.output("memories"), Some(&json!([])));
}

#[test]
fn further_attempt_and_fork_see_what_was_recalled() {
    let mut harness = harness();
    let query = [("query", json!("Prefers"))];
    harness.epoch = plait_core::id::Epoch::root();
    let first = harness.run("recall", json!({}), &query);
    harness.epoch = plait_core::id::Epoch::root().child(2);
    harness.run("remember", json!({}), &[("value", json!("Prefers tea."))]);
    harness.epoch = plait_core::id::Epoch::root();
    let entry = Entry { seq: Some(0), at: 0, event: first.events[0].clone(), interrupted_ms: 0 };

    harness.recorded = first.events.clone();
    let again = harness.run("recall", json!({}), &query);
    assert_eq!((again.outputs(), again.events.len()), (first.outputs(), 0));

    harness.recorded.clear();
    harness.earlier = Some(EarlierRun::of(&"old".into(), &[entry]));
    let fork = harness.run("recall", json!({}), &query);
    assert_eq!(fork.outputs(), first.outputs());
    let [Event::Call(_, CallEvent::MemoryRecalled { reused: Some(reused), .. })] = &fork.events[..] else {
        panic!("{fork:?}")
    };
    assert_eq!(reused.run.as_str(), "old");
    let other = harness.run("recall", json!({ "limit": 3 }), &query);
    assert_ne!(other.outputs(), first.outputs(), "another request is made again");
}

#[test]
fn limit_is_bounded() {
    let mut harness = harness();
    assert_eq!(harness.run("recall", json!({ "limit": 51 }), &[]).code(), "config.invalid");
    assert_eq!(harness.run("recall", json!({ "limit": 0 }), &[]).code(), "config.invalid");
}
