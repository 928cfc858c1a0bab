//! Forks that do again what the earlier run has: from an activation on, at a node alone, from an event on.

use plait_api::codes;
use plait_api::conversations::{ConversationFlow, KeepFork, ListMessages, OpenConversation};
use plait_api::runs::{BillRerun, RerunRequest, RerunRun, RunRequest, StartRun};
use plait_core::flow::Flow;
use plait_core::id::{ConversationId, Epoch, NodeId, RunId};
use plait_insight::bill::Bill;
use plait_journal::view::RunStatus;
use plait_journal::{CallEvent, Event, FreshFrom};
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, text};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

mod inside;
mod memory;

const NO_RESPONSES: [&str; 0] = [];

fn run_of(journal: &Journal) -> RunId {
    journal.view().outline.run.unwrap()
}

/// Each reply is another one.
fn counting() -> RecordingProvider {
    RecordingProvider::with_rule(|sent, before| Ok(text(&format!("{before}: {}", sent.last_text()))))
        .with_keys_of_content()
}

/// The same reply to the same text.
fn echoing() -> RecordingProvider {
    RecordingProvider::with_rule(|sent, _| Ok(text(&format!("re: {}", sent.last_text()))))
        .with_keys_of_content()
}

fn all_of(node: &str) -> FreshFrom {
    FreshFrom { node: node.into(), epoch: None, inside: None, alone: false }
}

fn iteration(node: &str, counter: u32) -> FreshFrom {
    FreshFrom { node: node.into(), epoch: Some(Epoch::from(&[counter][..])), inside: None, alone: false }
}

/// Makes a fork: its journal, its bill, and the texts that reached the provider.
async fn fork(
    app: &App,
    provider: &RecordingProvider,
    request: RerunRequest,
) -> (Journal, Bill, Vec<String>) {
    let before = provider.sent().len();
    let bill = app.plait.call(BillRerun(request.clone())).await.unwrap();
    assert_eq!(provider.sent().len(), before, "a bill buys nothing");
    let started = app.plait.call(RerunRun(request)).await.unwrap();
    let journal = app.follow(&started.run, NO_RESPONSES).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "{journal:#?}");
    let sent = provider.sent()[before..].iter().map(|sent| sent.last_text().to_owned()).collect();
    (journal, bill, sent)
}

/// A chat that is sent its prompt alone.
fn chat(prompt: &str) -> Value {
    json!({ "type": "chat", "config": { "prompt": prompt, "skipHistory": true } })
}

fn chat_in(around: &str, prompt: &str) -> Value {
    let mut chat = chat(prompt);
    chat["parent"] = around.into();
    chat
}

/// Two chains beside each other, `a → b` and `c`, and `d` after both. What `b` is asked does not depend on the reply of `a`.
fn branches() -> Flow {
    let nodes = json!({
        "main": { "type": "contextStart" },
        "other": { "type": "contextStart", "config": { "contextId": "other" } },
        "a": chat("a"),
        "b": chat("b{{#if after}}{{/if}}"),
        "c": chat("c"),
        "d": chat("d {{b}} {{c}}"),
        "out": { "type": "output" },
    });
    let edges = [
        "main.context -> a.context",
        "main.context -> b.context",
        "other.context -> c.context",
        "main.context -> d.context",
        "a.response -> b.after",
        "b.response -> d.b",
        "c.response -> d.c",
        "d.response -> out.value",
    ];
    parse_flow(&flow_json("branches", nodes, &edges))
}

#[tokio::test]
async fn a_node_and_all_that_follows_from_it_are_bought_again() {
    let provider = echoing();
    let app = App::with(&provider);
    let first = app.run(&branches(), NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 4);
    let request = RerunRequest { fresh: Some(all_of("a")), ..RerunRequest::of(run_of(&first)) };
    let (again, bill, sent) = fork(&app, &provider, request).await;
    // The replies are the same, and still none is taken from the earlier run.
    assert_eq!(sent, ["a", "b", "d re: b re: c"]);
    assert_eq!((bill.reused.calls, bill.bought.len(), bill.behind.len()), (1, 1, 2), "{bill:#?}");
    let lines: Vec<(&str, &str)> =
        bill.lines.iter().map(|line| (line.node.as_str(), line.what.as_str())).collect();
    let expected = [
        ("a", "buys 1 reply"),
        ("b", "depends on what is bought"),
        ("d", "depends on what is bought"),
        ("c", "reuses 1"),
    ];
    assert_eq!(lines, expected);
    assert_eq!(again.output("out", "value"), first.output("out", "value"));
    assert_eq!(app.journal(&run_of(&first)).await, first, "the earlier run stays as it is");
}

