//! Running an edited flow again: what is asked as before is not bought, called or asked twice, wherever it stands in the flow now, and
//! the bill says so before.

use plait_api::codes;
use plait_api::runs::{BillRerun, RerunRequest, RerunRun};
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_insight::bill::Bill;
use plait_journal::view::RunStatus;
use serde_json::{Value, json};

use crate::http_tools::{Machine, WebServer};
use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, text};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

mod whole_flow;

const NO_RESPONSES: [&str; 0] = [];

fn run_of(journal: &Journal) -> RunId {
    journal.view().outline.run.unwrap()
}

/// Each reply is another one.
fn counting() -> RecordingProvider {
    RecordingProvider::with_rule(|sent, before| Ok(text(&format!("{before}: {}", sent.last_text()))))
        .with_keys_of_content()
}

async fn bill(app: &App, run: &RunId, flow: &Flow) -> Bill {
    let request = RerunRequest { flow: Some(flow.clone()), ..RerunRequest::of(run.clone()) };
    app.plait.call(BillRerun(request)).await.unwrap()
}

/// Runs `flow` as an edit of `run`: its journal, its bill, and how many calls reached the provider.
async fn rerun(app: &App, provider: &RecordingProvider, run: &RunId, flow: &Flow) -> (Journal, Bill, usize) {
    let before = provider.sent().len();
    let bill = bill(app, run, flow).await;
    assert_eq!(provider.sent().len(), before, "a bill buys nothing");
    let request = RerunRequest { flow: Some(flow.clone()), ..RerunRequest::of(run.clone()) };
    let started = app.plait.call(RerunRun(request)).await.unwrap();
    let journal = app.follow(&started.run, NO_RESPONSES).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "{journal:#?}");
    let bought = provider.sent().len() - before;
    (journal, bill, bought)
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

/// A chat about each item of a list, one with the same prompt in a chain, and a chat after both.
fn talk(items: &[&str], name: &str, last: &str) -> Flow {
    let nodes = json!({
        "list": { "type": "value", "config": { "value": items } },
        "each": { "type": "loop", "config": { "kind": "forEach", "concurrency": 4 } },
        "main": { "type": "contextStart" },
        // The loop holds no turn of theirs back.
        "other": { "type": "contextStart", "config": { "contextId": "other" } },
        "about": chat_in("each", "about {{item}}"),
        name: chat("plain"),
        "last": chat(last),
        "out": { "type": "output" },
    });
    let edges = [
        "list.value -> each.items".to_owned(),
        "each.item -> about.item".to_owned(),
        "about.response -> each.next".to_owned(),
        "main.context -> about.context".to_owned(),
        "other.context -> last.context".to_owned(),
        format!("other.context -> {name}.context"),
        format!("{name}.response -> last.plain"),
        "each.results -> last.about".to_owned(),
        "last.response -> out.value".to_owned(),
    ];
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    parse_flow(&flow_json("talk", nodes, &edges))
}

const LAST: &str = "{{plain}} and {{about}}";
/// Of all items, the number counts alone.
const ALONE: &str = "{{plain}} {{#if about}}alone{{/if}}";

#[tokio::test]
async fn renamed_node_and_equal_flow_buy_nothing() {
    let provider = counting();
    let app = App::with(&provider);
    let first = app.run(&talk(&["a", "b", "c"], "plain", LAST), NO_RESPONSES).await;
    assert_eq!(first.view().outline.status, RunStatus::Finished, "{first:#?}");
    let renamed = talk(&["a", "b", "c"], "renamed", LAST);
    let (second, bill, bought) = rerun(&app, &provider, &run_of(&first), &renamed).await;
    assert_eq!((bought, bill.bought.len(), bill.reused.calls), (0, 0, 5), "{bill:#?}");
    assert_eq!(bill.summary, "reuses 5, buys 0");
    assert_eq!(second.output("out", "value"), first.output("out", "value"));
    assert_eq!(app.journal(&run_of(&first)).await, first, "the earlier run stays as it is");
}

