use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::testing::NodeHarness;
use plait_core::id::Activation;
use plait_core::origin::{Origin, Origins};
use plait_core::user::UserName;
use plait_journal::earlier_run::EarlierRun;
use plait_journal::{Entry, Event};
use plait_run::node::Datum;

fn texts(harness: &NodeHarness, user: &str) -> Vec<String> {
    let user = UserName::parse(user).unwrap();
    harness.memories.of(&user).into_iter().map(|memory| memory.content.text).collect()
}

#[test]
fn fact_is_stored_for_the_user_of_the_run() {
    let mut harness = NodeHarness::new();
    harness.user = UserName::parse("ada").unwrap();
    let run = harness.run("remember", json!({}), &[("value", json!(" Prefers trains. "))]);
    assert_eq!(run.event_names(), ["memory.remembered"]);
    let stored = &run.output("memories").unwrap()[0];
    assert_eq!(stored["text"], "Prefers trains.");
    assert_eq!(stored["kind"], "fact");
    assert_eq!(stored["source"], json!({ "flow": "harness", "run": "run", "node": "remember" }));
    assert_eq!(texts(&harness, "ada"), ["Prefers trains."]);
    assert!(texts(&harness, "local").is_empty(), "nobody else has it");
}

#[test]
fn lists_objects_and_steps_become_memories() {
    let mut harness = NodeHarness::new();
    let value = json!([
        "A fact.",
        { "kind": "episode", "text": "Booked a train." },
        { "kind": "procedure", "text": "Booking", "steps": ["Ask", "Book"] },
        { "city": "Paris" },
    ]);
    let run = harness.run("remember", json!({}), &[("value", value)]);
    assert!(run.result.is_ok(), "{:?}", run.result);
    let stored = run.output("memories").unwrap();
    assert_eq!(stored[1]["kind"], "episode");
    assert_eq!(stored[2]["steps"], json!(["Ask", "Book"]));
    assert_eq!(stored[3]["text"], r#"{"city":"Paris"}"#);
    let config = json!({ "kind": "procedure", "name": "Booking" });
    let run = harness.run("remember", config, &[("value", json!(["Ask", "Book"]))]);
    assert_eq!(run.output("memories").unwrap()[0]["text"], "Booking");
    assert_eq!(run.output("memories").unwrap()[0]["steps"], json!(["Ask", "Book"]));
}

#[test]
fn last_output_on_the_context_edge_is_stored() {
    let mut harness = NodeHarness::new();
    let context = json!({ "contextId": "main", "currentOutput": "Lives in Kiel." });
    let run = harness.run("remember", json!({}), &[("context", context.clone())]);
    assert_eq!(run.output("context"), Some(&context));
    assert_eq!(texts(&harness, "local"), ["Lives in Kiel."]);
}

#[test]
fn what_cannot_be_a_memory_is_refused() {
    let mut harness = NodeHarness::new();
    let mut code =
        |config: Value, value: Value| harness.run("remember", config, &[("value", value)]).code().to_owned();
    assert_eq!(code(json!({}), json!("  ")), "memory.empty");
    assert_eq!(code(json!({}), json!(vec!["x"; 33])), "memory.too_long");
    assert_eq!(code(json!({}), json!("x".repeat(5_000))), "memory.too_long");
    assert_eq!(code(json!({ "kind": "procedure" }), json!("Booking")), "memory.empty");
    assert_eq!(code(json!({}), json!({ "text": 5 })), "input.type");
    assert_eq!(harness.run("remember", json!({}), &[]).code(), "memory.empty");
    assert!(texts(&harness, "local").is_empty());
}

#[test]
fn further_attempt_stores_under_the_same_ids() {
    let mut harness = NodeHarness::new();
    harness.memories.set_full(true);
    let first = harness.run("remember", json!({}), &[("value", json!(["A", "B"]))]);
    assert_eq!(first.code(), "store.full");
    assert_eq!(first.event_names(), ["memory.remembered"], "journaled before it is stored");
    harness.memories.set_full(false);
    harness.recorded = first.events;
    for _ in 0..2 {
        let again = harness.run("remember", json!({}), &[("value", json!(["A", "B"]))]);
        assert!(again.events.is_empty(), "nothing is journaled twice");
    }
    assert_eq!(texts(&harness, "local"), ["A", "B"]);
    assert_eq!(harness.memories.writes(), 3);
}

#[test]
fn memory_keeps_where_it_comes_from_and_recall_brings_it_back() {
    let mut harness = NodeHarness::new();
    let page = Origins::of(Origin::Host("example.com".to_owned()));
    let datum = Datum { origins: page.clone(), ..Datum::from(json!("Refunds need no approval.")) };
    let stored = harness.run_data("remember", json!({}), vec![("value", datum)]);
    assert_eq!(stored.output("memories").unwrap()[0]["origins"], json!(["host:example.com"]));
    let recalled = harness.run("recall", json!({}), &[("query", json!("Refunds"))]);
    assert_eq!(recalled.origins, page, "also with another query");
    harness.recorded = recalled.events;
    let again = harness.run("recall", json!({}), &[("query", json!("Refunds"))]);
    assert_eq!(again.origins, page, "also when it is executed again");
    harness.recorded.clear();
    let nothing = harness.run("recall", json!({}), &[("query", json!("boats"))]);
    assert_eq!(nothing.origins, Origins::NONE);
}

#[test]
fn each_iteration_stores_its_own() {
    let mut harness = NodeHarness::new();
    for iteration in 0..3 {
        harness.epoch = plait_core::id::Epoch::root().child(iteration);
        harness.run("remember", json!({}), &[("value", json!("The same."))]);
    }
    assert_eq!(texts(&harness, "local").len(), 3);
}

#[test]
fn fork_takes_what_the_earlier_run_stored() {
    let mut harness = NodeHarness::new();
    let first = harness.run("remember", json!({}), &[("value", json!("A"))]);
    let entries: Vec<_> = (0..)
        .zip(first.events)
        .map(|(seq, event)| Entry { seq: Some(seq), at: 0, event, interrupted_ms: 0 })
        .collect();
    // The same node in another run: its own id would be another one.
    let mut event = entries[0].clone();
    if let Event::Call(Activation { .. }, CallEvent::MemoryRemembered { memories, .. }) = &mut event.event {
        let mut changed = memories.to_vec();
        changed[0].id = "0123".into();
        *memories = Arc::new(changed);
    }
    harness.earlier = Some(EarlierRun::of(&"old".into(), &[event]));
    let same = harness.run("remember", json!({}), &[("value", json!("A"))]);
    assert_eq!(same.output("memories").unwrap()[0]["id"], "0123");
    let CallEvent::MemoryRemembered { reused, .. } = call_event(&same.events[0]) else { panic!("{same:?}") };
    assert_eq!(reused.as_ref().map(|event| event.run.as_str()), Some("old"));
    let other = harness.run("remember", json!({}), &[("value", json!("B"))]);
    assert_ne!(other.output("memories").unwrap()[0]["id"], "0123");
}

fn call_event(event: &Event) -> &CallEvent {
    let Event::Call(_, event) = event else { panic!("{event:?}") };
    event
}
