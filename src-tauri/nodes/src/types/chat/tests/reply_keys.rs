//! The key of a request, under which its reply is found again.

use serde_json::json;

use super::send;
use crate::testing::{NodeHarness, NodeRun};
use plait_core::id::ReplyKey;
use plait_journal::earlier_run::EarlierRun;
use plait_journal::{CallEvent, Entry, Event};
use plait_llm::provider::Provider as _;

/// The key that is journaled with the reply.
fn key(run: &NodeRun) -> Option<ReplyKey> {
    run.events.iter().find_map(|event| match event {
        Event::Call(_, CallEvent::ModelReplied { key, .. }) => key.clone(),
        _ => None,
    })
}

#[test]
fn reply_of_an_earlier_run_is_looked_up_before_anything_is_sent() {
    let bought = send(&mut NodeHarness::new(), json!({}), "Hi");
    let entries = (0..).zip(bought.events.clone());
    let entries: Vec<_> =
        entries.map(|(seq, event)| Entry { seq: Some(seq), at: 0, event, interrupted_ms: 0 }).collect();
    let fork =
        || NodeHarness { earlier: Some(EarlierRun::of(&"old".into(), &entries)), ..NodeHarness::new() };

    let mut same = fork();
    let run = send(&mut same, json!({}), "Hi");
    assert!(same.provider.requests().is_empty());
    assert_eq!(key(&run), key(&bought));

    let mut other = fork();
    let run = send(&mut other, json!({}), "Good evening");
    assert_eq!(other.provider.requests().len(), 1);
    assert_eq!(key(&run), Some(other.provider.reply_key(&other.provider.requests()[0]).unwrap()));
}

#[test]
fn request_that_cannot_be_sent_has_no_reply() {
    let mut harness = NodeHarness::new();
    harness.provider.refuse_all();
    let run = send(&mut harness, json!({}), "Hi");
    assert!(key(&run).is_none());
    assert_eq!(run.result.unwrap_err().code, "provider.bad_options");
}

#[test]
fn reply_that_an_earlier_version_recorded_is_found() {
    let bought = send(&mut NodeHarness::new(), json!({}), "Hi");
    let sent = {
        let mut harness = NodeHarness::new();
        send(&mut harness, json!({}), "Hi");
        harness.provider.requests().remove(0)
    };
    let mut entries: Vec<_> = (0..).zip(bought.events).collect::<Vec<_>>();
    for (_, event) in &mut entries {
        if let Event::Call(_, CallEvent::ModelReplied { key, .. }) = event {
            *key = Some(sent.key().unwrap());
        }
    }
    let entries =
        entries.into_iter().map(|(seq, event)| Entry { seq: Some(seq), at: 0, event, interrupted_ms: 0 });
    let entries: Vec<_> = entries.collect();
    let mut fork =
        NodeHarness { earlier: Some(EarlierRun::of(&"old".into(), &entries)), ..NodeHarness::new() };
    let run = send(&mut fork, json!({}), "Hi");
    assert!(fork.provider.requests().is_empty());
    assert_eq!(
        key(&run),
        Some(fork.provider.reply_key(&sent).unwrap()),
        "under the key of this version from now on"
    );
}