#[tokio::test]
async fn a_node_alone_is_bought_again_and_nothing_after_it_runs() {
    let provider = counting();
    let app = App::with(&provider);
    let first = app.run(&branches(), NO_RESPONSES).await;
    let request =
        RerunRequest { fresh: Some(all_of("b")), to: Some("b".into()), ..RerunRequest::of(run_of(&first)) };
    let (again, bill, sent) = fork(&app, &provider, request).await;
    assert_eq!(sent, ["b"]);
    assert_eq!((bill.reused.calls, bill.bought.len(), bill.behind.len()), (1, 1, 0), "{bill:#?}");
    assert_eq!(again.view().outline.to.as_ref().map(NodeId::as_str), Some("b"));
}

#[tokio::test]
async fn a_fresh_node_alone_is_bought_and_what_asks_the_same_is_reused() {
    let fresh = || Some(FreshFrom { alone: true, ..all_of("a") });
    // Nothing that follows is asked about the reply of `a`, whether it is the same or another one.
    for provider in [echoing(), counting()] {
        let app = App::with(&provider);
        let first = app.run(&branches(), NO_RESPONSES).await;
        let request = RerunRequest { fresh: fresh(), ..RerunRequest::of(run_of(&first)) };
        let (again, bill, sent) = fork(&app, &provider, request).await;
        assert_eq!(sent, ["a"]);
        assert_eq!((bill.bought.len(), bill.behind.len()), (1, 2), "the bill knows no reply: {bill:#?}");
        assert_eq!(again.output("out", "value"), first.output("out", "value"));
    }
    // What follows and asks otherwise is bought.
    let provider = counting();
    let app = App::with(&provider);
    let first = app.run(&branches(), NO_RESPONSES).await;
    let request = RerunRequest {
        fresh: Some(FreshFrom { alone: true, ..all_of("b") }),
        ..RerunRequest::of(run_of(&first))
    };
    let (_, _, sent) = fork(&app, &provider, request).await;
    assert_eq!((sent.len(), sent[0].as_str()), (2, "b"), "{sent:?}");
}

/// `count` times a reply to the one before.
fn repeated(kind: &Value, prompt: &str) -> Flow {
    let nodes = json!({
        "items": { "type": "value", "config": { "value": [0, 1, 2, 3] } },
        "each": { "type": "loop", "config": kind },
        "main": { "type": "contextStart" },
        "say": chat_in("each", prompt),
        "out": { "type": "output" },
    });
    let mut edges =
        vec!["main.context -> say.context", "say.response -> each.next", "each.results -> out.value"];
    if kind["kind"] == "forEach" {
        edges.extend(["items.value -> each.items", "each.item -> say.item"]);
    }
    parse_flow(&flow_json("repeated", nodes, &edges))
}

#[tokio::test]
async fn later_iterations_follow_and_items_do_not() {
    let provider = echoing();
    let app = App::with(&provider);
    for (kind, prompt, bought) in [
        (json!({ "kind": "times", "times": 4 }), "again", vec!["again", "again"]),
        (json!({ "kind": "forEach", "concurrency": 2 }), "item {{item}}", vec!["item 2"]),
    ] {
        let first = app.run(&repeated(&kind, prompt), NO_RESPONSES).await;
        assert_eq!(first.view().outline.status, RunStatus::Finished, "{first:#?}");
        let request = RerunRequest { fresh: Some(iteration("say", 2)), ..RerunRequest::of(run_of(&first)) };
        let (again, bill, sent) = fork(&app, &provider, request).await;
        assert_eq!(sent, bought, "{kind}");
        let known = bill.bought.len() + bill.behind.len();
        assert!(bill.reused.calls + bought.len() as u64 == 4 && known > 0, "{bill:#?}");
        assert_eq!(again.output("out", "value"), first.output("out", "value"));
    }
}

#[tokio::test]
async fn child_run_of_a_fresh_node_takes_nothing_over() {
    let child = flow_json(
        "child",
        json!({ "main": { "type": "contextStart" }, "reply": chat("child"), "result": { "type": "output" } }),
        &["main.context -> reply.context", "reply.response -> result.value"],
    );
    let nodes = json!({
        "word": { "type": "value", "config": { "value": "hi" } },
        "first": { "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } },
        "second": { "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } },
    });
    let parent = flow_json("parent", nodes, &["word.value -> first.value", "first.text -> second.value"]);
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child)]);
    let provider = echoing();
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    app.follow(&run, NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 2);
    let request = RerunRequest { fresh: Some(all_of("second")), ..RerunRequest::of(run) };
    let (_, bill, sent) = fork(&app, &provider, request).await;
    assert_eq!(sent, ["child"]);
    assert_eq!(bill.reused.calls, 1, "{bill:#?}");
}