#[tokio::test]
async fn item_in_front_of_others_is_one_call_and_what_depends_on_it() {
    let provider = counting();
    let app = App::with(&provider);
    let items: Vec<String> = (0..20).map(|item| format!("item {item}")).collect();
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    let first = app.run(&talk(&items, "plain", ALONE), NO_RESPONSES).await;
    let more: Vec<&str> = std::iter::once("new").chain(items).collect();
    let (_, bill, bought) = rerun(&app, &provider, &run_of(&first), &talk(&more, "plain", ALONE)).await;
    // Nobody knows before whether the last one is the same.
    assert_eq!((bought, bill.bought.len(), bill.reused.calls), (1, 1, 21), "{bill:#?}");
    assert_eq!(bill.behind.len(), 1, "{bill:#?}");
    assert_eq!(provider.sent().last().unwrap().last_text(), "about new");
}

#[tokio::test]
async fn what_depends_on_a_purchase_is_named_and_not_promised() {
    let provider = counting();
    let app = App::with(&provider);
    let first = app.run(&talk(&["a", "b"], "plain", LAST), NO_RESPONSES).await;
    let (_, bill, bought) =
        rerun(&app, &provider, &run_of(&first), &talk(&["a", "b", "new"], "plain", LAST)).await;
    assert_eq!((bought, bill.bought.len(), bill.reused.calls), (2, 1, 3), "{bill:#?}");
    let behind: Vec<&str> = bill.behind.iter().map(|node| node.node.as_str()).collect();
    assert_eq!(behind, ["last"], "{bill:#?}");
}

#[tokio::test]
async fn nodes_that_a_loop_is_put_around_buy_nothing() {
    let provider = counting();
    let app = App::with(&provider);
    let chain = |is_wrapped: bool| {
        let mut nodes = json!({ "main": { "type": "contextStart" } });
        let mut edges = Vec::new();
        if is_wrapped {
            nodes["around"] = json!({ "type": "loop", "config": { "kind": "times", "times": 1 } });
        }
        for at in 0..5 {
            let name = format!("c{at}");
            let prompt = if at == 0 { "begin".to_owned() } else { "go on: {{before}}".to_owned() };
            nodes[&name] = if is_wrapped { chat_in("around", &prompt) } else { chat(&prompt) };
            edges.push(format!("main.context -> {name}.context"));
            if at > 0 {
                edges.push(format!("c{}.response -> {name}.before", at - 1));
            }
        }
        let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
        parse_flow(&flow_json("chain", nodes, &edges))
    };
    let first = app.run(&chain(false), NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 5);
    let (_, bill, bought) = rerun(&app, &provider, &run_of(&first), &chain(true)).await;
    assert_eq!((bought, bill.bought.len(), bill.reused.calls), (0, 0, 5), "{bill:#?}");
}

#[tokio::test]
async fn samples_of_one_prompt_stay_as_many() {
    let provider = counting();
    let app = App::with(&provider);
    let samples = |count: u32| {
        let nodes = json!({
            "each": { "type": "loop", "config": { "kind": "times", "times": count } },
            "main": { "type": "contextStart" },
            "sample": chat_in("each", "a number"),
            "out": { "type": "output" },
        });
        let edges =
            ["main.context -> sample.context", "sample.response -> each.next", "each.results -> out.value"];
        parse_flow(&flow_json("samples", nodes, &edges))
    };
    let first = app.run(&samples(5), NO_RESPONSES).await;
    let replies = first.output("out", "value");
    let distinct: std::collections::BTreeSet<String> =
        replies.as_array().unwrap().iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), 5);
    let (again, _, bought) = rerun(&app, &provider, &run_of(&first), &samples(5)).await;
    assert_eq!((bought, again.output("out", "value")), (0, replies.clone()));
    let (more, bill, bought) = rerun(&app, &provider, &run_of(&first), &samples(7)).await;
    assert_eq!((bought, bill.reused.calls), (2, 5), "{bill:#?}");
    assert_eq!(more.output("out", "value").as_array().unwrap()[..5], replies.as_array().unwrap()[..]);
}

