//! The input of a child run, and the outputs from its end.

use serde_json::{Value, json};

use crate::codes;
use crate::testing::NodeHarness;
use plait_core::error::Fault;
use plait_journal::{RunEnd, RunFault};
use plait_llm::context::ContextChange;
use plait_run::host::subflow::ChildEnd;
use plait_testing::FakeSubflows;

fn child_texts(harness: &NodeHarness) -> Vec<String> {
    harness.subflows.calls().into_iter().filter_map(|call| call.input).collect()
}

#[test]
fn child_receives_only_the_text() {
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

    assert_eq!(child_texts(&harness), ["The last word", "Just said", "{\"n\":1}"]);
    assert!(harness.subflows.calls().iter().all(|call| call.set.is_empty()));
}

#[test]
fn mapped_values_reach_their_targets_unchanged() {
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
fn child_without_mapped_text_keeps_its_own() {
    let mut harness = NodeHarness::new();
    let config = json!({ "file": "a.flow.json", "inputSource": "mapping", "mapping": [
        { "from": "style", "to": "write.style" },
    ]});
    harness.run("subflow", config, &[("style", json!("terse"))]);
    let [call] = &harness.subflows.calls()[..] else { panic!("one call") };
    assert_eq!(call.input, None);
}

#[test]
fn results_omit_context_handles_only() {
    let mut harness = NodeHarness::new();
    harness.subflows.push_end(FakeSubflows::finished_end(&json!({
        "made": { "context": { "contextId": "made" }, "handle": { "contextId": "made" } },
        "order": { "value": { "contextId": 7, "total": 3 } },
        "way": { "context": "a case of this name" },
    })));
    let config = json!({ "file": "a.flow.json", "inputSource": "nodeOutput" });
    let run = harness.run("subflow", config, &[("value", json!("x"))]);
    assert_eq!(
        run.output("result"),
        Some(&json!({
            "made": { "handle": { "contextId": "made" } },
            "order": { "value": { "contextId": 7, "total": 3 } },
            "way": { "context": "a case of this name" },
        }))
    );
}

#[test]
fn results_are_by_port_and_one_message() {
    let mut harness = NodeHarness::new();
    harness.subflows.push_end(FakeSubflows::finished_end(&json!({
        "answer": { "context": { "contextId": "main" }, "response": "Yes.", "structured": { "yes": true } },
        "count": { "value": 3 },
    })));
    let handle = json!({ "contextId": "main", "currentOutput": "Is it?" });
    let run = harness.run("subflow", json!({ "file": "a.flow.json" }), &[("context", handle)]);

    assert_eq!(
        run.output("result"),
        Some(
            &json!({ "answer": { "response": "Yes.", "structured": { "yes": true } }, "count": { "value": 3 } })
        )
    );
    assert_eq!(run.output("text"), Some(&json!("Yes.\n\n3")));
    let whole = [("user", "Is it?"), ("assistant", "Yes.\n\n3")]
        .map(|(role, text)| (role.to_owned(), text.to_owned()));
    assert_eq!(harness.history("main"), whole);
    // A conversation keeps only turns after the run.
    assert!(matches!(&run.changes[..], [(_, ContextChange::Turn { messages, .. })] if messages.len() == 2));
    assert_eq!(run.message("text").map(ToString::to_string).as_deref(), Some("subflow/1"));
    assert_eq!(run.event_names(), ["child.started"]);
}

#[test]
fn unfinished_child_fails_the_node() {
    let mut harness = NodeHarness::new();
    let mut error = Fault::new(codes::PROVIDER_RATE_LIMITED, "Too many requests.").retryable();
    error.retry_after_ms = Some(2_000);
    let failed = RunFault { node: "ask".into(), epoch: (&[2][..]).into(), error };
    let end = |end, error| ChildEnd { end, error, ..FakeSubflows::finished_end(&json!({})) };
    harness.subflows.push_end(end(RunEnd::Failed, Some(failed)));
    let config = json!({ "file": "a.flow.json", "inputSource": "nodeOutput" });
    let fault = harness.run("subflow", config.clone(), &[("value", json!("x"))]).result.unwrap_err();
    assert_eq!(fault.code, "subflow.failed");
    assert_eq!(fault.message, "The sub-flow failed at `ask#2`: Too many requests.");
    assert!(fault.retryable && fault.retry_after_ms == Some(2_000));
    assert_eq!(fault.details["error"]["code"], "provider.rate_limited");
    let cause = fault.cause.expect("the fault of the child");
    assert_eq!(cause.code, Some(codes::PROVIDER_RATE_LIMITED));

    harness.subflows.push_end(end(RunEnd::Canceled, None));
    assert_eq!(harness.run("subflow", config, &[("value", json!("x"))]).code(), "subflow.cancelled");
}

#[test]
fn invalid_config_names_the_setting() {
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
