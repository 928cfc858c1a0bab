//! Nested flows: the input of a child, its results, and the report of its problems.

mod tree_answers;
mod trees;
mod wide_trees;

use std::collections::BTreeSet;

use plait_api::codes;
use plait_api::flows::CheckFlow;
use plait_api::runs::{ListRuns, RunSummary};
use plait_core::diagnostic::Diagnostic;
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_journal::{ChildEvent, Event};
use serde_json::{Value, json};

use crate::support::app::{App, PauseResponse};
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, assistant, text, user};

const NO_RESPONSES: [&str; 0] = [];

/// A child flow that sends its input text to a model.
fn child() -> Value {
    flow_json(
        "child",
        json!({
            "start": { "type": "contextStart", "config": { "systemInstructions": "You are the child." } },
            "text": { "type": "manualInput" },
            "ask": { "type": "chat" },
            "result": { "type": "output" },
        }),
        &["start.context -> text.context", "text.context -> ask.context", "ask.response -> result.value"],
    )
}

/// The child runs of a journal, in order, each once.
fn children(journal: &Journal) -> Vec<RunId> {
    let mut seen = BTreeSet::new();
    let started = journal.events().filter_map(|event| match event {
        Event::Child(_, ChildEvent::Started { run, .. }) => Some(run.clone()),
        _ => None,
    });
    started.filter(|run| seen.insert(run.clone())).collect()
}

#[tokio::test]
async fn child_receives_only_its_text() {
    let parent = flow_json(
        "parent",
        json!({
            "start": { "type": "contextStart", "config": { "systemInstructions": "You are the parent." } },
            "first": { "type": "manualInput", "config": { "text": "A secret", "addToHistory": true } },
            "before": { "type": "chat" },
            "other": { "type": "value", "config": { "value": "never handed over" } },
            "sub": { "type": "subflow", "config": { "file": "child.flow.json" } },
            "after": { "type": "chat", "config": { "prompt": "And now?" } },
        }),
        &[
            "start.context -> first.context",
            "first.context -> before.context",
            "before.context -> sub.context",
            "sub.context -> after.context",
        ],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child())]);
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "{journal:#?}");

    let [before, asked, after] = &provider.sent()[..] else { panic!("{:#?}", provider.sent()) };
    assert_eq!(before.messages, [user("A secret")]);
    // The parent's last message, in a history of its own.
    assert_eq!(asked.system.as_deref(), Some("You are the child."));
    assert_eq!(asked.messages, [user("re: A secret")]);
    // The parent has the result as one message, and none of the child's messages.
    let history = [
        user("A secret"),
        assistant("re: A secret"),
        assistant("re: re: A secret"),
        user("And now?"),
        assistant("re: And now?"),
    ];
    assert_eq!(after.messages, history[..4]);
    assert_eq!(journal.history("main"), history);
    assert_eq!(journal.output("sub", "result"), json!({ "result": { "value": "re: re: A secret" } }));

    let [child] = &children(&journal)[..] else { panic!("one child") };
    let inside = app.journal(child).await.view();
    assert_eq!(inside.outline.parent_run_id.as_ref(), Some(&run));
    assert_eq!(inside.outline.input.as_deref(), Some("re: A secret"));
    assert_eq!((inside.outline.status, inside.outline.set.len()), (RunStatus::Finished, 0));
    assert_eq!(inside.outline.flow.unwrap().path, Some(folder.file("child.flow.json")));
}

/// The root runs, or the children of `parent`.
async fn listed(app: &App, parent: Option<&RunId>) -> Vec<RunSummary> {
    app.plait.call(ListRuns { parent: parent.cloned(), ..ListRuns::default() }).await.unwrap()
}

/// A node that runs a flow with the value on its input.
fn sub(file: &str) -> Value {
    json!({ "type": "subflow", "config": { "file": file, "inputSource": "nodeOutput" } })
}

