//! The debugger through the binary, against a model server that counts: what is in flight ends and is paid once, a stop survives the
//! command that reached it, and sub-flows stand still with the run that they are part of.

mod deep_stops;
mod edits;
mod events;
mod several_stops;
mod trials;
mod watches;

use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use serde_json::{Value, json};

use plait_api::runs::{FindHeld, GoOn, ResumeRun, SetBreakpoints, ShowRun, StartRun, StopRun};
use plait_core::flow;
use plait_core::id::RunId;
use plait_journal::{Breakpoint, DebugVerb, StopScope};

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply};

/// A chat that takes a while, beside a short branch with a place to stop at.
fn two_branches() -> Value {
    flow_json(
        "branches",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "say": { "type": "value", "config": { "value": "Hello" } },
            "slow": { "type": "chat" },
            "reply": { "type": "output" },
            "soon": { "type": "delay", "config": { "ms": 50 } },
            "short": { "type": "text", "config": { "template": "[{{value}}]" } },
            "done": { "type": "output" },
        }),
        &[
            "start.context -> slow.context",
            "say.value -> slow.message",
            "slow.response -> reply.value",
            "say.value -> soon.in",
            "soon.out -> short.value",
            "short.text -> done.value",
        ],
    )
}

async fn slow_server() -> ModelServer {
    ModelServer::start(|_, _| {
        ServerReply::Slow(Duration::from_millis(60), "One two three four five.".to_owned())
    })
    .await
}

