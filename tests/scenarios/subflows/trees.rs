//! Run trees: cancellation, pauses, resume after a crash, and lists.

use std::sync::Arc;
use std::time::Duration;

use plait_api::runs::{CancelRun, RemoveRun, ResumeRun, ShowRun};
use plait_journal::view::RunStatus;
use plait_journal::{Event, NodeEvent, RunEvent};
use serde_json::{Value, json};

use super::{NO_RESPONSES, child, children, listed, sub};
use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::hanging_provider::HangingProvider;
use crate::support::provider::{RecordingProvider, assistant, user};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// A flow that calls the one in `file` with the text "go".
fn parent_of(file: &str) -> Value {
    flow_json(
        "parent",
        json!({ "text": { "type": "manualInput", "config": { "text": "go" } }, "in": sub(file) }),
        &["text.value -> in.value"],
    )
}

/// A flow with two chats in one context with `config`: its input text, then "Again".
fn two_chats(config: &Value) -> Value {
    flow_json(
        "twice",
        json!({
            "start": { "type": "contextStart", "config": config },
            "text": { "type": "manualInput" },
            "first": { "type": "chat" },
            "second": { "type": "chat", "config": { "prompt": "Again" } },
            "result": { "type": "output" },
        }),
        &[
            "start.context -> text.context",
            "text.context -> first.context",
            "first.context -> second.context",
            "second.response -> result.value",
        ],
    )
}

/// Cancellation must reach all descendants.
#[tokio::test]
async fn cancel_ends_all_descendants() {
    let outer = flow_json(
        "outer",
        json!({ "text": { "type": "manualInput" }, "in": sub("child.flow.json") }),
        &["text.value -> in.value"],
    );
    let parent = flow_json(
        "parent",
        json!({ "text": { "type": "manualInput", "config": { "text": "go" } }, "a": sub("child.flow.json"), "b": sub("outer.flow.json") }),
        &["text.value -> a.value", "text.value -> b.value"],
    );
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &parent),
        ("outer.flow.json", &outer),
        ("child.flow.json", &child()),
    ]);
    let provider = HangingProvider::default();
    let app = App::with_providers(Arc::new(provider.clone()));
    let run = folder.start(&app, "parent.flow.json", "").await;
    provider.wait_for_calls(2).await;

    app.plait.call(CancelRun { run: run.clone() }).await.unwrap();
    app.plait.runs().settled(&run).await;
    assert_eq!(provider.open_calls(), 0, "a call goes on");

    let mut all = vec![run.clone()];
    let mut next = 0;
    while let Some(parent) = all.get(next).cloned() {
        all.extend(listed(&app, Some(&parent)).await.into_iter().map(|child| child.run));
        next += 1;
    }
    assert_eq!(all.len(), 4, "the parent, two children and one of theirs");
    for run in &all {
        let journal = app.journal(run).await;
        assert_eq!(journal.view().outline.status, RunStatus::Cancelled, "{journal:#?}");
        assert!(journal.view().nodes.values().all(|node| node.shown().unwrap().ended_at.is_some()));
    }
}

#[tokio::test]
async fn pause_of_a_descendant_is_shown_and_answered_at_the_root() {
    let asks = flow_json(
        "asks",
        json!({
            "text": { "type": "manualInput" },
            "ask": { "type": "userInput", "config": { "prompt": "How about {{text}}?" } },
            "result": { "type": "output" },
        }),
        &["text.value -> ask.text", "ask.message -> result.value"],
    );
    let middle = flow_json(
        "middle",
        json!({ "text": { "type": "manualInput" }, "in": sub("asks.flow.json") }),
        &["text.value -> in.value"],
    );
    let parent = flow_json(
        "parent",
        json!({
            "text": { "type": "manualInput", "config": { "text": "tea" } },
            "in": sub("middle.flow.json"),
            "result": { "type": "output" },
        }),
        &["text.value -> in.value", "in.text -> result.value"],
    );
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &parent),
        ("middle.flow.json", &middle),
        ("asks.flow.json", &asks),
    ]);
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    let view = journal.view();
    assert_eq!(view.outline.status, RunStatus::Waiting);
    let [pause] = &view.outline.pauses[..] else { panic!("one question: {:#?}", view.outline.pauses) };
    assert_eq!((pause.node.as_str(), pause.prompt.as_str()), ("in", "How about tea?"));
    let asker = pause.asker.clone().unwrap();
    assert_eq!(asker.node.as_str(), "ask");
    let [root] = &listed(&app, None).await[..] else { panic!("one root") };
    assert_eq!((root.status, root.waiting_on.as_deref()), (RunStatus::Waiting, Some("How about tea?")));

    // After a restart, the answer goes to the run that asks, and its ancestors continue.
    let app = app.reopen(&provider).await;
    let journal = app.follow(&run, ["with milk"]).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "{journal:#?}");
    assert_eq!(journal.output("in", "text"), json!("with milk"));
    let below = app.journal(&asker.run).await;
    let answers =
        below.events().filter(|event| matches!(event, Event::Node(_, NodeEvent::Answered { .. }))).count();
    assert_eq!((below.view().outline.status, answers), (RunStatus::Finished, 1));
}