#[tokio::test]
async fn answer_of_a_renamed_question_is_reused() {
    let provider = counting();
    let app = App::with(&provider);
    let asking = |name: &str| {
        let nodes = json!({
            name: { "type": "userInput", "config": { "prompt": "Who?" } },
            "main": { "type": "contextStart" },
            "hello": chat("hello {{who}}"),
        });
        let edges = [&format!("{name}.message -> hello.who"), "main.context -> hello.context"];
        parse_flow(&flow_json("asking", nodes, &edges))
    };
    let first = app.run(&asking("ask"), ["Ada"]).await;
    let (_, bill, bought) = rerun(&app, &provider, &run_of(&first), &asking("who")).await;
    assert_eq!((bought, bill.reused_answers, bill.asked.len()), (0, 1, 0), "{bill:#?}");
}

#[tokio::test]
async fn sub_flow_under_another_name_buys_nothing() {
    let child = flow_json(
        "child",
        json!({
            "text": { "type": "manualInput" },
            "main": { "type": "contextStart" },
            "twice": { "type": "json", "config": { "query": ". + ." } },
            "reply": chat("child: {{text}}"),
            "result": { "type": "output" },
        }),
        &[
            "main.context -> reply.context",
            "text.value -> twice.value",
            "twice.result -> reply.text",
            "reply.response -> result.value",
        ],
    );
    let parent = |name: &str| {
        let sub = json!({ "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } });
        let nodes = json!({ "word": { "type": "value", "config": { "value": "hi" } }, name: sub });
        flow_json("parent", nodes, &[&format!("word.value -> {name}.value")])
    };
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent("sub")), ("child.flow.json", &child)]);
    let provider = counting();
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    app.follow(&run, NO_RESPONSES).await;
    assert_eq!(provider.sent().len(), 1);
    let request = || RerunRequest {
        run: run.clone(),
        flow: Some(parse_flow(&parent("other name"))),
        path: Some(folder.path().join("parent.flow.json").display().to_string()),
        ..RerunRequest::of(run.clone())
    };
    let bill = app.plait.call(BillRerun(request())).await.unwrap();
    assert_eq!((bill.reused.calls, bill.bought.len(), bill.behind.len()), (1, 0, 0), "{bill:#?}");
    let started = app.plait.call(RerunRun(request())).await.unwrap();
    let again = app.follow(&started.run, NO_RESPONSES).await;
    assert_eq!(again.view().outline.status, RunStatus::Finished, "{again:#?}");
    assert_eq!(provider.sent().len(), 1, "the child took over the reply");
}