/// `one`, a question, and `two`.
fn asking() -> Flow {
    let nodes = json!({
        "main": { "type": "contextStart" },
        "one": chat("one"),
        "ask": { "type": "userInput", "config": { "prompt": "Go on?" } },
        "two": chat("two{{#if answer}}{{/if}}"),
        "out": { "type": "output" },
    });
    let edges = [
        "main.context -> one.context",
        "one.response -> ask.after",
        "ask.message -> two.answer",
        "main.context -> two.context",
        "two.response -> out.value",
    ];
    parse_flow(&flow_json("asking", nodes, &edges))
}

#[tokio::test]
async fn fresh_fork_asks_again_and_stays_fresh_after_a_restart() {
    let provider = echoing();
    let app = App::with(&provider);
    let first = app.run(&asking(), ["yes"]).await;
    assert_eq!(first.view().outline.status, RunStatus::Finished, "{first:#?}");
    let request = RerunRequest { fresh: Some(all_of("one")), ..RerunRequest::of(run_of(&first)) };
    let started = app.plait.call(RerunRun(request)).await.unwrap();
    let waiting = app.follow(&started.run, NO_RESPONSES).await;
    assert_eq!(waiting.view().outline.status, RunStatus::Waiting, "the answer is not taken over");
    assert_eq!(provider.sent().len(), 3);

    let app = app.reopen(&provider).await;
    let ended = app.follow(&started.run, ["yes"]).await;
    assert_eq!(ended.view().outline.status, RunStatus::Finished, "{ended:#?}");
    assert_eq!(provider.sent().len(), 4, "`two` follows from `one`");
}

#[tokio::test]
async fn fork_at_an_event_does_again_what_came_after_it() {
    let provider = counting();
    let app = App::with(&provider);
    let first = app.run(&asking(), ["yes"]).await;
    let run = run_of(&first);
    let at = |wanted: fn(&CallEvent) -> bool, node: &str| {
        let found = first.events().position(
            |event| matches!(event, Event::Call(at, event) if at.node.as_str() == node && wanted(event)),
        );
        found.unwrap() as u64
    };
    let replied = |event: &CallEvent| matches!(event, CallEvent::ModelReplied { .. });
    let before_two = at(replied, "two");
    let request = |at: u64| RerunRequest { at: Some(at), ..RerunRequest::of(run.clone()) };
    let (_, bill, sent) = fork(&app, &provider, request(before_two)).await;
    assert_eq!((sent, bill.reused.calls, bill.reused_answers), (vec!["two".to_owned()], 1, 1), "{bill:#?}");
    let (_, bill, sent) = fork(&app, &provider, request(before_two + 1)).await;
    assert_eq!((sent.len(), bill.reused.calls), (0, 2), "{bill:#?}");
    let bill = app.plait.call(BillRerun(request(1))).await.unwrap();
    assert_eq!((bill.reused.calls, bill.bought.len()), (0, 1), "{bill:#?}");
    let events = first.events().count() as u64;
    for wrong in [0, events + 1] {
        let refused = app.plait.call(RerunRun(request(wrong))).await.unwrap_err();
        assert_eq!(refused.code, codes::RUN_NO_EVENT);
        assert!(refused.hint.unwrap().contains(&events.to_string()));
    }
}

#[tokio::test]
async fn place_that_the_flow_does_not_have_is_refused() {
    let provider = echoing();
    let app = App::with(&provider);
    let first = app.run(&branches(), NO_RESPONSES).await;
    for wrong in [all_of("nobody"), iteration("a", 2)] {
        let request = RerunRequest { fresh: Some(wrong), ..RerunRequest::of(run_of(&first)) };
        assert_eq!(app.plait.call(BillRerun(request.clone())).await.unwrap_err().code, codes::RUN_NO_PLACE);
        assert_eq!(app.plait.call(RerunRun(request)).await.unwrap_err().code, codes::RUN_NO_PLACE);
    }
}

async fn texts_in(app: &App, conversation: &ConversationId) -> Vec<String> {
    let page = ListMessages { conversation: conversation.clone(), from: 0, limit: None };
    let messages = app.plait.call(page).await.unwrap().messages;
    messages.into_iter().map(|message| message.content.text()).collect()
}

