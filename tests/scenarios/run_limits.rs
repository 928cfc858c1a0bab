//! The limits of a run tree: runs, model calls and events of a run and all runs below it. They hold before anything is sent,
//! over restarts, and no flow handles them.

use plait_api::codes;
use plait_core::error::ErrorCode;
use plait_core::flow::Flow;
use plait_journal::view::RunStatus;
use plait_store::RunFilter;
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::RecordingProvider;

const NO_RESPONSES: [&str; 0] = [];

/// Why a run failed, and at which node.
fn failure(journal: &Journal) -> (ErrorCode, String) {
    let view = journal.view().outline;
    assert_eq!(view.status, RunStatus::Failed, "{journal:#?}");
    let error = view.error.unwrap();
    (error.error.code, error.node.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "values are written in place")]
fn with_limits(mut flow: Value, limits: Value) -> Value {
    flow["settings"] = json!({ "limits": limits });
    flow
}

/// Three model calls in one conversation.
fn three_chats() -> Value {
    let chat = |prompt: &str| json!({ "type": "chat", "config": { "prompt": prompt } });
    flow_json(
        "three",
        json!({ "start": { "type": "contextStart" }, "a": chat("one"), "b": chat("two"), "c": chat("three") }),
        &["start.context -> a.context", "a.context -> b.context", "b.context -> c.context"],
    )
}

#[tokio::test]
async fn call_over_the_limit_is_not_sent() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let flow = parse_flow(&with_limits(three_chats(), json!({ "maxModelCalls": 2 })));
    let journal = app.run(&flow, NO_RESPONSES).await;
    assert_eq!(failure(&journal), (codes::RUN_TOO_MANY_MODEL_CALLS, "c".to_owned()));
    assert_eq!(provider.sent().len(), 2);
    let fault = journal.view().outline.error.unwrap().error;
    assert_eq!(fault.details["limit"], 2);
    assert!(fault.hint.unwrap().contains("settings.limits.maxModelCalls"));
}