/// A cycle that runs two sub-flows in parallel in each iteration.
fn parallel_children_in_a_cycle() -> Value {
    flow_json(
        "rounds",
        json!({
            "topic": { "type": "userInput", "config": { "prompt": "What next?" } },
            "a": sub("child.flow.json"),
            "b": sub("child.flow.json"),
            "both": { "type": "text", "config": { "template": "{{a}} | {{b}}" } },
        }),
        &[
            "topic.message -> a.value",
            "topic.message -> b.value",
            "a.text -> both.a",
            "b.text -> both.b",
            "both.text -> topic.in",
        ],
    )
}

/// Each iteration must run its child again instead of reusing the first result.
#[tokio::test]
async fn parallel_children_in_a_cycle_return_the_result_of_their_iteration() {
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &parallel_children_in_a_cycle()),
        ("child.flow.json", &child()),
    ]);
    // No two replies are the same.
    let provider =
        RecordingProvider::with_rule(|sent, before| Ok(text(&format!("{} #{before}", sent.last_text()))));
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let responses = [
        PauseResponse::from("one"),
        PauseResponse::from("one"),
        PauseResponse::from("three"),
        PauseResponse::End,
    ];
    let journal = app.follow(&run, responses).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "{journal:#?}");

    // Six children, each with its own text only.
    let started = children(&journal);
    assert_eq!(started.len(), 6);
    let asked: Vec<_> = provider.sent().into_iter().map(|sent| sent.messages).collect();
    assert_eq!(asked, ["one", "one", "one", "one", "three", "three"].map(|text| vec![user(text)]));
    let mut replies = BTreeSet::new();
    for (iteration, text) in ["one", "one", "three"].iter().enumerate() {
        let both = epoch_output(&journal, "both", iteration, "text");
        let (a, b) = both.split_once(" | ").unwrap();
        for reply in [a, b] {
            assert!(
                reply.starts_with(text) && replies.insert(reply.to_owned()),
                "iteration {iteration}: {both}"
            );
        }
        // Both ran at the same time.
        let started = ["a", "b"].map(|node| journal.position_in_epoch("node.started", node, iteration));
        let finished = ["a", "b"].map(|node| journal.position_in_epoch("node.finished", node, iteration));
        assert!(started.iter().max() < finished.iter().min(), "iteration {iteration}");
    }
    assert_eq!(listed(&app, Some(&run)).await.len(), 6);
}

fn epoch_output(journal: &Journal, node: &str, iteration: usize, port: &str) -> String {
    let view = journal.view();
    let iteration = u32::try_from(iteration).unwrap();
    let epoch = view.nodes[node].epochs.iter().find(|known| known.epoch.0.as_slice() == [iteration]);
    epoch.and_then(|known| known.outputs[port].as_str()).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn each_attempt_of_a_failed_child_is_its_own_run() {
    let mut flaky = child();
    flaky["nodes"]["ask"]["retry"] = json!({ "attempts": 1 });
    let mut again = sub("child.flow.json");
    again["retry"] = json!({ "attempts": 2, "backoffMs": 1, "jitter": 0.0 });
    let parent = flow_json(
        "parent",
        json!({
            "text": { "type": "manualInput", "config": { "text": "go" } },
            "once": sub("child.flow.json"),
            "caught": { "type": "catch", "config": { "template": "{{code}}: {{details.error.code}}" } },
            "again": again,
        }),
        &["text.value -> once.value", "once.error -> caught.error", "caught.result -> again.value"],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &flaky)]);
    let provider = RecordingProvider::with_rule(|sent, before| match before {
        0 | 1 => Err(Fault::new(codes::PROVIDER_OVERLOADED, "Too much to do.").retryable()),
        _ => Ok(text(&format!("re: {}", sent.last_text()))),
    });
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;

    // Without a retry policy it runs once: its nodes have their own retries.
    assert_eq!(journal.fault("once"), "subflow.failed");
    assert_eq!(journal.output("caught", "result"), json!("subflow.failed: provider.overloaded"));
    assert_eq!(journal.output("again", "text"), json!("re: subflow.failed: provider.overloaded"));
    let attempts = &journal.view().nodes["again"].epochs[0].children.clone();
    let states: Vec<RunStatus> =
        listed(&app, Some(&run)).await.into_iter().map(|child| child.status).collect();
    assert_eq!(
        (attempts.len(), states),
        (2, vec![RunStatus::Failed, RunStatus::Failed, RunStatus::Finished])
    );
}

