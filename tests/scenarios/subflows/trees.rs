//! Trees of runs: how they stop, wait, are answered, go on after a crash, and are listed, as one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plait_api::engine::journal::{Event, NodeEvent, RunEvent};
use plait_api::engine::run::view::RunStatus;
use plait_api::runs::{CancelRun, ResumeRun};
use plait_api::runs::{RemoveRun, ShowRun};
use serde_json::{Value, json};

use super::{NOBODY, child, children, listed, sub};
use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{Folder, draw};
use crate::support::provider::{Recording, assistant, user};
use crate::support::server::{Answer, ModelServer, question};
use crate::support::silent::Silent;

/// A flow that calls the one in `file` with the text "go".
fn parent_of(file: &str) -> Value {
    draw(
        "parent",
        json!({ "text": { "type": "manualInput", "config": { "text": "go" } }, "in": sub(file) }),
        &["text.value -> in.value"],
    )
}

/// A flow whose conversation begins with `config`, and which asks twice in it: what it is given, then "Again".
fn asks_twice(config: &Value) -> Value {
    draw(
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

/// A known bug of others: cancel does not reach the children.
#[tokio::test]
async fn cancelling_a_parent_ends_all_that_it_began() {
    let outer = draw(
        "outer",
        json!({ "text": { "type": "manualInput" }, "in": sub("child.flow.json") }),
        &["text.value -> in.value"],
    );
    let parent = draw(
        "parent",
        json!({ "text": { "type": "manualInput", "config": { "text": "go" } }, "a": sub("child.flow.json"), "b": sub("outer.flow.json") }),
        &["text.value -> a.value", "text.value -> b.value"],
    );
    let folder = Folder::of(&[
        ("parent.flow.json", &parent),
        ("outer.flow.json", &outer),
        ("child.flow.json", &child()),
    ]);
    let provider = Silent::default();
    let app = App::with_providers(Arc::new(provider.clone()));
    let run = folder.start(&app, "parent.flow.json", "").await;
    provider.asked(2).await;

    let before = Instant::now();
    app.plait.call(CancelRun { run: run.clone() }).await.unwrap();
    app.plait.runs().settled(&run).await;
    let took = before.elapsed();
    println!("cancelled, the parent and all below it, within {took:?}");
    // Meant is a tenth of a second; a machine under load gets more.
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(provider.open(), 0, "a call goes on");

    let mut all = vec![run.clone()];
    let mut next = 0;
    while let Some(parent) = all.get(next).cloned() {
        all.extend(listed(&app, Some(&parent)).await.into_iter().map(|child| child.run));
        next += 1;
    }
    assert_eq!(all.len(), 4, "the parent, two children and one of theirs");
    for run in &all {
        let journal = app.journal(run).await;
        assert_eq!(journal.view().status, RunStatus::Cancelled, "{journal:#?}");
        assert!(journal.view().nodes.values().all(|node| node.shown().unwrap().ended_at.is_some()));
    }
}

#[tokio::test]
async fn a_question_reaches_up_the_tree_and_the_answer_down() {
    let asks = draw(
        "asks",
        json!({
            "text": { "type": "manualInput" },
            "ask": { "type": "userInput", "config": { "prompt": "How about {{text}}?" } },
            "result": { "type": "output" },
        }),
        &["text.value -> ask.text", "ask.message -> result.value"],
    );
    let middle = draw(
        "middle",
        json!({ "text": { "type": "manualInput" }, "in": sub("asks.flow.json") }),
        &["text.value -> in.value"],
    );
    let parent = draw(
        "parent",
        json!({
            "text": { "type": "manualInput", "config": { "text": "tea" } },
            "in": sub("middle.flow.json"),
            "result": { "type": "output" },
        }),
        &["text.value -> in.value", "in.text -> result.value"],
    );
    let folder = Folder::of(&[
        ("parent.flow.json", &parent),
        ("middle.flow.json", &middle),
        ("asks.flow.json", &asks),
    ]);
    let nobody = Recording::echo();
    let app = App::with(&nobody);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NOBODY).await;
    let view = journal.view();
    assert_eq!(view.status, RunStatus::Waiting);
    let [pause] = &view.pauses[..] else { panic!("one question: {:#?}", view.pauses) };
    assert_eq!((pause.node.as_str(), pause.prompt.as_str()), ("in", "How about tea?"));
    let asker = pause.asker.clone().unwrap();
    assert_eq!(asker.node.as_str(), "ask");
    let [root] = &listed(&app, None).await[..] else { panic!("one root") };
    assert_eq!((root.status, root.waiting_on.as_deref()), (RunStatus::Waiting, Some("How about tea?")));

    // Over a restart, and given to the run that asks: those above it go on with it.
    let app = app.reopen(&nobody).await;
    let journal = app.follow(&run, ["with milk"]).await;
    assert_eq!(journal.view().status, RunStatus::Finished, "{journal:#?}");
    assert_eq!(journal.output("in", "text"), json!("with milk"));
    let below = app.journal(&asker.run).await;
    let answers =
        below.events().filter(|event| matches!(event, Event::Node(_, NodeEvent::Answered { .. }))).count();
    assert_eq!((below.view().status, answers), (RunStatus::Finished, 1));
}

#[tokio::test]
async fn a_restart_in_the_middle_of_a_child_goes_on_in_that_child() {
    let folder = Folder::of(&[
        ("parent.flow.json", &parent_of("twice.flow.json")),
        ("twice.flow.json", &asks_twice(&json!({}))),
    ]);
    let stuck = Silent::after(1);
    let app = App::with_providers(Arc::new(stuck.clone()));
    let run = folder.start(&app, "parent.flow.json", "").await;
    stuck.asked(2).await;
    let [child] = &listed(&app, Some(&run)).await[..] else { panic!("one child") };

    let provider = Recording::echo();
    let app = app.reopen(&provider).await;
    // What the file says by now is another matter: the child goes on as it began.
    folder.write("twice.flow.json", &draw("other", json!({}), &[]));
    app.plait.call(ResumeRun { run: run.clone() }).await.unwrap();
    let journal = app.follow(&run, NOBODY).await;
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
async fn a_run_is_listed_and_removed_with_those_it_began() {
    let folder =
        Folder::of(&[("parent.flow.json", &parent_of("child.flow.json")), ("child.flow.json", &child())]);
    let app = App::with(&Recording::echo());
    let run = folder.start(&app, "parent.flow.json", "").await;
    app.follow(&run, NOBODY).await;

    let [root] = &listed(&app, None).await[..] else { panic!("one root") };
    assert_eq!((&root.run, root.children, &root.parent_run_id), (&run, 1, &None));
    let [below] = &listed(&app, Some(&run)).await[..] else { panic!("one child") };
    assert_eq!((below.children, below.parent_run_id.as_ref()), (0, Some(&run)));
    let detail = app.plait.call(ShowRun { run: below.run.clone() }).await.unwrap();
    assert_eq!(detail.above.iter().map(|above| &above.run).collect::<Vec<_>>(), [&run]);
    // The beginning that both ids have stands for the root.
    assert_eq!(app.plait.runs().find(&run.as_str()[..13]).unwrap(), run);

    app.plait.call(RemoveRun { run: run.clone() }).await.unwrap();
    for gone in [&run, &below.run] {
        let error = app.plait.call(ShowRun { run: gone.clone() }).await.unwrap_err();
        assert_eq!(error.code, "run.unknown");
    }
}

#[test]
fn the_terminal_asks_for_a_child_and_goes_on_with_its_answer() {
    let asks = draw(
        "asks",
        json!({ "ask": { "type": "userInput", "config": { "prompt": "Which color?" } }, "result": { "type": "output" } }),
        &["ask.message -> result.value"],
    );
    let parent = draw(
        "parent",
        json!({ "in": { "type": "subflow", "config": { "file": "asks.flow.json", "inputSource": "mapping" } } }),
        &[],
    );
    let folder = Folder::of(&[("parent.flow.json", &parent), ("asks.flow.json", &asks)]);
    let home = Home::default();
    let said = home.plait(&["run", &folder.file("parent.flow.json"), "--json"]);
    assert_eq!((said.code, said.last_type().as_str()), (3, "run.waiting"), "{said:#?}");
    assert!(said.err.contains("Which color?"), "{said:#?}");
    let said = home.plait(&["resume", "last", "--answer", "green", "--json"]);
    assert_eq!((said.code, said.last_type().as_str()), (0, "run.finished"), "{said:#?}");
    assert_eq!(said.events().last().unwrap()["outputs"]["in"]["text"], "green");
    let said = home.plait(&["run", &folder.file("parent.flow.json"), "--answer", "red"]);
    assert_eq!(
        (said.code, said.out.trim_end()),
        (0, "in.result:\n{\n  \"result\": {\n    \"value\": \"red\"\n  }\n}\nin.text:\nred"),
        "{said:#?}"
    );
    let said = home.plait(&["runs", "list"]);
    assert_eq!(said.out.lines().filter(|line| line.contains("└ asks")).count(), 2, "{said:#?}");
}

#[tokio::test]
async fn a_child_that_waits_for_a_person_holds_up_nothing_else() {
    let asks = draw("asks", json!({ "ask": { "type": "userInput", "config": { "prompt": "Well?" } } }), &[]);
    let mut parent = draw(
        "parent",
        json!({
            "ask": { "type": "subflow", "config": { "file": "asks.flow.json", "inputSource": "mapping" } },
            "other": sub("child.flow.json"),
            "text": { "type": "value", "config": { "value": "meanwhile" } },
        }),
        &["text.value -> other.value"],
    );
    parent["settings"] = json!({ "maxConcurrency": 1 });
    let folder = Folder::of(&[
        ("parent.flow.json", &parent),
        ("asks.flow.json", &asks),
        ("child.flow.json", &child()),
    ]);
    let app = App::with(&Recording::echo());
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NOBODY).await;
    assert_eq!(journal.view().status, RunStatus::Waiting);
    assert_eq!(journal.output("other", "text"), json!("re: meanwhile"));
    assert!(
        journal.place("child.waiting", "ask") < journal.place("node.started", "other"),
        "it had its place"
    );
    assert!(journal.place("node.finished", "other") < journal.place("run.waiting", ""));
}

/// `kill -9` while the second call of a child is under way: the child goes on, and its first call is not paid again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_in_the_middle_of_a_child_the_run_goes_on_in_that_child() {
    let asked = |request: &Value| question(request);
    let server = ModelServer::start(move |request, before| match (asked(request).as_str(), before) {
        // The first process was killed before it could receive it.
        ("Again", 1) => Answer::Silence,
        (question, _) => Answer::Slow(Duration::from_millis(1), format!("re: {question}")),
    })
    .await;
    let model = json!({ "provider": "openai", "model": "gpt-4o" });
    let folder = Folder::of(&[
        ("parent.flow.json", &parent_of("twice.flow.json")),
        ("twice.flow.json", &asks_twice(&model)),
    ]);
    let done = tokio::task::spawn_blocking(move || {
        let home = Home::default();
        tokio::runtime::Handle::current().block_on(home.provider_at(&server.url));
        let mut running = home.spawn(&["run", &folder.file("parent.flow.json"), "--json"]);
        while server.calls().len() < 2 {
            std::thread::sleep(Duration::from_millis(5));
            assert!(running.try_wait().unwrap().is_none(), "it ended before it was killed");
        }
        running.kill().unwrap();
        running.wait().unwrap();
        let listed = home.plait(&["runs", "list", "--json"]);
        let before: Value = serde_json::from_str(&listed.out).unwrap();
        let said = home.plait(&["resume", "last", "--json"]);
        let listed = home.plait(&["runs", "list", "--json"]);
        let after: Value = serde_json::from_str(&listed.out).unwrap();
        (before, said, after, server.calls().iter().map(question).collect::<Vec<_>>())
    });
    let (before, said, after, calls) = done.await.unwrap();
    assert_eq!((said.code, said.last_type().as_str()), (0, "run.finished"), "{said:#?}");
    assert_eq!(said.events().last().unwrap()["outputs"]["in"]["text"], "re: Again");
    assert_eq!(calls, ["go", "Again", "Again"], "the first call stands in the child's journal");
    let ids =
        |list: &Value| list.as_array().unwrap().iter().map(|run| run["run"].clone()).collect::<Vec<_>>();
    assert_eq!((ids(&before).len(), ids(&before)), (2, ids(&after)), "one child, and the same");
    assert_eq!((&before[1]["status"], &after[1]["status"]), (&json!("interrupted"), &json!("finished")));
}
