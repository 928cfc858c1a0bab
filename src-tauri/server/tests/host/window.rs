//! The window of a host: its commands reach the host, except for those about the machine that it is on.

use std::time::Duration;

use plait_api::keys::KeyStore;
use plait_api::{ErrorReply, Options, Plait, dispatch_in_window, run_changes_in_window, watch_in_window};
use plait_core::id::RunId;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Data, Host, ask_flow, chat_flow};

/// The machine of a person, with a window of the host `team`.
struct Machine {
    plait: Plait,
    home: TempDir,
}

impl Machine {
    async fn of(data: &Data, host: &Host<'_>, role: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let keys = KeyStore::in_file(home.path(), None);
        let plait =
            Plait::open(Options { keys: Some(keys), ..Options::new(home.path(), plait_app::parts()) })
                .unwrap();
        let machine = Self { plait, home };
        let args = json!({ "name": "team", "url": host.url, "token": data.token(role) });
        machine.here("hosts.add", args).await.unwrap();
        machine
    }

    async fn here(&self, command: &str, args: Value) -> Result<Value, ErrorReply> {
        dispatch_in_window(&self.plait, None, command, args).await
    }

    async fn there(&self, command: &str, args: Value) -> Result<Value, ErrorReply> {
        dispatch_in_window(&self.plait, Some("team"), command, args).await
    }

    async fn run(&self, name: &str) -> String {
        let begun = self.here("hosts.run", json!({ "host": "team", "name": name })).await.unwrap();
        begun["run"].as_str().unwrap().to_owned()
    }
}

fn code(refused: Result<Value, ErrorReply>) -> String {
    refused.unwrap_err().code.to_string()
}

#[tokio::test]
async fn host_says_what_a_token_may_do() {
    let data = Data::new();
    let host = data.serve();
    let machine = Machine::of(&data, &host, "runner").await;
    let about = machine.there("host.about", json!({})).await.unwrap();
    assert_eq!((&about["token"], &about["role"]), (&json!("runner"), &json!("runner")));
    let may = |command: &str| about["commands"].as_array().unwrap().contains(&json!(command));
    assert!(may("run.answer") && may("host.runTree") && !may("published.publish"), "{about}");
    let publish = json!({ "name": "ask", "path": "ask.flow.json" });
    assert_eq!(code(machine.there("published.publish", publish).await), "host.forbidden");
    // The settings of the window are those of this machine, whatever the role.
    machine.there("settings.get", json!({})).await.unwrap();
    let list = machine.here("hosts.list", json!({})).await.unwrap();
    assert_eq!(list, json!([{ "name": "team", "url": host.url }]));
}

#[tokio::test]
async fn files_of_the_folder_are_listed_relative_to_it() {
    let data = Data::new();
    data.flow("ask.flow.json", &ask_flow());
    std::fs::create_dir_all(data.path().join("host/flows/below")).unwrap();
    data.flow("below/chat.flow.json", &chat_flow());
    std::fs::write(data.path().join("host/flows/notes.md"), "x").unwrap();
    let host = data.serve();
    let machine = Machine::of(&data, &host, "viewer").await;
    let files = machine.there("host.files", json!({})).await.unwrap();
    let paths: Vec<_> = files.as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["ask.flow.json", "below/chat.flow.json"]);
}

