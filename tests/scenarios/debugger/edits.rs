//! What a person edits at a stop, through the store and the binary, against a model server that counts: the next request has it, what was
//! journaled stays, and a rerun does not repeat it.

use serde_json::{Value, json};

use plait_api::runs::{EditHistory, FindHeld, ForceWay, GoOn, HeldHistory, RerunRequest, RerunRun, ShowRun};
use plait_api::{Options, Plait};
use plait_core::id::RunId;
use plait_journal::DebugVerb;
use plait_llm::context::MessageEdit;

use super::count;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// A chat, a switch by its reply, and a chat on each of two ways.
fn routed() -> Value {
    let cases = json!([{ "name": "good", "when": "value.contains('2')" }]);
    let prompt = |text: &str| json!({ "type": "chat", "config": { "prompt": text, "skipHistory": true } });
    flow_json(
        "routed",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "ask": prompt("What is one and one?"),
            "way": { "type": "switch", "config": { "cases": cases } },
            "praise": prompt("Praise {{reply}}"),
            "blame": prompt("Blame {{reply}}"),
            "praised": { "type": "output" },
            "blamed": { "type": "output" },
        }),
        &[
            "start.context -> ask.context",
            "start.context -> praise.context",
            "start.context -> blame.context",
            "ask.response -> way.value",
            "way.good -> praise.reply",
            "way.default -> blame.reply",
            "praise.response -> praised.value",
            "blame.response -> blamed.value",
        ],
    )
}

/// Numbers its replies.
pub(super) async fn server() -> ModelServer {
    ModelServer::start(|request, before| {
        let number = before + 1;
        ServerReply::Text(format!("{number} to {}", last_message_text(request)))
    })
    .await
}

/// Runs the flow until its stop, in a process that ends there. Gives what is in the journal.
pub(super) async fn stopped_at(
    home: &Home,
    folder: &FlowFolder,
    server: &ModelServer,
    place: &str,
) -> Vec<Value> {
    home.set_provider_url(&server.url).await;
    let stopped = home.plait(&["run", &folder.file("routed.flow.json"), "--break", place, "--json"]);
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    // Partial text is in no journal.
    stopped.events().into_iter().filter(|event| event["seq"].is_u64()).collect()
}

pub(super) async fn go(plait: &Plait, run: &RunId, verb: DebugVerb) {
    let held = plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0);
    plait.call(GoOn { run: held.run, verb, stop: held.stop.number }).await.unwrap();
    plait.runs().idle_tree(run).await;
}

pub(super) fn run_of(events: &[Value]) -> RunId {
    serde_json::from_value(events[0]["run"].clone()).unwrap()
}

pub(super) async fn journal(home: &Home, run: &RunId) -> Vec<Value> {
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let shown = plait.call(ShowRun { run: run.clone() }).await.unwrap();
    plait.close().await.unwrap();
    shown.entries.iter().map(|entry| serde_json::to_value(entry).unwrap()).collect()
}