fn count(events: &[Value], kind: &str, node: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind && event["node"] == node).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_in_flight_ends_is_paid_once_and_stays_undelivered() {
    let server = slow_server().await;
    let folder = FlowFolder::with_files(&[("branches.flow.json", &two_branches())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let stopped = home.plait(&["run", &folder.file("branches.flow.json"), "--break", "short", "--json"]);
    let events = stopped.events();
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    assert!(
        stopped.err.contains("before `short`, at breakpoint `short:before` [debug.stopped]"),
        "{}",
        stopped.err
    );
    let stop = events.iter().position(|event| event["type"] == "debug.stopped").unwrap();
    assert_eq!(events[stop]["point"]["node"], "short");
    // The reply came after the stop and is in the journal; its node is not done, and nothing started.
    assert_eq!(count(&events[stop..], "model.replied", "slow"), 1);
    assert_eq!(count(&events, "node.finished", "slow"), 0);
    let started = events[stop..].iter().filter(|event| event["type"] == "node.started").count();
    assert_eq!(started, 0);
    assert_eq!(home.plait(&["runs", "list", "--json"]).out.matches("\"stopped\"").count(), 1);
    let done = home.plait(&["resume", "last"]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert!(done.out.contains("[Hello]") && done.out.contains("One two three four five."), "{}", done.out);
    assert_eq!(server.calls().len(), 1, "it was paid once");
}

/// A cycle of two chats that goes on until a critic is content, beside a slow chat.
fn chat_cycle_beside_a_slow_branch() -> Value {
    let context = |id: &str| json!({ "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o", "contextId": id } });
    let cases = json!([{ "name": "good", "when": "value.startsWith(\"GOOD\")" }]);
    flow_json(
        "cycle",
        json!({
            "product": { "type": "value", "config": { "value": "umbrellas" } },
            "writer": context("writer"),
            "draft": { "type": "chat", "config": { "prompt": "{{#if critique}}Improve{{else}}Write about {{product}}{{/if}}" } },
            "reader": context("reader"),
            "critic": { "type": "chat", "config": { "prompt": "Judge {{slogan}}" }, "limits": { "maxEpochs": 5 } },
            "verdict": { "type": "switch", "config": { "cases": cases } },
            "remark": { "type": "output" },
            "aside": context("aside"),
            "slow": { "type": "chat", "config": { "prompt": "slow" } },
            "next": { "type": "chat", "config": { "prompt": "next {{said}}" } },
            "reply": { "type": "output" },
        }),
        &[
            "product.value -> draft.product",
            "writer.context -> draft.context",
            "reader.context -> critic.context",
            "draft.response -> critic.slogan",
            "critic.response -> verdict.value",
            "verdict.default -> draft.critique",
            "verdict.good -> remark.value",
            "aside.context -> slow.context",
            "slow.context -> next.context",
            "slow.response -> next.said",
            "next.response -> reply.value",
        ],
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_in_a_chat_cycle_lets_the_call_of_a_slow_branch_end_undelivered() {
    let server = ModelServer::start(|request, _| {
        let text = crate::support::server::last_message_text(request);
        match text.split(' ').next() {
            Some("Write") => ServerReply::Text("first".to_owned()),
            Some("Improve") => ServerReply::Text("second".to_owned()),
            Some("Judge") if text.ends_with("first") => ServerReply::Text("BAD".to_owned()),
            Some("Judge") => ServerReply::Text("GOOD".to_owned()),
            Some("slow") => {
                ServerReply::Slow(Duration::from_millis(200), "One two three four five.".to_owned())
            }
            _ => ServerReply::Text("next".to_owned()),
        }
    })
    .await;
    let folder = FlowFolder::with_files(&[("cycle.flow.json", &chat_cycle_beside_a_slow_branch())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let stopped = home.plait(&[
        "run",
        &folder.file("cycle.flow.json"),
        "--break",
        "draft:when=iteration == 1",
        "--json",
    ]);
    let events = stopped.events();
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    let stop = events.iter().position(|event| event["type"] == "debug.stopped").unwrap();
    assert_eq!(
        (&events[stop]["point"]["node"], &events[stop]["point"]["epoch"]),
        (&json!("draft"), &json!([1]))
    );
    let started = events[stop..].iter().filter(|event| event["type"] == "node.started").count();
    assert_eq!(started, 0, "nothing new starts");
    assert_eq!(count(&events[stop..], "model.replied", "slow"), 1, "the call in flight ends");
    assert_eq!(count(&events, "node.finished", "slow"), 0, "and stays undelivered");
    assert_eq!(server.calls().len(), 3, "write, judge and slow");
    let done = home.plait(&["resume", "last"]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert!(done.out.contains("GOOD") && done.out.contains("next"), "{}", done.out);
    assert_eq!(server.calls().len(), 6, "the slow call is paid once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_is_killed_at_a_stop_stands_there_with_its_breakpoints() {
    let server = slow_server().await;
    let folder = FlowFolder::with_files(&[("branches.flow.json", &two_branches())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("branches.flow.json");
    let mut child = home.spawn(&["run", &file, "--break", "short", "--break", "reply", "--json"]);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let stopped = lines.map_while(Result::ok).any(|line| line.contains("debug.stopped"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(stopped);
    assert_eq!(home.plait(&["runs", "list", "--json"]).out.matches("\"stopped\"").count(), 1);
    let next = home.plait(&["resume", "last"]);
    assert!(next.code == 4 && next.err.contains("before `reply`, at breakpoint `reply:before`"), "{next:#?}");
    let done = home.plait(&["resume", "last"]);
    assert_eq!(done.code, 0, "{done:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoint_can_hold_its_branch_alone() {
    let server = slow_server().await;
    let folder = FlowFolder::with_files(&[("branches.flow.json", &two_branches())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("branches.flow.json");
    let stopped = home.plait(&["run", &file, "--break", "short:branch", "--json"]);
    let events = stopped.events();
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    let expected =
        "before `short`, at breakpoint `short:before:branch`, which holds this branch alone [debug.stopped]";
    assert!(stopped.err.contains(expected), "{}", stopped.err);
    let stop = events.iter().position(|event| event["type"] == "debug.stopped").unwrap();
    assert_eq!(events[stop]["scope"], "branch");
    // The reply came after the stop, and its branch has ended.
    assert_eq!(count(&events[stop..], "node.finished", "reply"), 1);
    assert_eq!(count(&events, "node.started", "short") + count(&events, "node.started", "done"), 0);
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("[Hello]"), "{done:#?}");
    assert_eq!(server.calls().len(), 1, "it was paid once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timeout_stands_still_at_a_stop() {
    let server = slow_server().await;
    let mut flow = two_branches();
    // At the stop, which comes before its end, it does not go on.
    flow["nodes"]["wait"] = json!({ "type": "delay", "config": { "ms": 400 } });
    flow["edges"]["wait"] =
        json!({ "source": "say", "sourceOutput": "value", "target": "wait", "targetInput": "in" });
    let folder = FlowFolder::with_files(&[("branches.flow.json", &flow)]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let stopped = home.plait(&["run", &folder.file("branches.flow.json"), "--break", "short", "--json"]);
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    assert_eq!(count(&stopped.events(), "node.finished", "wait"), 0, "time does not pass at a stop");
    assert_eq!(home.plait(&["resume", "last"]).code, 0);
}

/// A flow that runs another one, beside a branch of its own.
fn parent() -> Value {
    let config = json!({ "file": "child.flow.json", "inputSource": "mapping" });
    flow_json(
        "parent",
        json!({
            "in": { "type": "subflow", "config": config },
            "go": { "type": "value", "config": { "value": 1 } },
            "wait": { "type": "delay", "config": { "ms": 300 } },
            "beside": { "type": "text", "config": { "template": "beside" } },
            "result": { "type": "output" },
        }),
        &["go.value -> wait.in", "wait.out -> beside.after", "in.text -> result.value"],
    )
}

fn child() -> Value {
    flow_json(
        "child",
        json!({
            "word": { "type": "value", "config": { "value": "inside" } },
            "text": { "type": "text", "config": { "template": "<{{value}}>" } },
            "out": { "type": "output" },
        }),
        &["word.value -> text.value", "text.text -> out.value"],
    )
}

#[test]
fn breakpoint_in_a_sub_flow_holds_the_whole_tree() {
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent()), ("child.flow.json", &child())]);
    let home = Home::default();
    let stopped =
        home.plait(&["run", &folder.file("parent.flow.json"), "--break", "in/text:after", "--json"]);
    let events = stopped.events();
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    let stop = events.iter().find(|event| event["type"] == "debug.stopped").unwrap();
    assert_eq!(stop["cause"]["kind"], "elsewhere");
    assert_eq!(count(&events, "node.started", "beside"), 0, "its parent stands still as well");
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("<inside>"), "{done:#?}");
}

#[test]
fn branch_that_is_held_in_a_sub_flow_is_found_from_the_root() {
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent()), ("child.flow.json", &child())]);
    let home = Home::default();
    let file = folder.file("parent.flow.json");
    let stopped = home.plait(&["run", &file, "--break", "in/text:after:branch", "--json"]);
    let events = stopped.events();
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    let stop = events.iter().find(|event| event["type"] == "debug.stopped").unwrap();
    assert_eq!((&stop["cause"]["kind"], &stop["scope"]), (&json!("elsewhere"), &json!("branch")));
    assert_eq!(count(&events, "node.finished", "beside"), 1, "what does not need the sub-flow goes on");
    assert_eq!(count(&events, "node.finished", "in"), 0);
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("<inside>"), "{done:#?}");
}

#[test]
fn branch_that_is_held_two_levels_below_goes_on_from_the_root() {
    let nested = |file: &str| {
        let config = json!({ "file": file, "inputSource": "mapping" });
        let nodes = json!({ "in": { "type": "subflow", "config": config }, "result": { "type": "output" } });
        flow_json("nested", nodes, &["in.text -> result.value"])
    };
    let folder = FlowFolder::with_files(&[
        ("top.flow.json", &nested("middle.flow.json")),
        ("middle.flow.json", &nested("child.flow.json")),
        ("child.flow.json", &child()),
    ]);
    let home = Home::default();
    let file = folder.file("top.flow.json");
    let stopped = home.plait(&["run", &file, "--break", "in/in/text:after:branch", "--json"]);
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let plait = plait_api::Plait::open(plait_api::Options::new(home.path(), plait_app::parts())).unwrap();
        let root: RunId = serde_json::from_value(stopped.events()[0]["run"].clone()).unwrap();
        let shown = plait.call(ShowRun { run: root.clone() }).await.unwrap();
        let stop = plait_journal::view::RunOutline::of(&shown.entries).stops[0].number;
        plait.call(ResumeRun { run: root.clone() }).await.unwrap();
        plait.runs().idle_tree(&root).await;
        plait.call(GoOn { run: root.clone(), verb: DebugVerb::Continue, stop }).await.unwrap();
        plait.runs().idle_tree(&root).await;
        let shown = plait.call(ShowRun { run: root }).await.unwrap();
        let last = serde_json::to_value(shown.entries.last().unwrap()).unwrap();
        assert_eq!(
            (&last["type"], &last["outputs"]["result"]["value"]),
            (&json!("run.finished"), &json!("<inside>"))
        );
        plait.close().await.unwrap();
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn branch_of_a_node_that_runs_is_paused_alone_and_its_call_is_paid_once() {
    let server = slow_server().await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let plait = plait_api::Plait::open(plait_api::Options::new(home.path(), plait_app::parts())).unwrap();
    let request = plait_api::runs::RunRequest {
        flow: flow::read(&two_branches().to_string()).unwrap(),
        grants: crate::support::app::all_grants(),
        ..Default::default()
    };
    let run = plait.call(StartRun(request)).await.unwrap().run;
    let pause = |node: &str| StopRun { run: run.clone(), node: Some(node.into()), epoch: None };
    let refused = plait.call(pause("reply")).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "debug.cannot_pause");
    let mut tries = 0;
    // It may not have begun yet.
    while let Err(error) = plait.call(pause("slow")).await {
        tries += 1;
        assert!(error.code.as_str() == "debug.cannot_pause" && tries < 10_000, "{error:?}");
        tokio::task::yield_now().await;
    }
    assert_eq!(plait.call(pause("slow")).await.unwrap_err().code.as_str(), "debug.cannot_pause");
    plait.runs().idle_tree(&run).await;
    let events = |shown: plait_api::runs::RunDetail| -> Vec<Value> {
        shown.entries.iter().map(|entry| serde_json::to_value(entry).unwrap()).collect()
    };
    let before = events(plait.call(ShowRun { run: run.clone() }).await.unwrap());
    assert_eq!(count(&before, "node.finished", "done"), 1, "the other branch ends");
    assert_eq!((count(&before, "model.replied", "slow"), count(&before, "node.finished", "slow")), (1, 0));
    let held = plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0).stop;
    assert_eq!(held.scope, StopScope::Branch);
    assert!(held.values.contains_key("response"), "it can be looked at and changed: {held:?}");
    // Another process finds the same stop, and goes on from it.
    plait.close().await.unwrap();
    drop(plait);
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("One two three"), "{done:#?}");
    assert_eq!(server.calls().len(), 1, "it is paid once");
}

/// A run tree at which a person debugs.
struct Tree<'a> {
    app: &'a App,
    root: RunId,
}

impl<'a> Tree<'a> {
    /// Starts the parent in the folder, with a breakpoint before the node that runs the child.
    async fn start(app: &'a App, folder: &FlowFolder) -> Self {
        let path = folder.file("parent.flow.json");
        let request = plait_api::runs::RunRequest {
            flow: flow::read(&std::fs::read_to_string(&path).unwrap()).unwrap(),
            path: Some(path),
            grants: crate::support::app::all_grants(),
            breakpoints: vec![breakpoint(&[], "in")],
            ..Default::default()
        };
        let root = app.plait.call(plait_api::runs::StartRun(request)).await.unwrap().run;
        Self { app, root }
    }

    /// Where it stands still, as `flow: node side`; nothing if it has ended.
    async fn place(&self) -> Option<String> {
        let idle = self.app.plait.runs().idle_tree(&self.root).await;
        let held = self.app.plait.call(FindHeld { run: self.root.clone() }).await.unwrap();
        let held = held.into_iter().next().filter(|_| idle.is_some())?;
        let flow = if held.run == self.root { "parent" } else { "child" };
        let place =
            held.stop.at.map_or("nowhere".to_owned(), |at| format!("{} {:?}", at.activation(), at.side));
        Some(format!("{flow}: {place}"))
    }

    async fn go(&self, verb: DebugVerb) -> Option<String> {
        let held = self.app.plait.call(FindHeld { run: self.root.clone() }).await.unwrap().remove(0);
        self.app.plait.call(GoOn { run: held.run, verb, stop: held.stop.number }).await.unwrap();
        self.place().await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_lead_over_into_and_out_of_a_sub_flow() {
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent()), ("child.flow.json", &child())]);
    let walk = async |verbs: &[DebugVerb]| {
        let app = App::offline();
        let tree = Tree::start(&app, &folder).await;
        let mut places = vec![tree.place().await];
        for verb in verbs {
            places.push(tree.go(*verb).await);
        }
        let places: Vec<String> =
            places.into_iter().map(|place| place.unwrap_or("ended".to_owned())).collect();
        app.close().await;
        places
    };
    assert_eq!(walk(&[DebugVerb::Over]).await, ["parent: in Before", "parent: result Before"]);
    assert_eq!(
        walk(&[DebugVerb::Into, DebugVerb::Over, DebugVerb::Out]).await,
        ["parent: in Before", "child: word Before", "child: text Before", "parent: in After"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoints_that_are_set_while_a_tree_runs_hold_in_its_sub_flows() {
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent()), ("child.flow.json", &child())]);
    let app = App::offline();
    let tree = Tree::start(&app, &folder).await;
    assert_eq!(tree.place().await.as_deref(), Some("parent: in Before"));
    let breakpoints = vec![breakpoint(&["in"], "out")];
    app.plait.call(SetBreakpoints { run: tree.root.clone(), breakpoints }).await.unwrap();
    assert_eq!(tree.go(DebugVerb::Continue).await.as_deref(), Some("child: out Before"));
    assert_eq!(tree.go(DebugVerb::Continue).await, None, "it ends");
    app.close().await;
}

fn breakpoint(path: &[&str], node: &str) -> Breakpoint {
    Breakpoint {
        id: node.to_owned(),
        path: path.iter().map(|node| (*node).into()).collect(),
        node: Some(node.into()),
        ..Breakpoint::default()
    }
}

#[test]
fn text_of_a_breakpoint_is_noted_and_what_can_hold_nothing_is_refused() {
    let folder = FlowFolder::with_files(&[("child.flow.json", &child())]);
    let home = Home::default();
    let file = folder.file("child.flow.json");
    let logged = home.plait(&["run", &file, "--break", "text:log=got {{value}}"]);
    assert!(logged.code == 0 && logged.err.contains("got inside"), "{logged:#?}");
    let unknown = home.plait(&["run", &file, "--break", "nobody"]);
    assert!(unknown.code == 2 && unknown.err.contains("debug.unknown_node"), "{unknown:#?}");
    let bad = home.plait(&["run", &file, "--break", "text:when=value =="]);
    assert!(bad.code == 2 && bad.err.contains("debug.bad_breakpoint"), "{bad:#?}");
}
