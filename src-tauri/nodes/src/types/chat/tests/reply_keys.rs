//! When the key of a request is made, under which its reply is found again.

use serde_json::json;

use super::send;
use crate::testing::{NodeHarness, NodeRun};
use plait_core::id::ReplyKey;
use plait_run::earlier_run::EarlierRun;
use plait_run::journal::{CallEvent, Entry, Event};

/// The key that is journaled with the reply.
fn key(run: &NodeRun) -> Option<ReplyKey> {
    run.events.iter().find_map(|event| match event {
        Event::Call(_, CallEvent::ModelReplied { key, .. }) => key.clone(),
        _ => None,
    })
}

#[test]
fn request_is_sent_before_its_key_is_made() {
    let mut harness = NodeHarness::new();
    harness.provider.receive_slowly();
    let run = send(&mut harness, json!({}), "Hi");
    assert_eq!(harness.provider.requests_before_keys(), [1]);
    assert_eq!(key(&run), Some(harness.provider.requests()[0].key().unwrap()));
}

#[test]
fn reply_of_an_earlier_run_is_looked_up_before_anything_is_sent() {
    let bought = send(&mut NodeHarness::new(), json!({}), "Hi");
    let entries = (0..).zip(bought.events.clone());
    let entries: Vec<_> = entries.map(|(seq, event)| Entry { seq: Some(seq), at: 0, event }).collect();
    let fork =
        || NodeHarness { earlier: Some(EarlierRun::of(&"old".into(), &entries)), ..NodeHarness::new() };

    let mut same = fork();
    let run = send(&mut same, json!({}), "Hi");
    assert!(same.provider.requests().is_empty());
    assert_eq!(same.provider.requests_before_keys(), [0]);
    assert_eq!(key(&run), key(&bought));

    let mut other = fork();
    let run = send(&mut other, json!({}), "Good evening");
    assert_eq!(other.provider.requests().len(), 1);
    assert_eq!(other.provider.requests_before_keys(), [0], "it is not made twice");
    assert_eq!(key(&run), Some(other.provider.requests()[0].key().unwrap()));
}

#[test]
fn request_that_cannot_be_sent_has_no_reply() {
    let mut harness = NodeHarness::new();
    harness.provider.refuse_all();
    let run = send(&mut harness, json!({}), "Hi");
    assert!(key(&run).is_none());
    assert_eq!(run.result.unwrap_err().code, "provider.bad_options");
}
