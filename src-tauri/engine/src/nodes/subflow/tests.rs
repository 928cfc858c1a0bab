//! What a sub-flow gives its child, and what it makes of the child's end.

use serde_json::{Value, json};

use crate::context::ContextChange;
use crate::error::{ErrorCode, Fault};
use crate::host::subflow::ChildEnd;
use crate::journal::{RunEnd, RunFault};
use crate::testing::{FakeSubflows, NodeHarness};

fn said(harness: &NodeHarness) -> Vec<String> {
    harness.subflows.calls().into_iter().filter_map(|call| call.input).collect()
}

#[test]
fn the_child_is_given_the_text_and_nothing_else() {
    let mut harness = NodeHarness::new();
    harness.run(
        "injectMessages",
        json!({ "messages": [
            { "role": "user", "content": "A secret" },
            { "role": "assistant", "content": "The last word" },
        ]}),
        &[("context", json!({ "contextId": "main" }))],
    );

    harness.run(
        "subflow",
        json!({ "file": "a.flow.json", "input_source": "last_message" }),
        &[("context", json!({ "contextId": "main" }))],
    );
    let handle = json!({ "contextId": "main", "currentOutput": "Just said" });
    harness.run("subflow", json!({ "file": "a.flow.json" }), &[("context", handle)]);
    let config = json!({ "file": "a.flow.json", "input_source": "node_output", "source_node_id": "before" });
    harness.run("subflow", config, &[("value", json!({ "n": 1 }))]);

    assert_eq!(said(&harness), ["The last word", "Just said", "{\"n\":1}"]);
    assert!(harness.subflows.calls().iter().all(|call| call.set.is_empty()));
}

#[test]
fn mapped_values_go_to_their_places_as_they_are() {
    let mut harness = NodeHarness::new();
    let config = json!({ "file": "a.flow.json", "inputSource": "mapping", "mapping": [
        { "from": "topic", "to": "input" },
        { "from": "style", "to": "write.v2.style" },
        { "from": "topic", "to": "check.value" },
    ]});
    harness.run("subflow", config, &[("topic", json!("boats")), ("style", json!(["terse"]))]);

    let [call] = &harness.subflows.calls()[..] else { panic!("one call") };
    assert_eq!(call.input.as_deref(), Some("boats"));
    let set: Value = serde_json::to_value(&call.set).unwrap();
    assert_eq!(set, json!({ "write.v2": { "style": ["terse"] }, "check": { "value": "boats" } }));
}

#[test]
fn a_child_that_no_text_is_mapped_to_keeps_its_own() {
    let mut harness = NodeHarness::new();
    let config = json!({ "file": "a.flow.json", "inputSource": "mapping", "mapping": [
        { "from": "style", "to": "write.style" },
    ]});
    harness.run("subflow", config, &[("style", json!("terse"))]);
    let [call] = &harness.subflows.calls()[..] else { panic!("one call") };
    assert_eq!(call.input, None);
}

#[test]
fn what_looks_like_a_context_is_handed_back_and_contexts_are_not() {
    let mut harness = NodeHarness::new();
    harness.subflows.ends(FakeSubflows::finished(&json!({
        "made": { "context": { "contextId": "made" }, "handle": { "contextId": "made" } },
        "order": { "value": { "contextId": 7, "total": 3 } },
        "way": { "context": "a case of this name" },
    })));
    let config = json!({ "file": "a.flow.json", "inputSource": "nodeOutput" });
    let ran = harness.run("subflow", config, &[("value", json!("x"))]);
    assert_eq!(
        ran.output("result"),
        Some(&json!({
            "made": { "handle": { "contextId": "made" } },
            "order": { "value": { "contextId": 7, "total": 3 } },
            "way": { "context": "a case of this name" },
        }))
    );
}

#[test]
fn the_result_comes_back_by_node_and_port_and_as_one_message() {
    let mut harness = NodeHarness::new();
    harness.subflows.ends(FakeSubflows::finished(&json!({
        "answer": { "context": { "contextId": "main" }, "response": "Yes.", "structured": { "yes": true } },
        "count": { "value": 3 },
    })));
    let handle = json!({ "contextId": "main", "currentOutput": "Is it?" });
    let ran = harness.run("subflow", json!({ "file": "a.flow.json" }), &[("context", handle)]);

    assert_eq!(
        ran.output("result"),
        Some(
            &json!({ "answer": { "response": "Yes.", "structured": { "yes": true } }, "count": { "value": 3 } })
        )
    );
    assert_eq!(ran.output("text"), Some(&json!("Yes.\n\n3")));
    assert_eq!(harness.history("main"), [("assistant".to_owned(), "Yes.\n\n3".to_owned())]);
    // Only turns are kept of a conversation when the run is over.
    assert!(matches!(&ran.changes[..], [(_, ContextChange::Turn { messages, .. })] if messages.len() == 1));
    assert_eq!(ran.message("text").map(ToString::to_string).as_deref(), Some("subflow/0"));
    assert_eq!(ran.event_names(), ["child.started"]);
}

#[test]
fn a_child_that_did_not_finish_is_the_nodes_fault() {
    let mut harness = NodeHarness::new();
    let mut error = Fault::new(ErrorCode::ProviderRateLimited, "Too many requests.").retryable();
    error.retry_after_ms = Some(2_000);
    let failed = RunFault { node: "ask".into(), epoch: (&[2][..]).into(), error };
    let end = |end, error| ChildEnd { end, error, ..FakeSubflows::finished(&json!({})) };
    harness.subflows.ends(end(RunEnd::Failed, Some(failed)));
    let config = json!({ "file": "a.flow.json", "inputSource": "nodeOutput" });
    let fault = harness.run("subflow", config.clone(), &[("value", json!("x"))]).result.unwrap_err();
    assert_eq!(fault.code, "subflow.failed");
    assert_eq!(fault.message, "The sub-flow failed at `ask#2`: Too many requests.");
    assert!(fault.retryable && fault.retry_after_ms == Some(2_000));
    assert_eq!(fault.details["error"]["code"], "provider.rate_limited");

    harness.subflows.ends(end(RunEnd::Canceled, None));
    assert_eq!(harness.run("subflow", config, &[("value", json!("x"))]).code(), "subflow.cancelled");
}

#[test]
fn config_with_no_flow_or_two_names_the_place() {
    let inner = json!({ "version": 1, "nodes": {} });
    for (config, place) in [
        (json!({ "file": "a.flow.json", "flow": inner }), "/config/file"),
        (json!({ "file": "/etc/a.flow.json" }), "/config/file"),
        (json!({ "file": "C:\\a.flow.json" }), "/config/file"),
        (json!({ "flow": { "version": 99 } }), "/config/flow"),
        (json!({ "flow": inner, "mapping": [{ "from": "a", "to": "nowhere" }] }), "/config/mapping/0/to"),
        (
            json!({ "flow": inner, "mapping": [{ "from": "context", "to": "input" }] }),
            "/config/mapping/0/from",
        ),
    ] {
        let fault = NodeHarness::new().run("subflow", config.clone(), &[]).result.unwrap_err();
        assert_eq!(fault.code, "config.invalid", "{config}");
        assert!(fault.message.contains(place), "{config}: {}", fault.message);
    }
}