#[tokio::test]
async fn restart_continues_the_same_child() {
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &parent_of("twice.flow.json")),
        ("twice.flow.json", &two_chats(&json!({}))),
    ]);
    let stuck = HangingProvider::after_replies(1);
    let app = App::with_providers(Arc::new(stuck.clone()));
    let run = folder.start(&app, "parent.flow.json", "").await;
    stuck.wait_for_calls(2).await;
    let [child] = &listed(&app, Some(&run)).await[..] else { panic!("one child") };

    let provider = RecordingProvider::echo();
    let app = app.reopen(&provider).await;
    // A changed file does not affect the child that has started.
    folder.write("twice.flow.json", &flow_json("other", json!({}), &[]));
    app.plait.call(ResumeRun { run: run.clone() }).await.unwrap();
    let journal = app.follow(&run, NO_RESPONSES).await;
    assert_eq!(journal.output("in", "text"), json!("re: Again"));
    assert_eq!(children(&journal), std::slice::from_ref(&child.run), "no second child");
    let [again] = &provider.sent()[..] else { panic!("only what had no reply: {:#?}", provider.sent()) };
    assert_eq!(again.messages, [user("go"), assistant("said"), user("Again")]);
    let inside = app.journal(&child.run).await;
    assert_eq!(
        inside.events().filter(|event| matches!(event, Event::Run(RunEvent::Started { .. }))).count(),
        1
    );
}

#[tokio::test]
async fn run_is_listed_and_removed_with_its_children() {
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &parent_of("child.flow.json")),
        ("child.flow.json", &child()),
    ]);
    let app = App::with(&RecordingProvider::echo());
    let run = folder.start(&app, "parent.flow.json", "").await;
    app.follow(&run, NO_RESPONSES).await;

    let [root] = &listed(&app, None).await[..] else { panic!("one root") };
    assert_eq!((&root.run, root.children, &root.parent_run_id), (&run, 1, &None));
    let [below] = &listed(&app, Some(&run)).await[..] else { panic!("one child") };
    assert_eq!((below.children, below.parent_run_id.as_ref()), (0, Some(&run)));
    let detail = app.plait.call(ShowRun { run: below.run.clone() }).await.unwrap();
    assert_eq!(detail.above.iter().map(|above| &above.run).collect::<Vec<_>>(), [&run]);
    // The common prefix of both ids means the root.
    assert_eq!(app.plait.runs().find(&run.as_str()[..13]).unwrap(), run);

    app.plait.call(RemoveRun { run: run.clone() }).await.unwrap();
    for gone in [&run, &below.run] {
        let error = app.plait.call(ShowRun { run: gone.clone() }).await.unwrap_err();
        assert_eq!(error.code, "run.unknown");
    }
}

