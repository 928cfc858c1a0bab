//! Configs that a person tries at a stop, through the store and the binary, against a model server that counts: the next request has
//! the config exactly, what began before keeps its own, and a rerun takes the trial as an edit of the flow.

use serde_json::{Map, Value, json};

use plait_api::runs::{DropTrials, FindHeld, ShowNodeConfig, ShowRun, TryConfig};
use plait_api::{Options, Plait};
use plait_core::id::RunId;
use plait_journal::view::RunView;

use super::edits::{journal, rerun, run_of, server, stopped_at};
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, last_message_text};

/// Two chats, one after the other.
fn chain() -> Value {
    let prompt = |text: &str| json!({ "type": "chat", "config": { "prompt": text, "skipHistory": true } });
    flow_json(
        "routed",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "ask": prompt("What is one and one?"),
            "praise": prompt("Praise {{reply}}"),
            "out": { "type": "output" },
        }),
        &[
            "start.context -> ask.context",
            "start.context -> praise.context",
            "ask.response -> praise.reply",
            "praise.response -> out.value",
        ],
    )
}

/// A chat in a loop of two iterations.
fn repeated() -> Value {
    flow_json(
        "routed",
        json!({
            "each": { "type": "loop", "config": { "kind": "times", "times": 2 } },
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "ask": { "type": "chat", "parent": "each", "config": { "prompt": "Old?", "skipHistory": true } },
            "out": { "type": "output" },
        }),
        &["start.context -> ask.context", "ask.response -> each.next", "each.results -> out.value"],
    )
}

fn config(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Tries a config on a node of the run that stands still. Gives the code of the error if it is refused.
async fn try_config(plait: &Plait, run: &RunId, node: &str, value: &Value) -> Result<(), String> {
    let held = plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0);
    let tried = TryConfig { run: held.run, stop: held.stop.number, node: node.into(), config: config(value) };
    plait.call(tried).await.map_err(|error| error.code.to_string())
}