#[tokio::test]
async fn limits_of_the_edited_flow_hold_its_bill() {
    let child = flow_json(
        "child",
        json!({ "main": { "type": "contextStart" }, "reply": chat("child"), "result": { "type": "output" } }),
        &["main.context -> reply.context", "reply.response -> result.value"],
    );
    let parent = |limits: Value| {
        let sub = json!({ "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } });
        let nodes =
            json!({ "word": { "type": "value", "config": { "value": "hi" } }, "one": sub, "two": sub });
        let mut flow = flow_json("parent", nodes, &["word.value -> one.value", "one.text -> two.value"]);
        flow["settings"] = json!({ "limits": limits });
        flow
    };
    let folder =
        FlowFolder::with_files(&[("parent.flow.json", &parent(json!({}))), ("child.flow.json", &child)]);
    let provider = counting();
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    app.follow(&run, NO_RESPONSES).await;
    let path = Some(folder.path().join("parent.flow.json").display().to_string());
    let request = |limits: Value| RerunRequest {
        flow: Some(parse_flow(&parent(limits))),
        path: path.clone(),
        ..RerunRequest::of(run.clone())
    };
    for (limits, reused) in [(json!({ "maxRuns": 3 }), 2), (json!({ "maxRuns": 2 }), 1)] {
        let bill = app.plait.call(BillRerun(request(limits.clone()))).await.unwrap();
        assert_eq!(bill.reused.calls, reused, "{limits}: {bill:#?}");
    }
    let started = app.plait.call(RerunRun(request(json!({ "maxRuns": 2 })))).await.unwrap();
    let journal = app.follow(&started.run, NO_RESPONSES).await;
    assert_eq!(journal.view().outline.error.unwrap().error.code, codes::RUN_TOO_MANY_RUNS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_done_outside_is_not_done_again_unless_it_is_another_request() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let flow = |name: &str, path: &str| {
        let nodes = json!({
            "tea": { "type": "value", "config": { "value": "tea" } },
            "order": { "type": "httpRequest", "config": { "method": "POST", "url": server.url("/orders") } },
            name: { "type": "httpRequest", "config": { "url": server.url(path) } },
            "dice": { "type": "code", "config": { "code": "return [Math.random(), Date.now(), input];" } },
            "out": { "type": "output" },
        });
        let edges = ["tea.value -> order.body", "order.status -> dice.input", "dice.result -> out.value"];
        flow_json("order", nodes, &edges).to_string()
    };
    let file = machine.write("order.flow.json", &flow("look", "/menu"));
    let allowed = format!("host=127.0.0.1:{}", server.port);
    let run = machine.plait(&["run", &file, "--allow", &allowed]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert_eq!(server.lines().len(), 2);
    machine.write("order.flow.json", &flow("see", "/menu"));
    let again = machine.plait(&["rerun", "last", "--flow", &file, "--allow", &allowed]);
    assert_eq!((again.code, &again.out), (0, &run.out), "the same random number: {again:#?}");
    assert_eq!(server.lines().len(), 2, "{:?}", server.lines());
    assert!(again.err.starts_with("Bill: reuses 0, buys 0.\nReuses 3 results.\n"), "{again:#?}");

    // Its arguments are equal, and its URL is not.
    machine.write("order.flow.json", &flow("see", "/other"));
    let refused = machine.plait(&["rerun", "last", "--flow", &file, "--allow", &allowed]);
    assert_eq!(refused.code, 2, "{refused:#?}");
    assert!(refused.err.contains("run.not_confirmed"), "{refused:#?}");
    assert!(refused.err.contains("Makes 1 tool call: http_request in `see`."), "{refused:#?}");
    let other = machine.plait(&["rerun", "last", "--flow", &file, "--yes", "--allow", &allowed]);
    assert_eq!(other.code, 0, "{other:#?}");
    assert_eq!(server.lines()[2..], ["GET /other"], "the order is not repeated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_bills_and_repeats_an_edited_flow() {
    let server =
        ModelServer::start(|request, _| ServerReply::Text(format!("re: {}", last_message_text(request))))
            .await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let flow = |second: &str| {
        let limited = |prompt: &str| {
            let mut chat = chat(prompt);
            chat["config"]["maxTokens"] = 10.into();
            chat
        };
        let nodes = json!({
            "main": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "one": limited("first"),
            "two": limited(second),
            "out": { "type": "output" },
        });
        let edges = [
            "main.context -> one.context",
            "main.context -> two.context",
            "one.response -> two.one",
            "two.response -> out.value",
        ];
        flow_json("two", nodes, &edges).to_string()
    };
    let file = home.file("two.flow.json", &flow("{{one}} second"));
    let run = home.plait(&["run", &file]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert_eq!(server.calls().len(), 2);

    home.file("two.flow.json", &flow("{{one}} other"));
    let bill = home.plait(&["rerun", "last", "--flow", &file, "--bill"]);
    assert_eq!(bill.code, 0, "{bill:#?}");
    assert!(bill.err.starts_with("Bill: reuses 1, buys 1, at most $0.00"), "{bill:#?}");
    assert!(!bill.err.contains("unknown"), "{bill:#?}");
    assert_eq!(server.calls().len(), 2);
    let again = home.plait(&["rerun", "last", "--flow", &file, "--yes"]);
    assert_eq!((again.code, again.out.trim()), (0, "re: re: first other"), "{again:#?}");
    assert_eq!(server.calls().len(), 3);
    // What was bought once is there for all later ones.
    let third = home.plait(&["rerun", "last", "--flow", &file]);
    assert_eq!((third.code, third.out.trim()), (0, "re: re: first other"), "{third:#?}");
    assert_eq!(server.calls().len(), 3);
}

#[tokio::test]
async fn a_run_that_is_active_is_not_repeated() {
    let provider = counting();
    let app = App::with(&provider);
    let nodes = json!({ "ask": { "type": "userInput" } });
    let waiting = app.run(&parse_flow(&flow_json("ask", nodes, &[])), NO_RESPONSES).await;
    let request = RerunRequest::of(run_of(&waiting));
    let refused = app.plait.call(RerunRun(request)).await.unwrap_err();
    assert_eq!(refused.code, codes::RUN_BUSY);
}
