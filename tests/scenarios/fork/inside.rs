//! Forks that begin inside of a sub-flow's run, in one item of a loop, or in a round of tool calls: the whole tree is forked.

use plait_api::codes;
use plait_api::runs::{BillRerun, ListRuns, RerunRequest, RerunRun};
use plait_core::id::{Epoch, RunId};
use plait_journal::view::RunStatus;
use plait_journal::{CallEvent, ChildEvent, Event, FreshFrom};
use serde_json::{Value, json};

use super::{NO_RESPONSES, all_of, chat, echoing, fork};
use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::journal::Journal;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// `a`, then `b`, which does not depend on what `a` says, and a question if it `asks`.
fn child(asks: bool) -> Value {
    let mut nodes = json!({
        "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "text": { "type": "manualInput" },
        "a": chat("a {{text}}"),
        "b": chat("b {{text}}{{#if after}}{{/if}}"),
        "result": { "type": "output" },
    });
    let mut edges = vec![
        "main.context -> a.context",
        "main.context -> b.context",
        "text.value -> a.text",
        "text.value -> b.text",
        "a.response -> b.after",
        "b.response -> result.value",
    ];
    if asks {
        nodes["ask"] = json!({ "type": "userInput", "config": { "prompt": "Go on?" } });
        nodes["c"] = chat("c{{#if answer}}{{/if}}");
        edges.extend(["b.response -> ask.after", "ask.message -> c.answer", "main.context -> c.context"]);
    }
    flow_json("child", nodes, &edges)
}