/// A parent with two children that call a model once each. The parent handles errors of both.
fn two_children() -> FlowFolder {
    let child = flow_json(
        "child",
        json!({
            "start": { "type": "contextStart" },
            "text": { "type": "manualInput" },
            "ask": { "type": "chat" },
            "result": { "type": "output" },
        }),
        &["start.context -> text.context", "text.context -> ask.context", "ask.response -> result.value"],
    );
    let sub =
        json!({ "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } });
    let parent = flow_json(
        "parent",
        json!({
            "text": { "type": "manualInput", "config": { "text": "go" } },
            "first": sub,
            "second": sub,
            "handled": { "type": "output" },
        }),
        &["text.value -> first.value", "first.text -> second.value", "second.error -> handled.value"],
    );
    let limited = |limits| with_limits(parent.clone(), limits);
    FlowFolder::with_files(&[
        ("child.flow.json", &child),
        ("calls.flow.json", &limited(json!({ "maxModelCalls": 1 }))),
        ("runs.flow.json", &limited(json!({ "maxRuns": 2 }))),
        ("free.flow.json", &limited(json!({ "maxModelCalls": 2, "maxRuns": 3 }))),
    ])
}

#[tokio::test]
async fn limits_hold_for_the_whole_tree_and_are_not_handled() {
    let folder = two_children();
    for (file, code, calls, runs) in [
        ("calls.flow.json", Some(codes::RUN_TOO_MANY_MODEL_CALLS), 1, 3),
        ("runs.flow.json", Some(codes::RUN_TOO_MANY_RUNS), 1, 2),
        ("free.flow.json", None, 2, 3),
    ] {
        let provider = RecordingProvider::echo();
        let app = App::with(&provider);
        let run = folder.start(&app, file, "").await;
        let journal = app.follow(&run, NO_RESPONSES).await;
        match code {
            Some(code) => assert_eq!(failure(&journal), (code, "second".to_owned()), "{file}"),
            None => assert_eq!(journal.view().outline.status, RunStatus::Finished, "{file}"),
        }
        assert_eq!(provider.sent().len(), calls, "{file}");
        assert_eq!(app.plait.store().runs(&RunFilter::default()).unwrap().len(), runs, "{file}");
    }
}

/// A question between two model calls.
fn question_between_calls() -> Flow {
    let flow = flow_json(
        "asks",
        json!({
            "start": { "type": "contextStart" },
            "first": { "type": "chat", "config": { "prompt": "one" } },
            "ask": { "type": "userInput" },
            "second": { "type": "chat" },
        }),
        &["start.context -> first.context", "first.context -> ask.context", "ask.context -> second.context"],
    );
    parse_flow(&with_limits(flow, json!({ "maxModelCalls": 1 })))
}

#[tokio::test]
async fn resumed_run_counts_what_its_journal_holds() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let run = app.start(&question_between_calls()).await;
    app.follow(&run, NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 1);

    let after_restart = RecordingProvider::echo();
    let app = app.reopen(&after_restart).await;
    let journal = app.follow(&run, ["Go on"]).await;
    assert_eq!(failure(&journal), (codes::RUN_TOO_MANY_MODEL_CALLS, "second".to_owned()));
    assert_eq!(after_restart.sent().len(), 0);
}

#[tokio::test]
async fn no_node_starts_after_too_many_events() {
    let flow = flow_json(
        "cycle",
        json!({
            "start": { "type": "value", "config": { "value": "x" } },
            "again": { "type": "join", "limits": { "maxEpochs": 1000 } },
        }),
        &["start.value -> again.values", "again.first -> again.values"],
    );
    let app = App::with(&RecordingProvider::echo());
    let journal = app.run(&parse_flow(&with_limits(flow, json!({ "maxEvents": 40 }))), NO_RESPONSES).await;
    assert_eq!(failure(&journal), (codes::RUN_TOO_MANY_EVENTS, "again".to_owned()));
    // The events that end the run are recorded, too.
    assert!((40..46).contains(&journal.0.len()), "{} events", journal.0.len());
}

#[tokio::test]
async fn limits_of_the_settings_hold_where_the_flow_sets_none() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let mut settings = plait_api::dispatch(&app.plait, "settings.get", json!({})).await.unwrap();
    settings["limits"] = json!({ "maxModelCalls": 1 });
    plait_api::dispatch(&app.plait, "settings.set", json!({ "settings": settings })).await.unwrap();
    let journal = app.run(&parse_flow(&three_chats()), NO_RESPONSES).await;
    assert_eq!(failure(&journal), (codes::RUN_TOO_MANY_MODEL_CALLS, "b".to_owned()));

    let flow = parse_flow(&with_limits(three_chats(), json!({ "maxModelCalls": 3 })));
    assert_eq!(app.run(&flow, NO_RESPONSES).await.view().outline.status, RunStatus::Finished);

    settings["limits"] = json!({ "maxRuns": 0 });
    let refused =
        plait_api::dispatch(&app.plait, "settings.set", json!({ "settings": settings })).await.unwrap_err();
    assert_eq!(refused.code, codes::SETTINGS_LIMITS);
}

#[test]
fn terminal_limits_a_run() {
    let home = Home::default();
    let flow = home.file("three.flow.json", &three_chats().to_string());
    let output = home.plait(&["run", &flow, "--max-model-calls", "2", "--json"]);
    assert_eq!(output.code, 1, "{output:#?}");
    let last: Value = serde_json::from_str(output.out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["error"]["code"], &last["node"]), (&json!("run.too_many_model_calls"), &json!("c")));
    assert_eq!(home.plait(&["run", &flow, "--max-runs", "0"]).code, 2);
    let unlimited =
        home.file("zero.flow.json", &with_limits(three_chats(), json!({ "maxEvents": 0 })).to_string());
    let refused = home.plait(&["check", &unlimited]);
    assert!(refused.err.contains("settings.limits"), "{refused:#?}");
}