fn sent(server: &ModelServer) -> Vec<String> {
    server.calls().iter().map(last_message_text).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tried_config_is_what_the_server_gets_and_a_rerun_takes_it_as_an_edit() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &chain())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "ask:after").await;
    let run = run_of(&before);
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let bad = try_config(&plait, &run, "praise", &json!({ "prompt": 7 })).await;
    assert_eq!(bad, Err("flow.invalid".to_owned()));
    let other_ports = json!({ "prompt": "{{reply}} and {{more}}" });
    assert!(try_config(&plait, &run, "praise", &other_ports).await.is_err(), "`more` has no value");
    assert_eq!(try_config(&plait, &run, "nobody", &json!({})).await, Err("debug.unknown_node".to_owned()));
    assert_eq!(plait.call(FindHeld { run: run.clone() }).await.unwrap().len(), 1, "it stands still");
    let good = json!({ "prompt": "Blame {{reply}}", "skipHistory": true });
    try_config(&plait, &run, "praise", &good).await.unwrap();
    let node = "praise".into();
    let shown = plait.call(ShowNodeConfig { run: run.clone(), node }).await.unwrap();
    assert_eq!(shown.config, config(&good));
    plait.close().await.unwrap();
    drop(plait);
    // Another process goes on.
    let done = home.plait(&["resume", "last"]);
    assert!(done.code == 0 && done.out.contains("2 to Blame 1 to"), "{done:#?}");
    assert_eq!(sent(&server), ["What is one and one?", "Blame 1 to What is one and one?"]);
    let events = journal(&home, &run).await;
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    let made = events.iter().find(|event| event["type"] == "trial.made").unwrap();
    assert_eq!((&made["node"], &made["config"]), (&json!("praise"), &good));
    assert_eq!(made["was"]["prompt"], "Praise {{reply}}");
    let (bought, again) = rerun(&home, &server, &run).await;
    assert_eq!((bought, &again[0]["from"]["edited"]), (0, &json!(true)));
    assert_eq!(again.last().unwrap()["outputs"], events.last().unwrap()["outputs"]);
    // The text of the request leads to the person. That of the node before it leads to the flow.
    let from =
        |place: &str, text: &str| home.plait(&["lens", "from", run.as_str(), place, "--text", text]).out;
    let (tried, of_flow) = (from("praise:prompt.1.1", "Blame"), from("ask:prompt.1.1", "What is"));
    assert!(tried.contains("setting `/prompt` of `praise`, which a person tried at a stop"), "{tried}");
    assert!(of_flow.contains("setting `/prompt` of `ask`") && !of_flow.contains("tried"), "{of_flow}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempt_that_began_before_a_trial_keeps_its_config_when_the_process_ends() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &repeated())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "ask:after").await;
    let run = run_of(&before);
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    try_config(&plait, &run, "ask", &json!({ "prompt": "New?", "skipHistory": true })).await.unwrap();
    plait.close().await.unwrap();
    drop(plait);
    home.plait(&["debug", "last", "delete", "1"]);
    let done = home.plait(&["resume", "last"]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert_eq!(sent(&server), ["Old?", "New?"], "the first iteration is bought once, and as it was");
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let view = RunView::of(&plait.call(ShowRun { run: run.clone() }).await.unwrap().entries);
    let tried: Vec<bool> = view.nodes["ask"].epochs.iter().map(|epoch| epoch.trial.is_some()).collect();
    assert_eq!(tried, [false, true]);
    plait.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_tries_a_setting_and_drops_it() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &chain())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "ask").await;
    let tried = home.plait(&["debug", "last", r#"try ask.prompt="Two and two?""#]);
    assert!(tried.code == 0 && tried.err.contains("Two and two?"), "{tried:#?}");
    let tried = home.plait(&["debug", "last", r#"try praise.prompt="Never.""#]);
    assert_ne!(tried.code, 0, "it would take a port away: {tried:#?}");
    let tried = home.plait(&["debug", "last", r#"try praise.prompt="{{reply}}, please""#]);
    assert_eq!(tried.code, 0, "{tried:#?}");
    let dropped = home.plait(&["debug", "last", "drop praise"]);
    assert_eq!(dropped.code, 0, "{dropped:#?}");
    let again = home.plait(&["debug", "last", "drop praise"]);
    assert!(again.err.contains("debug.no_trial"), "{again:#?}");
    let done = home.plait(&["resume", "last"]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert_eq!(sent(&server), ["Two and two?", "Praise 1 to Two and two?"]);
    let run = run_of(&before);
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let ended = plait.call(DropTrials { run, stop: 0, node: None }).await.unwrap_err();
    assert_eq!(ended.code.as_str(), "run.ended");
    plait.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_accepts_a_trial_into_the_file_unless_the_node_has_changed_there() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("routed.flow.json", &chain())]);
    let home = Home::default();
    let before = stopped_at(&home, &folder, &server, "ask").await;
    let file = folder.file("routed.flow.json");
    let read = || std::fs::read_to_string(&file).unwrap();
    let flow = || serde_json::from_str::<Value>(&read()).unwrap();
    let none = home.plait(&["debug", "last", "accept"]);
    assert!(none.code == 1 && none.err.contains("debug.no_trial"), "{none:#?}");
    for tried in [r#"try ask.prompt="Two and two?""#, r#"try praise.prompt="Blame {{reply}}""#] {
        let tried = home.plait(&["debug", "last", tried]);
        assert_eq!(tried.code, 0, "{tried:#?}");
    }

    // What else has changed in the file stays as it is.
    let mut changed = flow();
    changed["nodes"]["out"]["title"] = json!("Result");
    std::fs::write(&file, changed.to_string()).unwrap();
    let accepted = home.plait(&["debug", "last", "accept praise"]);
    assert!(accepted.code == 0 && accepted.err.contains("`praise`"), "{accepted:#?}");
    changed["nodes"]["praise"]["config"]["prompt"] = json!("Blame {{reply}}");
    assert_eq!(flow()["nodes"], changed["nodes"]);
    let again = home.plait(&["debug", "last", "accept praise"]);
    assert_eq!(again.code, 0, "the file has it already: {again:#?}");

    // A node that somebody has edited there since is left alone, and so is all else.
    changed["nodes"]["ask"]["config"]["prompt"] = json!("Three and three?");
    std::fs::write(&file, changed.to_string()).unwrap();
    let text = read();
    let refused = home.plait(&["debug", "last", "accept"]);
    assert!(refused.code == 2 && refused.err.contains("flow.changed_on_disk"), "{refused:#?}");
    assert!(refused.err.contains("another `ask`"), "{refused:#?}");
    assert_eq!(read(), text);
    std::fs::remove_file(&file).unwrap();
    let gone = home.plait(&["debug", "last", "accept"]);
    assert!(gone.code == 2 && gone.err.contains("flow.not_found"), "{gone:#?}");

    // The run has its own flow and its trials, and the flow as it was is one of its versions.
    let done = home.plait(&["resume", "last"]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert_eq!(sent(&server), ["Two and two?", "Blame 1 to Two and two?"]);
    assert_eq!(journal(&home, &run_of(&before)).await[..before.len()], before);
}