#[tokio::test]
async fn third_turn_is_forked_twice_and_one_fork_is_kept_once() {
    let provider = counting();
    let app = App::with(&provider);
    let nodes = json!({
        "start": { "type": "contextStart" },
        "say": { "type": "chat", "config": { "prompt": "hello" } },
    });
    let flow = parse_flow(&flow_json("talk", nodes, &["start.context -> say.context"]));
    let opened = OpenConversation { flow: ConversationFlow::new(&flow, None), user: None, new: true };
    let conversation = app.plait.call(opened).await.unwrap().id;
    let mut runs = Vec::new();
    for _ in 0..3 {
        let request = RunRequest {
            flow: flow.clone(),
            conversation: Some(conversation.clone()),
            ..RunRequest::default()
        };
        let run = app.plait.call(StartRun(request)).await.unwrap().run;
        app.follow(&run, NO_RESPONSES).await;
        runs.push(run);
    }
    let before = ["hello", "0: hello", "hello", "1: hello", "hello", "2: hello"];
    assert_eq!(texts_in(&app, &conversation).await, before);
    let not_a_fork = app.plait.call(KeepFork { run: runs[2].clone() }).await.unwrap_err();
    assert_eq!(not_a_fork.code, codes::RUN_NOT_A_FORK);

    let mut forks = Vec::new();
    for _ in 0..2 {
        let request = RerunRequest { fresh: Some(all_of("say")), ..RerunRequest::of(runs[2].clone()) };
        let (journal, ..) = fork(&app, &provider, request).await;
        forks.push(run_of(&journal));
    }
    assert_eq!(texts_in(&app, &conversation).await, before, "the conversation has its three turns");
    let sent = provider.sent();
    assert_eq!(sent[3].messages.len(), sent[2].messages.len(), "a fork recalls what its run did");

    let keep = || async { app.plait.call(KeepFork { run: forks[1].clone() }).await.unwrap().conversation };
    let kept = keep().await.unwrap();
    let texts = ["hello", "0: hello", "hello", "1: hello", "hello", "4: hello"];
    assert_eq!(texts_in(&app, &kept.id).await, texts);
    assert_eq!(keep().await.unwrap().id, kept.id);
    assert_eq!(texts_in(&app, &kept.id).await, texts, "kept once");
    assert_eq!(texts_in(&app, &conversation).await, before, "the first one stays as it is");

    // The next run goes on in the kept one, which the journals did not change meanwhile.
    let app = app.reopen(&provider).await;
    let last = OpenConversation { flow: ConversationFlow::new(&flow, None), user: None, new: false };
    assert_eq!(app.plait.call(last).await.unwrap().id, kept.id);
    assert_eq!(texts_in(&app, &kept.id).await, texts);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_forks_from_a_node_and_from_an_event() {
    let server =
        ModelServer::start(|request, _| ServerReply::Text(format!("re: {}", last_message_text(request))))
            .await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let nodes = json!({
        "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "one": chat("first"),
        "two": chat("{{one}} second"),
        "out": { "type": "output" },
    });
    let edges = [
        "main.context -> one.context",
        "main.context -> two.context",
        "one.response -> two.one",
        "two.response -> out.value",
    ];
    let file = home.file("two.flow.json", &flow_json("two", nodes, &edges).to_string());
    let run = home.plait(&["run", &file]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert_eq!(server.calls().len(), 2);

    let asked = home.plait(&["rerun", "last", "--from", "two"]);
    assert_eq!(server.calls().len(), 2, "nobody said yes");
    assert!(asked.err.contains("run.not_confirmed"), "{asked:#?}");
    let from = home.plait(&["rerun", "last", "--from", "two", "--yes"]);
    assert_eq!((from.code, from.out.trim()), (0, "re: re: first second"), "{from:#?}");
    assert_eq!(server.calls().len(), 3);
    let only = home.plait(&["rerun", "last", "--only", "one", "--yes"]);
    assert_eq!((only.code, server.calls().len()), (0, 4), "{only:#?}");
    let at = home.plait(&["rerun", "last", "--at", "1", "--to", "two", "--yes"]);
    assert_eq!((at.code, server.calls().len()), (0, 6), "{at:#?}");
    let wrong = home.plait(&["rerun", "last", "--from", "two#x"]);
    assert_eq!(wrong.code, 2, "{wrong:#?}");
    let unknown = home.plait(&["rerun", "last", "--from", "three"]);
    assert!(unknown.err.contains("run.no_place"), "{unknown:#?}");
}