#[tokio::test]
async fn flow_is_published_with_its_sub_flows_and_compared_before() {
    let data = Data::new();
    let host = data.serve();
    let machine = Machine::of(&data, &host, "editor").await;
    let folder = machine.home.path().join("flows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("inner.flow.json"), ask_flow().to_string()).unwrap();
    let path = folder.join("Outer Flow.flow.json");
    let mut flow = json!({
        "version": 1, "name": "Outer", "layout": {}, "edges": {},
        "nodes": { "call": { "type": "subflow", "config": { "file": "inner.flow.json", "inputSource": "mapping" } } },
    });
    std::fs::write(&path, flow.to_string()).unwrap();
    let args = |flow: &Value| json!({ "host": "team", "name": "outer-flow", "flow": flow, "path": path });
    let preview = json!({ "host": "team", "flow": flow, "path": path });
    let preview = machine.here("hosts.preview", preview).await.unwrap();
    assert_eq!((&preview["name"], &preview["served"]), (&json!("outer-flow"), &Value::Null));
    assert_eq!(machine.here("hosts.publish", args(&flow)).await.unwrap()["version"], 1);
    let served = machine.there("published.read", json!({ "name": "outer-flow" })).await.unwrap();
    assert_eq!(served["flow"], preview["flow"]);
    assert!(served["flow"].to_string().contains("Who?"), "{served}");

    flow["nodes"]["note"] = json!({ "type": "note" });
    let preview = machine.here("hosts.preview", args(&flow)).await.unwrap();
    assert_eq!(preview["served"]["version"], 1);
    assert_eq!(preview["difference"]["changes"][0]["kind"], "nodeAdded");
    assert_eq!(machine.here("hosts.publish", args(&flow)).await.unwrap()["version"], 2);
}

#[tokio::test]
async fn run_is_watched_answered_and_copied_home_as_it_stands() {
    let data = Data::new();
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve();
    host.publish(&["ask"]).await;
    let machine = Machine::of(&data, &host, "runner").await;
    let run = machine.run("ask").await;
    let id = RunId::from(run.clone());
    let mut watch = watch_in_window(&machine.plait, Some("team"), &id, 0).await.unwrap();
    let mut seen = Vec::new();
    while !seen.iter().any(|event: &Value| event["type"] == "run.waiting") {
        let batch = watch.next_batch(Duration::from_millis(1)).await.unwrap().unwrap();
        seen.extend(batch.iter().map(|entry| serde_json::to_value(entry).unwrap()));
    }

    // A run that waits is copied, and both go on by themselves.
    let pull = json!({ "host": "team", "run": run });
    assert_eq!(machine.here("hosts.pull", pull.clone()).await.unwrap()["run"], json!(run));
    assert_eq!(code(machine.here("hosts.pull", pull).await), "run.exists");
    let shown = |reply: Value| (reply["summary"]["status"].clone(), reply["entries"].clone());
    let (here, there) = (
        shown(machine.here("runs.show", json!({ "run": run })).await.unwrap()),
        shown(machine.there("runs.show", json!({ "run": run })).await.unwrap()),
    );
    assert_eq!(here, there);
    assert_eq!(here.0, "waiting");
    let answer = json!({ "run": run, "node": "ask", "epoch": [], "value": "Ann" });
    machine.here("run.answer", answer).await.unwrap();
    machine.plait.runs().settled(&id).await;
    let (here, there) = (
        machine.here("runs.show", json!({ "run": run })).await.unwrap(),
        machine.there("runs.show", json!({ "run": run })).await.unwrap(),
    );
    assert_eq!(
        (&here["summary"]["status"], &there["summary"]["status"]),
        (&json!("finished"), &json!("waiting"))
    );

    let unknown = RunId::from("01a22719-0000-7000-8000-000000000000".to_owned());
    assert_eq!(
        code(machine.here("hosts.pull", json!({ "host": "team", "run": unknown })).await),
        "run.unknown"
    );
}

#[tokio::test]
async fn changes_of_the_list_are_reported_and_so_is_a_host_that_is_gone() {
    let data = Data::new();
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve();
    host.publish(&["ask"]).await;
    let machine = Machine::of(&data, &host, "runner").await;
    let mut changes = run_changes_in_window(&machine.plait, Some("team"));
    changes.changed().await.unwrap().unwrap();
    machine.run("ask").await;
    changes.changed().await.unwrap().unwrap();
    let address = host.url.trim_start_matches("http://").to_owned();
    drop(host);
    // What the board showed before the host was gone may come first.
    let lost = loop {
        if let Err(error) = changes.changed().await.unwrap() {
            break error;
        }
    };
    assert_eq!(lost.code, "hosts.unreachable");
    let _again = data.serve_at(&address, &[]);
    changes.changed().await.unwrap().unwrap();
}

#[tokio::test]
async fn token_that_was_replaced_is_used_without_a_restart() {
    let data = Data::new();
    let host = data.serve();
    let machine = Machine::of(&data, &host, "viewer").await;
    machine.there("runs.list", json!({})).await.unwrap();
    data.execute(&["tokens", "revoke", "viewer"]);
    assert_eq!(code(machine.there("runs.list", json!({})).await), "host.unauthorized");
    let args = json!({ "name": "team", "url": host.url, "token": data.token("runner") });
    machine.here("hosts.add", args).await.unwrap();
    machine.there("runs.list", json!({})).await.unwrap();
    machine.here("hosts.remove", json!({ "name": "team" })).await.unwrap();
    assert_eq!(code(machine.there("runs.list", json!({})).await), "hosts.unknown");
}

#[tokio::test]
async fn command_that_an_older_host_lacks_is_explained() {
    let data = Data::new();
    let host = data.serve();
    let machine = Machine::of(&data, &host, "admin").await;
    let refused = machine.there("runs.dance", json!({})).await.unwrap_err();
    assert_eq!(refused.code, "command.unknown");
    assert!(refused.message.contains("`team`") && refused.hint.unwrap().contains("older version"));
}