#[tokio::test]
async fn recursive_flows_are_refused() {
    let calls = |file: &str| {
        let config = json!({ "file": file, "inputSource": "mapping" });
        flow_json(file, json!({ "in": { "type": "subflow", "config": config } }), &[])
    };
    let folder = FlowFolder::with_files(&[
        ("self.flow.json", &calls("self.flow.json")),
        ("ping.flow.json", &calls("pong.flow.json")),
        ("pong.flow.json", &calls("./ping.flow.json")),
    ]);
    let app = App::with(&RecordingProvider::echo());
    let run = folder.start(&app, "self.flow.json", "").await;
    assert_eq!(app.follow(&run, NO_RESPONSES).await.fault("in"), "subflow.recursion");
    assert!(listed(&app, Some(&run)).await.is_empty());

    let run = folder.start(&app, "ping.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    let error = journal.view().outline.error.unwrap().error;
    assert_eq!(error.code, "subflow.failed");
    assert_eq!(error.details["error"]["code"], "subflow.recursion");
    let message = error.details["error"]["message"].as_str().unwrap();
    assert!(message.contains("ping.flow.json › pong.flow.json › ./ping.flow.json"), "{message}");

    // `check` reports it without a run.
    for (file, chain) in [
        ("self.flow.json", "self.flow.json › self.flow.json"),
        ("ping.flow.json", "ping.flow.json › pong.flow.json › ./ping.flow.json"),
    ] {
        let found = check(&app, &folder, file).await;
        let [one] = &found[..] else { panic!("{found:#?}") };
        assert_eq!((one.code.as_str(), one.pointer.as_str()), ("subflow.recursion", "/nodes/in/config/file"));
        assert!(one.message.contains(chain), "{}", one.message);
    }
}

async fn check(app: &App, folder: &FlowFolder, file: &str) -> Vec<Diagnostic> {
    let path = folder.file(file);
    let flow = plait_core::flow::read(&std::fs::read_to_string(&path).unwrap()).unwrap();
    app.plait.call(CheckFlow { flow, path: Some(path) }).await.unwrap().diagnostics
}

#[tokio::test]
async fn nesting_depth_is_limited() {
    let innermost =
        flow_json("innermost", json!({ "text": { "type": "value", "config": { "value": 1 } } }), &[]);
    let deep = |levels: usize| {
        (0..levels).fold(innermost.clone(), |inner, level| {
            let config = json!({ "flow": inner, "inputSource": "mapping" });
            flow_json(
                &format!("level {level}"),
                json!({ "in": { "type": "subflow", "config": config } }),
                &[],
            )
        })
    };
    let app = App::with(&RecordingProvider::echo());
    let run = app.start(&parse_flow(&deep(15))).await;
    assert_eq!(app.follow(&run, NO_RESPONSES).await.view().outline.status, RunStatus::Finished);
    let run = app.start(&parse_flow(&deep(16))).await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    let mut error = serde_json::to_value(journal.view().outline.error.unwrap().error).unwrap();
    while error["details"]["error"].is_object() {
        error = error["details"]["error"].clone();
    }
    assert_eq!(error["code"], "subflow.too_deep", "{error}");
}

#[tokio::test]
async fn problems_of_a_called_flow_are_reported_at_the_calling_node() {
    let calls =
        |config: Value| flow_json("parent", json!({ "in": { "type": "subflow", "config": config } }), &[]);
    let broken = flow_json("broken", json!({ "x": { "type": "nothing like it" } }), &[]);
    let folder = FlowFolder::with_files(&[
        ("none.flow.json", &calls(json!({ "file": "gone.flow.json", "inputSource": "mapping" }))),
        ("bad.flow.json", &calls(json!({ "file": "broken.flow.json", "inputSource": "mapping" }))),
        ("inner.flow.json", &calls(json!({ "flow": broken, "inputSource": "mapping" }))),
        ("fresh.flow.json", &calls(json!({ "inputSource": "mapping" }))),
        ("broken.flow.json", &broken),
        ("other.flow.json", &calls(json!({ "file": "child.json", "inputSource": "mapping" }))),
        ("child.json", &flow_json("child", json!({}), &[])),
    ]);
    let app = App::with(&RecordingProvider::echo());
    for (file, code, pointer) in [
        ("none.flow.json", "subflow.not_found", "/nodes/in/config/file"),
        ("bad.flow.json", "subflow.invalid", "/nodes/in/config/file"),
        // Tools may write files of any other name.
        ("other.flow.json", "subflow.unreadable", "/nodes/in/config/file"),
        ("inner.flow.json", "node.unknown_type", "/nodes/in/config/flow/nodes/x/type"),
        ("fresh.flow.json", "config.incomplete", "/nodes/in/config/file"),
    ] {
        let found = check(&app, &folder, file).await;
        let diagnostics: Vec<_> = found.iter().map(|one| (one.code.as_str(), one.pointer.as_str())).collect();
        assert_eq!(diagnostics, [(code, pointer)], "{file}");
        if code == "subflow.invalid" {
            assert!(
                found[0].message.contains("broken.flow.json") && found[0].message.contains("/nodes/x/type")
            );
        }
    }
    let run = folder.start(&app, "none.flow.json", "").await;
    assert_eq!(app.follow(&run, NO_RESPONSES).await.fault("in"), "subflow.not_found");
    let run = folder.start(&app, "bad.flow.json", "").await;
    assert_eq!(app.follow(&run, NO_RESPONSES).await.fault("in"), "subflow.invalid");
}

/// A value that a mapping gives to a flow feeds its input there, as in a run. A target that does not exist is an error.
#[tokio::test]
async fn mapping_feeds_the_inputs_of_the_called_flow() {
    let calls = |target: &str, flow: Value| {
        let mut config = json!({ "inputSource": "mapping", "mapping": [{ "from": "a", "to": target }] });
        config.as_object_mut().unwrap().extend(flow.as_object().unwrap().clone());
        flow_json(
            "parent",
            json!({
                "text": { "type": "manualInput", "config": { "text": "go" } },
                "in": { "type": "subflow", "config": config },
            }),
            &["text.value -> in.a"],
        )
    };
    let inner = flow_json("inner", json!({ "result": { "type": "output" } }), &[]);
    let file = json!({ "file": "inner.flow.json" });
    let folder = FlowFolder::with_files(&[
        ("inner.flow.json", &inner),
        ("inside.flow.json", &calls("result.value", json!({ "flow": inner }))),
        ("file.flow.json", &calls("result.value", file.clone())),
        ("wrong-inside.flow.json", &calls("nosuch.value", json!({ "flow": inner }))),
        ("wrong-file.flow.json", &calls("nosuch.value", file)),
    ]);
    let app = App::with(&RecordingProvider::echo());
    for (file, codes) in [
        ("inside.flow.json", &[][..]),
        ("file.flow.json", &[]),
        ("wrong-inside.flow.json", &["node.unknown", "port.unfed"]),
        ("wrong-file.flow.json", &["subflow.invalid"]),
    ] {
        let mut found: Vec<_> =
            check(&app, &folder, file).await.iter().map(|one| one.code.as_str().to_owned()).collect();
        found.sort();
        assert_eq!(found, codes, "{file}");
    }
    let run = folder.start(&app, "file.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    assert_eq!(journal.output("in", "text"), json!("go"), "{journal:#?}");
}

/// A cycle around a flow with a node that asks. `settings` are the settings of the whole flow.
fn cycle_around(file: &str, settings: Value) -> Value {
    let mut drawn = flow_json(
        "cycle",
        json!({
            "text": { "type": "manualInput", "config": { "text": "go" } },
            "head": { "type": "json" },
            "in": sub(file),
        }),
        &["text.value -> head.value", "head.result -> in.value", "in.text -> head.value"],
    );
    drawn["settings"] = settings;
    drawn
}

/// A sub-flow bounds a cycle that contains it if a person can be asked in it, at any depth.
#[tokio::test]
async fn cycle_around_subflow_needs_one_that_can_ask() {
    let asks = flow_json(
        "asks",
        json!({ "text": { "type": "manualInput" }, "ask": { "type": "userInput" } }),
        &["text.value -> ask.in"],
    );
    let outer = |file: &str| {
        flow_json(
            "outer",
            json!({ "text": { "type": "manualInput" }, "in": sub(file) }),
            &["text.value -> in.value"],
        )
    };
    let folder = FlowFolder::with_files(&[
        ("asks.flow.json", &asks),
        ("asks-below.flow.json", &outer("asks.flow.json")),
        ("child.flow.json", &child()),
        ("silent-below.flow.json", &outer("child.flow.json")),
        ("a.flow.json", &cycle_around("asks.flow.json", json!({}))),
        ("b.flow.json", &cycle_around("asks-below.flow.json", json!({}))),
        ("c.flow.json", &cycle_around("child.flow.json", json!({}))),
        ("d.flow.json", &cycle_around("silent-below.flow.json", json!({}))),
    ]);
    let app = App::with(&RecordingProvider::echo());
    for (file, codes) in [
        ("a.flow.json", &[][..]),
        ("b.flow.json", &[]),
        ("c.flow.json", &["flow.circular"]),
        ("d.flow.json", &["flow.circular"]),
    ] {
        let found = check(&app, &folder, file).await;
        assert_eq!(found.iter().map(|one| one.code.as_str()).collect::<Vec<_>>(), codes, "{file}");
    }
}

/// Whether a person was asked in a sub-flow decides how long the cycle around it goes on.
#[tokio::test]
async fn question_in_subflow_attends_the_cycle_around_it() {
    let asks = flow_json(
        "asks",
        json!({
            "text": { "type": "manualInput" },
            "ask": { "type": "userInput" },
            "result": { "type": "output" },
        }),
        &["text.value -> ask.in", "ask.message -> result.value"],
    );
    let middle = flow_json(
        "middle",
        json!({ "text": { "type": "manualInput" }, "in": sub("asks.flow.json"), "result": { "type": "output" } }),
        &["text.value -> in.value", "in.text -> result.value"],
    );
    let folder = FlowFolder::with_files(&[
        ("asks.flow.json", &asks),
        ("middle.flow.json", &middle),
        ("cycle.flow.json", &cycle_around("middle.flow.json", json!({ "maxUnattendedEpochs": 1 }))),
    ]);
    let app = App::with(&RecordingProvider::echo());
    let run = folder.start(&app, "cycle.flow.json", "").await;
    let journal = app.follow(&run, ["one", "two", "three"]).await;
    let asked =
        journal.0.iter().filter(|entry| matches!(entry.event, Event::Child(_, ChildEvent::Asked { .. })));
    assert_eq!(asked.count(), 4, "{journal:#?}");
    assert_eq!(journal.view().outline.loops["head"].iterations, 3, "{journal:#?}");
}

/// A parent that calls no model itself shows the usage of its children.
#[tokio::test]
async fn totals_of_a_parent_include_its_children() {
    let parent = flow_json(
        "parent",
        json!({
            "start": { "type": "contextStart" },
            "first": { "type": "manualInput", "config": { "text": "Hello", "addToHistory": true } },
            "sub": { "type": "subflow", "config": { "file": "child.flow.json" } },
        }),
        &["start.context -> first.context", "first.context -> sub.context"],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child())]);
    let app = App::with(&RecordingProvider::echo());
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    let child = children(&journal).remove(0);
    let listed = app.plait.call(ListRuns { parent: Some(run.clone()), ..ListRuns::default() }).await.unwrap();
    assert_eq!(listed[0].run, child);
    assert!(listed[0].tokens.input > 0, "{:?}", listed[0].tokens);
    let roots = app.plait.call(ListRuns::default()).await.unwrap();
    assert_eq!((roots[0].tokens, roots[0].cost), (listed[0].tokens, listed[0].cost));
}