/// Runs the recorded flow again. Gives how many calls that made, and the events.
pub(super) async fn rerun(home: &Home, server: &ModelServer, run: &RunId) -> (usize, Vec<Value>) {
    let before = server.calls().len();
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let grants = crate::support::app::all_grants();
    let request = RerunRequest { grants, ..RerunRequest::of(run.clone()) };
    let started = plait.call(RerunRun(request)).await.unwrap();
    plait.runs().idle_tree(&started.run).await;
    let shown = plait.call(ShowRun { run: started.run }).await.unwrap();
    plait.close().await.unwrap();
    drop(plait);
    let events = shown.entries.iter().map(|entry| serde_json::to_value(entry).unwrap()).collect();
    (server.calls().len() - before, events)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_that_is_run_again_is_bought_again_and_a_rerun_takes_what_the_run_went_on_with() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &routed())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "ask:after").await;
    let run = run_of(&before);
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    go(&plait, &run, DebugVerb::Retry).await;
    let held = plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0);
    assert_eq!(held.stop.at.unwrap().attempt, 2);
    assert_eq!(held.stop.values["response"], json!("2 to What is one and one?").into());
    plait.close().await.unwrap();
    drop(plait);
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("3 to Praise 2 to"), "{done:#?}");
    let events = journal(&home, &run).await;
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    let retrying = events.iter().find(|event| event["type"] == "node.retrying").unwrap();
    assert_eq!(retrying["dropped"]["response"], "1 to What is one and one?");
    assert_eq!(count(&events, "model.replied", "ask"), 2);
    assert_eq!(server.calls().len(), 3);
    let (bought, again) = rerun(&home, &server, &run).await;
    assert_eq!((bought, count(&again, "node.retrying", "ask")), (0, 0));
    assert_eq!(again.last().unwrap()["outputs"], events.last().unwrap()["outputs"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn skipped_node_sends_nothing_and_a_rerun_does_not_skip_it() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &routed())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "ask").await;
    let run = run_of(&before);
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    go(&plait, &run, DebugVerb::Skip).await;
    plait.close().await.unwrap();
    drop(plait);
    let events = journal(&home, &run).await;
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    let skipped = events.iter().find(|event| event["type"] == "node.skipped").unwrap();
    assert_eq!((&skipped["node"], &skipped["reason"]), (&json!("ask"), &json!("byPerson")));
    assert_eq!(events.last().unwrap()["type"], "run.finished");
    assert_eq!(server.calls().len(), 0);
    assert_eq!(rerun(&home, &server, &run).await.0, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forced_way_survives_the_process_and_a_rerun_decides_for_itself() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &routed())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "way:after").await;
    let run = run_of(&before);
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let held = plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0);
    assert_eq!(held.stop.ways, ["good".into()]);
    let force = ForceWay { run: run.clone(), stop: held.stop.number, port: "good".into() };
    plait.call(force).await.unwrap();
    plait.close().await.unwrap();
    drop(plait);
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("2 to Praise 1 to"), "{done:#?}");
    let events = journal(&home, &run).await;
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    let rerouted = events.iter().find(|event| event["type"] == "value.rerouted").unwrap();
    assert_eq!((&rerouted["from"], &rerouted["to"]), (&json!("default"), &json!("good")));
    assert_eq!(count(&events, "node.skipped", "blame"), 1);
    let (bought, again) = rerun(&home, &server, &run).await;
    assert_eq!((bought, count(&again, "node.finished", "blame")), (1, 1));
}

/// Two chats in one context.
fn talk() -> Value {
    flow_json(
        "talk",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "one": { "type": "value", "config": { "value": "One?" } },
            "two": { "type": "value", "config": { "value": "Two?" } },
            "ask": { "type": "chat" },
            "again": { "type": "chat" },
            "out": { "type": "output" },
        }),
        &[
            "start.context -> ask.context",
            "one.value -> ask.message",
            "ask.context -> again.context",
            "two.value -> again.message",
            "again.response -> out.value",
        ],
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edited_history_is_what_the_server_gets_and_a_rerun_gets_what_was_said() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &talk())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "again").await;
    let run = run_of(&before);
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let held = plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0);
    let history =
        plait.call(HeldHistory { run: run.clone(), stop: None }).await.unwrap().unwrap().message_history;
    let texts: Vec<String> = history.iter().map(|message| message.content.text()).collect();
    assert_eq!(texts, ["One?", "1 to One?"]);
    let edit = |index: usize, text: Option<&str>| {
        let edit = MessageEdit { message: history[index].id.clone(), text: text.map(str::to_owned) };
        plait.call(EditHistory { run: run.clone(), stop: held.stop.number, edits: vec![edit] })
    };
    let refused = edit(0, None).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "debug.bad_history");
    edit(1, Some("Never said.")).await.unwrap();
    plait.close().await.unwrap();
    drop(plait);
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("2 to Two?"), "{done:#?}");
    let sent = server.calls().pop().unwrap();
    let sent: Vec<&Value> =
        sent["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
    assert_eq!(sent, ["One?", "Never said.", "Two?"]);
    let events = journal(&home, &run).await;
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    // A rerun gets what was said.
    assert_eq!(rerun(&home, &server, &run).await.0, 1);
    let sent = server.calls().pop().unwrap();
    assert_eq!(sent["messages"][1]["content"], "1 to One?");
}
