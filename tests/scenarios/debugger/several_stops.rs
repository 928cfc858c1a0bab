//! Several branches that stand still at once: each is looked at, changed and continued by the number of its stop, also after a kill.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::{child, count};
use crate::support::binary::{CliOutput, Home};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// Two chats that do not depend on one another, and what follows from both.
fn two_chats() -> Value {
    flow_json(
        "chats",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "apart": { "type": "newContext" },
            "left": { "type": "chat", "config": { "prompt": "Left", "skipHistory": true } },
            "right": { "type": "chat", "config": { "prompt": "Right", "skipHistory": true } },
            "both": { "type": "join" },
            "out": { "type": "output" },
        }),
        &[
            "start.context -> left.context",
            "start.context -> apart.context",
            "apart.context -> right.context",
            "left.response -> both.values",
            "right.response -> both.values",
            "both.list -> out.value",
        ],
    )
}

const BREAKS: [&str; 4] = ["--break", "left:call:branch", "--break", "right:call:branch"];

async fn server() -> ModelServer {
    ModelServer::start(|request, _| ServerReply::Text(format!("re: {}", last_message_text(request)))).await
}

/// The stops of the last run as `NODE side` with their numbers, by node.
fn stops(home: &Home) -> Vec<(String, String)> {
    let shown = home.plait(&["debug", "last", "stops", "--json"]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    let stops: Vec<Value> = serde_json::from_str(&shown.out).unwrap();
    let mut found: Vec<(String, String)> = stops
        .iter()
        .map(|held| {
            let at = &held["stop"]["at"];
            let place = format!("{} {}", at["node"].as_str().unwrap(), at["side"].as_str().unwrap());
            (place, held["stop"]["number"].to_string())
        })
        .collect();
    found.sort();
    found
}

fn sent(server: &ModelServer) -> Vec<String> {
    let mut sent: Vec<String> = server.calls().iter().map(last_message_text).collect();
    sent.sort();
    sent
}

fn outputs(home: &Home) -> Value {
    let shown = home.plait(&["runs", "show", "last", "--json"]);
    let events = shown.events();
    let last = events.last().unwrap();
    assert_eq!(last["type"], "run.finished");
    last["outputs"]["out"]["value"].clone()
}

fn debug(home: &Home, command: &[&str]) -> CliOutput {
    home.plait(&[&["debug", "last"], command].concat())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_two_paused_branches_goes_on_by_itself() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("chats.flow.json", &two_chats())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("chats.flow.json");
    let stopped = home.plait(&[&["run", &file][..], &BREAKS].concat());
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    assert!(stopped.err.contains("stands still at 2 places"), "{}", stopped.err);
    for node in ["left", "right"] {
        assert!(stopped.err.contains(&format!("in `{node}`, before model call 1")), "{}", stopped.err);
    }
    assert!(server.calls().is_empty(), "neither has called");
    let both = stops(&home);
    let [(left, of_left), (right, of_right)] = &both[..] else { panic!("{both:?}") };
    assert_eq!((left.as_str(), right.as_str()), ("left call", "right call"));

    let done = debug(&home, &["continue", "--stop", of_left]);
    assert_eq!(done.code, 0, "{done:#?}");
    assert_eq!(sent(&server), ["Left"], "the other one is not made");
    assert_eq!(stops(&home), [("right call".to_owned(), of_right.clone())], "it stands where it did");
    let listed = home.plait(&["runs", "list", "--json"]).out;
    assert_eq!(listed.matches("\"stopped\"").count(), 1, "{listed}");
    let late = debug(&home, &["continue", "--stop", of_left]);
    assert!(late.code == 1 && late.err.contains("debug.moved_on"), "{late:#?}");
    assert_eq!(debug(&home, &["continue", "--stop", of_right]).code, 0);
    assert_eq!(sent(&server), ["Left", "Right"]);
    assert_eq!(outputs(&home), json!(["re: Left", "re: Right"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_is_killed_at_two_stops_stands_at_the_same_two() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("chats.flow.json", &two_chats())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("chats.flow.json");
    let breaks = ["--break", "left:after:branch", "--break", "right:call:branch", "--json"];
    let mut child = home.spawn(&[&["run", &file][..], &breaks].concat());
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let stopped = lines.map_while(Result::ok).filter(|line| line.contains("debug.stopped"));
    assert_eq!(stopped.take(2).count(), 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = stops(&home);
    assert_eq!(
        before.iter().map(|(place, _)| place.as_str()).collect::<Vec<_>>(),
        ["left after", "right call"]
    );

    // The next process changes what one holds and leaves the other.
    let changed = debug(&home, &["set response=\"other\"", "--stop", &before[0].1]);
    assert_eq!(changed.code, 0, "{changed:#?}");
    assert_eq!(stops(&home), before, "the same stops under the same numbers");
    let printed = debug(&home, &["print response", "--json", "--stop", &before[0].1]);
    assert_eq!(printed.out.trim(), "{\"response\":\"other\"}");
    assert_eq!(sent(&server), ["Left"], "nothing is bought by that");
    let done = home.plait(&["resume", "last"]);
    assert_eq!(done.code, 0, "nobody can be asked: both go on. {done:#?}");
    assert_eq!(sent(&server), ["Left", "Right"], "nothing is bought twice");
    assert_eq!(outputs(&home), json!(["other", "re: Right"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_run_is_paused_while_branches_are_and_everything_goes_on_at_once() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("chats.flow.json", &two_chats())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("chats.flow.json");
    assert_eq!(home.plait(&[&["run", &file][..], &BREAKS].concat()).code, 4);
    assert_eq!(debug(&home, &["pause"]).code, 0);
    let listed = debug(&home, &["stops"]);
    assert_eq!(listed.err.lines().count(), 3, "{}", listed.err);
    assert_eq!(debug(&home, &["continue"]).code, 0, "the newest stop is that of the whole run");
    assert_eq!(stops(&home).len(), 2, "its branches stay");
    assert!(server.calls().is_empty());
    assert_eq!(debug(&home, &["pause"]).code, 0);
    assert_eq!(debug(&home, &["continue", "all"]).code, 0);
    assert_eq!(sent(&server), ["Left", "Right"]);
    assert_eq!(outputs(&home), json!(["re: Left", "re: Right"]));
}

#[test]
fn branches_of_two_sub_flows_are_found_from_the_root_and_go_on_one_by_one() {
    let config = json!({ "file": "child.flow.json", "inputSource": "mapping" });
    let parent = flow_json(
        "parent",
        json!({
            "one": { "type": "subflow", "config": config },
            "two": { "type": "subflow", "config": config },
            "both": { "type": "join" },
            "out": { "type": "output" },
        }),
        &["one.text -> both.values", "two.text -> both.values", "both.list -> out.value"],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child())]);
    let home = Home::default();
    let breaks = ["--break", "one/text:after:branch", "--break", "two/text:branch", "--json"];
    let stopped = home.plait(&[&["run", &folder.file("parent.flow.json")][..], &breaks].concat());
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    let root = stopped.events()[0]["run"].as_str().unwrap().to_owned();
    let held = || -> Vec<Value> {
        let shown = home.plait(&["debug", &root, "stops", "--json"]);
        serde_json::from_str(&shown.out).unwrap_or_else(|_| panic!("{shown:#?}"))
    };
    let both = held();
    assert_eq!(both.len(), 2, "{both:#?}");
    assert!(both.iter().all(|held| held["run"] != root.as_str() && held["stop"]["scope"] == "branch"));
    let child_of = |side: &str| {
        let found = both.iter().find(|held| held["stop"]["at"]["side"] == side).unwrap();
        found["run"].as_str().unwrap().to_owned()
    };
    let (one, two) = (child_of("after"), child_of("before"));
    let done = home.plait(&["debug", &one, "continue"]);
    assert_eq!(done.code, 0, "{done:#?}");
    let left = held();
    assert_eq!((left.len(), &left[0]["run"]), (1, &json!(two)), "{left:#?}");
    let events = home.plait(&["runs", "show", &root, "--json"]).events();
    assert_eq!((count(&events, "node.finished", "one"), count(&events, "node.finished", "two")), (1, 0));
    assert_eq!(home.plait(&["debug", &root, "continue", "all"]).code, 0);
    let events = home.plait(&["runs", "show", &root, "--json"]).events();
    let last = events.last().unwrap();
    assert_eq!(last["outputs"]["out"]["value"], json!(["<inside>", "<inside>"]));
}

#[test]
fn command_waits_until_each_of_many_sub_flows_has_come_to_its_place() {
    const COUNT: usize = 16;
    let names: Vec<String> = (0..COUNT).map(|number| format!("child{number}")).collect();
    let config = json!({ "file": "child.flow.json", "inputSource": "mapping" });
    let nodes: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({ "type": "subflow", "config": config }))).collect();
    let parent = flow_json("parent", Value::Object(nodes), &[]);
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child())]);
    let home = Home::default();
    let file = folder.file("parent.flow.json");
    let mut command = vec!["run".to_owned(), file];
    command.extend(names.iter().flat_map(|name| ["--break".to_owned(), format!("{name}/text:branch")]));
    let stopped = home.plait(&command.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    assert_eq!(stops(&home).len(), COUNT);
}