/// The child for each of two items, and a chat after them.
fn parent() -> Value {
    let sub = json!({
        "type": "subflow", "parent": "each", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" },
    });
    let nodes = json!({
        "items": { "type": "value", "config": { "value": ["x", "y"] } },
        "each": { "type": "loop", "config": { "kind": "forEach" } },
        "sub": sub,
        "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "after": chat("after{{#if all}}{{/if}}"),
        "out": { "type": "output" },
    });
    let edges = [
        "items.value -> each.items",
        "each.item -> sub.value",
        "sub.text -> each.next",
        "each.results -> after.all",
        "main.context -> after.context",
        "after.response -> out.value",
    ];
    flow_json("parent", nodes, &edges)
}

fn folder(asks: bool) -> FlowFolder {
    FlowFolder::with_files(&[("parent.flow.json", &parent()), ("child.flow.json", &child(asks))])
}

/// The child runs of a run, in the order in which they began.
fn children_of(journal: &Journal) -> Vec<RunId> {
    let started = |event: &Event| match event {
        Event::Child(_, ChildEvent::Started { run }) => Some(run.clone()),
        _ => None,
    };
    journal.events().filter_map(started).collect()
}

#[tokio::test]
async fn node_of_one_items_sub_flow_is_bought_again_with_all_that_follows() {
    let (folder, provider) = (folder(false), echoing());
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let first = app.follow(&run, NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 5);
    let children = children_of(&first);

    let request = RerunRequest { fresh: Some(all_of("b")), ..RerunRequest::of(children[1].clone()) };
    let (again, bill, sent) = fork(&app, &provider, request).await;
    assert_eq!(
        sent,
        ["b y", "after"],
        "the replies are the same, and still none is taken from the earlier run"
    );
    assert_eq!(bill.reused.calls, 3, "{bill:#?}");
    let bought = &bill.bought[0].place;
    assert_eq!((bought.subflow.as_deref(), bought.at.node.as_str()), (Some("sub"), "b"), "{bill:#?}");
    let behind: Vec<&str> = bill.behind.iter().map(|node| node.node.as_str()).collect();
    assert_eq!(behind, ["after"], "what `sub` buys has its own line: {bill:#?}");
    assert_eq!(again.output("out", "value"), first.output("out", "value"));
    assert_eq!(app.journal(&run).await, first, "the earlier run stays as it is");
    let roots = app.plait.call(ListRuns::default()).await.unwrap();
    assert_eq!(roots.len(), 2, "the whole tree is forked");
}

#[tokio::test]
async fn fork_at_an_event_of_a_sub_flow_does_again_what_came_after_it() {
    let (folder, provider) = (folder(false), echoing());
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let children = children_of(&app.follow(&run, NO_RESPONSES).await);
    let journal = app.journal(&children[0]).await;
    let is_reply_of_b = |event: &Event| matches!(event, Event::Call(at, CallEvent::ModelReplied { .. }) if at.node.as_str() == "b");
    let before = journal.events().position(is_reply_of_b).unwrap() as u64;
    let request = |at: u64| RerunRequest { at: Some(at), ..RerunRequest::of(children[0].clone()) };

    let (_, bill, sent) = fork(&app, &provider, request(before)).await;
    assert_eq!(sent, ["b x", "a y", "b y", "after"]);
    let behind: Vec<&str> = bill.behind.iter().map(|node| node.node.as_str()).collect();
    assert_eq!(
        (bill.reused.calls, bill.bought.len(), &behind[..]),
        (1, 1, &["after", "sub"][..]),
        "{bill:#?}"
    );
    let (_, bill, sent) = fork(&app, &provider, request(before + 1)).await;
    assert_eq!(
        (&sent[..], bill.reused.calls),
        (&["a y".to_owned(), "b y".to_owned(), "after".to_owned()][..], 2),
        "{bill:#?}"
    );
    let events = journal.events().count() as u64;
    for wrong in [0, events + 1] {
        let refused = app.plait.call(RerunRun(request(wrong))).await.unwrap_err();
        assert_eq!(refused.code, codes::RUN_NO_EVENT);
    }
}

#[tokio::test]
async fn fork_inside_asks_again_and_stays_fresh_after_a_restart() {
    let (folder, provider) = (folder(true), echoing());
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let first = app.follow(&run, ["yes", "yes"]).await;
    assert_eq!(first.view().outline.status, RunStatus::Finished, "{first:#?}");
    assert_eq!(provider.sent().len(), 7);
    let children = children_of(&first);
    let request = RerunRequest { fresh: Some(all_of("a")), ..RerunRequest::of(children[0].clone()) };
    let started = app.plait.call(RerunRun(request)).await.unwrap();
    let waiting = app.follow(&started.run, NO_RESPONSES).await;
    assert_eq!(waiting.view().outline.status, RunStatus::Waiting, "the answer is not taken over");
    assert_eq!(provider.sent().len(), 9);

    let app = app.reopen(&provider).await;
    let ended = app.follow(&started.run, ["yes"]).await;
    assert_eq!(ended.view().outline.status, RunStatus::Finished, "{ended:#?}");
    let sent: Vec<String> = provider.sent()[9..].iter().map(|sent| sent.last_text().to_owned()).collect();
    assert_eq!(sent, ["c", "after"], "`c` follows from `a`, and the other item does not");
}

#[tokio::test]
async fn places_that_no_sub_flow_has_are_refused() {
    let (folder, provider) = (folder(false), echoing());
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let children = children_of(&app.follow(&run, NO_RESPONSES).await);
    let inside = |node: &str, inside: FreshFrom| FreshFrom { inside: Some(Box::new(inside)), ..all_of(node) };
    let of_third = FreshFrom { epoch: Some(Epoch::from(&[2][..])), ..inside("sub", all_of("a")) };
    for (run, wrong, code) in [
        (&run, inside("sub", all_of("nobody")), codes::RUN_NO_PLACE),
        (&run, inside("after", all_of("a")), codes::RUN_NO_PLACE),
        (&run, inside("nobody", all_of("a")), codes::RUN_NO_PLACE),
        (&run, of_third, codes::RUN_NO_PLACE),
        (&children[0], all_of("nobody"), codes::RUN_NO_PLACE),
    ] {
        let request = RerunRequest { fresh: Some(wrong.clone()), ..RerunRequest::of(run.clone()) };
        assert_eq!(app.plait.call(BillRerun(request.clone())).await.unwrap_err().code, code, "{wrong:?}");
        assert_eq!(app.plait.call(RerunRun(request)).await.unwrap_err().code, code, "{wrong:?}");
    }
    let whole = app.plait.call(RerunRun(RerunRequest::of(children[0].clone()))).await.unwrap_err();
    assert_eq!(whole.code, codes::RUN_IS_CHILD);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_forks_inside_of_an_item_and_of_a_round_of_tool_calls() {
    let server = ModelServer::start(|request, _| {
        let text = last_message_text(request);
        if text == "count" {
            let arguments = json!({ "expression": "6*7" });
            return ServerReply::Tool { name: "calculator".to_owned(), arguments };
        }
        ServerReply::Text(format!("re: {text}"))
    })
    .await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let folder = folder(false);
    let run = home.plait(&["run", &folder.file("parent.flow.json")]);
    assert_eq!((run.code, server.calls().len()), (0, 5), "{run:#?}");
    let from = home.plait(&["rerun", "last", "--from", "sub#1/b", "--yes"]);
    assert_eq!((from.code, &from.out), (0, &run.out), "{from:#?}");
    assert!(from.err.contains("Buys 1 model call (`sub/b`)"), "{from:#?}");
    let sent: Vec<String> = server.calls()[5..].iter().map(last_message_text).collect();
    assert_eq!(sent, ["b y", "after"]);
    let all = home.plait(&["rerun", "last", "--from", "sub/b", "--yes"]);
    assert_eq!((all.code, server.calls().len()), (0, 10), "`b` in both items, and what follows: {all:#?}");
    let alone = home.plait(&["rerun", "last", "--fresh", "sub#1/b", "--yes"]);
    assert_eq!((alone.code, &alone.out), (0, &run.out), "{alone:#?}");
    let sent: Vec<String> = server.calls()[10..].iter().map(last_message_text).collect();
    assert_eq!(sent, ["b y"], "what follows asks the same as before");
    let wrong = home.plait(&["rerun", "last", "--from", "sub/three"]);
    assert!(wrong.err.contains("run.no_place"), "{wrong:#?}");

    let nodes = json!({
        "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "tools": { "type": "tools", "config": { "tools": ["calculator"] } },
        "sum": chat("count"),
        "out": { "type": "output" },
    });
    let edges = ["main.context -> sum.context", "tools.tools -> sum.tools", "sum.response -> out.value"];
    let file = home.file("sum.flow.json", &flow_json("sum", nodes, &edges).to_string());
    let run = home.plait(&["run", &file, "--json"]);
    assert_eq!((run.code, server.calls().len()), (0, 13), "{run:#?}");
    let events: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let result = events.iter().find(|event| event["type"] == "tool.finished").unwrap();
    let at = (result["seq"].as_u64().unwrap() + 1).to_string();
    let round = home.plait(&["rerun", "last", "--at", &at, "--yes"]);
    assert_eq!((round.code, server.calls().len()), (0, 14), "the second round alone is bought: {round:#?}");
    assert!(round.err.contains("Reuses 1 reply") && round.err.contains("1 result"), "{round:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fork_inside_goes_on_after_its_parent_was_removed() {
    let server = ModelServer::start(|_, call| ServerReply::Text(format!("re {call}"))).await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let folder = folder(true);
    let run = home.plait(&[
        "run",
        &folder.file("parent.flow.json"),
        "--answer",
        "one",
        "--answer",
        "two",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{run:#?}");
    let events = run.events();
    let root = events[0]["run"].as_str().unwrap().to_owned();
    let child = events.iter().find(|event| event["type"] == "child.started").unwrap();
    let child = child["run"].as_str().unwrap().to_owned();
    let of_child = home.plait(&["runs", "show", &child, "--json"]).events();
    let asked = of_child.iter().find(|event| event["type"] == "run.paused").unwrap();
    let at = asked["seq"].as_u64().unwrap().to_string();
    let fork = home.plait(&["rerun", &child, "--at", &at, "--yes", "--json"]);
    assert_eq!(fork.code, 3, "{fork:#?}");
    let removed = home.plait(&["runs", "rm", &root]);
    assert_eq!(removed.code, 0, "{removed:#?}");
    let resumed = home.plait(&["resume", "last", "--answer", "three", "--answer", "four", "--json"]);
    assert_eq!((resumed.code, resumed.last_type().as_str()), (0, "run.finished"), "{resumed:#?}");
}