#[test]
fn terminal_asks_and_answers_for_a_child() {
    let asks = flow_json(
        "asks",
        json!({ "ask": { "type": "userInput", "config": { "prompt": "Which color?" } }, "result": { "type": "output" } }),
        &["ask.message -> result.value"],
    );
    let parent = flow_json(
        "parent",
        json!({ "in": { "type": "subflow", "config": { "file": "asks.flow.json", "inputSource": "mapping" } } }),
        &[],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("asks.flow.json", &asks)]);
    let home = Home::default();
    let output = home.plait(&["run", &folder.file("parent.flow.json"), "--json"]);
    assert_eq!((output.code, output.last_type().as_str()), (3, "run.waiting"), "{output:#?}");
    assert!(output.err.contains("Which color?"), "{output:#?}");
    let output = home.plait(&["resume", "last", "--answer", "green", "--json"]);
    assert_eq!((output.code, output.last_type().as_str()), (0, "run.finished"), "{output:#?}");
    assert_eq!(output.events().last().unwrap()["outputs"]["in"]["text"], "green");
    let output = home.plait(&["run", &folder.file("parent.flow.json"), "--answer", "red"]);
    assert_eq!(
        (output.code, output.out.trim_end()),
        (0, "in.result:\n{\n  \"result\": {\n    \"value\": \"red\"\n  }\n}\nin.text:\nred"),
        "{output:#?}"
    );
    let output = home.plait(&["runs", "list"]);
    assert_eq!(output.out.lines().filter(|line| line.contains("└ asks")).count(), 2, "{output:#?}");
}

#[tokio::test]
async fn waiting_child_does_not_block_other_nodes() {
    let asks =
        flow_json("asks", json!({ "ask": { "type": "userInput", "config": { "prompt": "Well?" } } }), &[]);
    let mut parent = flow_json(
        "parent",
        json!({
            "ask": { "type": "subflow", "config": { "file": "asks.flow.json", "inputSource": "mapping" } },
            "other": sub("child.flow.json"),
            "text": { "type": "value", "config": { "value": "meanwhile" } },
        }),
        &["text.value -> other.value"],
    );
    parent["settings"] = json!({ "maxConcurrency": 1 });
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &parent),
        ("asks.flow.json", &asks),
        ("child.flow.json", &child()),
    ]);
    let app = App::with(&RecordingProvider::echo());
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    assert_eq!(journal.view().outline.status, RunStatus::Waiting);
    assert_eq!(journal.output("other", "text"), json!("re: meanwhile"));
    assert!(
        journal.position("child.waiting", "ask") < journal.position("node.started", "other"),
        "it waited first"
    );
    assert!(journal.position("node.finished", "other") < journal.position("run.waiting", ""));
}

/// `kill -9` during the second call of a child: the child continues, and its first call is not repeated.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_killed_within_a_child_continues_that_child() {
    let server =
        ModelServer::start(move |request, before| match (last_message_text(request).as_str(), before) {
            // The first process was killed before it could receive it.
            ("Again", 1) => ServerReply::NoResponse,
            (question, _) => ServerReply::Slow(Duration::from_millis(1), format!("re: {question}")),
        })
        .await;
    let model = json!({ "provider": "openai", "model": "gpt-4o" });
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &parent_of("twice.flow.json")),
        ("twice.flow.json", &two_chats(&model)),
    ]);
    let done = tokio::task::spawn_blocking(move || {
        let home = Home::default();
        tokio::runtime::Handle::current().block_on(home.set_provider_url(&server.url));
        let mut running = home.spawn(&["run", &folder.file("parent.flow.json"), "--json"]);
        while server.calls().len() < 2 {
            std::thread::sleep(Duration::from_millis(5));
            assert!(running.try_wait().unwrap().is_none(), "it ended before it was killed");
        }
        running.kill().unwrap();
        running.wait().unwrap();
        let listed = home.plait(&["runs", "list", "--json"]);
        let before: Value = serde_json::from_str(&listed.out).unwrap();
        let output = home.plait(&["resume", "last", "--json"]);
        let listed = home.plait(&["runs", "list", "--json"]);
        let after: Value = serde_json::from_str(&listed.out).unwrap();
        (before, output, after, server.calls().iter().map(last_message_text).collect::<Vec<_>>())
    });
    let (before, output, after, calls) = done.await.unwrap();
    assert_eq!((output.code, output.last_type().as_str()), (0, "run.finished"), "{output:#?}");
    assert_eq!(output.events().last().unwrap()["outputs"]["in"]["text"], "re: Again");
    assert_eq!(calls, ["go", "Again", "Again"], "the first call is in the child's journal");
    let ids =
        |list: &Value| list.as_array().unwrap().iter().map(|run| run["run"].clone()).collect::<Vec<_>>();
    assert_eq!((ids(&before).len(), ids(&before)), (2, ids(&after)), "one child, and the same");
    assert_eq!((&before[1]["status"], &after[1]["status"]), (&json!("interrupted"), &json!("finished")));
}
