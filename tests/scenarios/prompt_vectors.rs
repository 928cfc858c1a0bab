//! The prompts of five runs, with tools, images, a loop's conversation, the workflow's memory and a sub-flow: `lens.show`, the
//! terminal, the search and the requests as curl agree with what the model server received. The window draws the same vectors
//! (`tests/fixtures/prompts`).
//!
//! With `PLAIT_WRITE_PROMPTS=1` the runs are made again and the vectors are written; look at the difference before committing it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plait_api::keys::KeyStore;
use plait_api::{Options, Plait, dispatch};
use plait_core::id::RunId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::recorded_journals::recorded_run::RecordedRun;
use crate::support::binary::Home;
use crate::support::fixture;
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// A recorded run, and what is read from it.
#[derive(Deserialize, Serialize)]
struct PromptVector {
    about: String,
    run: RecordedRun,
    /// For each run: the calls that `lens.show` returns.
    calls: BTreeMap<RunId, Vec<Value>>,
    /// For each run: the bodies that the model server received.
    bodies: BTreeMap<RunId, Vec<Value>>,
    /// What `plait lens show` prints of the run itself, from the first call on.
    terminal: String,
    /// A text of the prompts, and where the search finds it.
    search: Search,
}

#[derive(Deserialize, Serialize)]
struct Search {
    text: String,
    hits: Value,
}

/// A flow that is recorded.
struct Recording {
    name: &'static str,
    about: &'static str,
    /// The files; the first is run.
    flows: Vec<(&'static str, Value)>,
    /// The arguments of `plait resume` for each question.
    answers: Vec<Vec<&'static str>>,
    searched: &'static str,
}

fn start() -> Value {
    json!({ "type": "contextStart",
        "config": { "provider": "openai", "model": "m", "systemInstructions": "Be brief." } })
}

fn text(text: &str) -> Value {
    json!({ "type": "manualInput", "config": { "text": text } })
}

fn recordings() -> Vec<Recording> {
    let tools = json!({
        "start": start(), "one": text("Who are you?"), "first": { "type": "chat" },
        "two": text("What is two and two?"), "second": { "type": "chat" },
        "tools": { "type": "tools", "config": { "tools": ["calculator"] } },
    });
    let tool_edges = [
        "start.context -> first.context",
        "one.value -> first.message",
        "first.context -> second.context",
        "two.value -> second.message",
        "tools.tools -> second.tools",
    ];
    let images = json!({
        "start": start(), "ask": { "type": "userInput", "config": { "attachments": true } },
        "first": { "type": "chat" }, "two": text("Which color is it?"), "second": { "type": "chat" },
    });
    let image_edges = [
        "start.context -> first.context",
        "ask.message -> first.message",
        "ask.attachments -> first.attach",
        "first.context -> second.context",
        "two.value -> second.message",
    ];
    let talk = json!({
        "start": start(),
        "talk": { "type": "loop", "config": { "kind": "times", "times": 2, "conversation": true } },
        "ask": { "type": "userInput", "parent": "talk" },
        "chat": { "type": "chat", "parent": "talk" },
    });
    let talk_edges = [
        "start.context -> talk.context",
        "talk.context -> chat.context",
        "ask.message -> chat.message",
        "chat.response -> talk.next",
    ];
    let memory = json!({
        "start": start(), "side": { "type": "newContext" },
        "one": text("My name is Ada."),
        "first": { "type": "chat", "config": { "memory": { "label": "First" } } },
        "second": { "type": "chat", "config": { "memory": { "label": "Second" } } },
    });
    let memory_edges = [
        "start.context -> first.context",
        "one.value -> first.message",
        "start.context -> side.context",
        "side.context -> second.context",
        "first.response -> second.message",
    ];
    let mut memory = flow_json("memory", memory, &memory_edges);
    memory["settings"] = json!({ "memory": { "mode": "readWrite" } });
    let parent = json!({
        "start": start(), "text": text("Parcel 7731"), "ask": { "type": "chat" },
        "sub": { "type": "subflow", "config": { "file": "child.flow.json" } },
    });
    let parent_edges =
        ["start.context -> ask.context", "text.value -> ask.message", "ask.context -> sub.context"];
    let child = json!({ "start": start(), "text": { "type": "manualInput" }, "chat": { "type": "chat" } });
    let child_edges = ["start.context -> text.context", "text.context -> chat.context"];
    vec![
        Recording {
            name: "tools",
            about: "A turn of history, and a call before and after a tool.",
            flows: vec![("tools.flow.json", flow_json("tools", tools, &tool_edges))],
            answers: vec![],
            searched: "TWO AND two",
        },
        Recording {
            name: "images",
            about: "An image with the question, and in the history.",
            flows: vec![("images.flow.json", flow_json("images", images, &image_edges))],
            answers: vec![vec!["--answer", "Look", "--attach", "pixel.png"]],
            searched: "look",
        },
        Recording {
            name: "loop",
            about: "The turns of a loop's conversation.",
            flows: vec![("loop.flow.json", flow_json("loop", talk, &talk_edges))],
            answers: vec![vec!["--answer", "Hello"], vec!["--answer", "What is 23 × 17?"]],
            searched: "re: hello",
        },
        Recording {
            name: "memory",
            about: "A block of the workflow's memory before the question.",
            flows: vec![("memory.flow.json", memory)],
            answers: vec![],
            searched: "ada",
        },
        Recording {
            name: "sub-flow",
            about: "A call of the run, and one of its child run.",
            flows: vec![
                ("parent.flow.json", flow_json("parent", parent, &parent_edges)),
                ("child.flow.json", flow_json("child", child, &child_edges)),
            ],
            answers: vec![],
            searched: "parcel 7731",
        },
    ]
}

/// Where no server listens: a vector is read without one.
const NO_SERVER: &str = "http://127.0.0.1:9/v1";

fn open(home: &Home) -> Plait {
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_memory());
    Plait::open(options).unwrap()
}

/// What is read of a run and its child runs, besides the bodies that the server received.
async fn read(home: &Home, run: RecordedRun, (name, about, searched): (&str, &str, &str)) -> PromptVector {
    let id = run.run();
    let shown = home.plait(&["lens", "show", id.as_str()]);
    assert_eq!(shown.code, 0, "{name}: {shown:?}");
    let terminal = shown.out[shown.out.find("Call 1 ").unwrap()..].to_owned();
    let plait = open(home);
    let (mut calls, mut bodies) = (BTreeMap::new(), BTreeMap::new());
    for run in run.runs() {
        let shown = dispatch(&plait, "lens.show", json!({ "run": run })).await.unwrap();
        let shown = shown["calls"].as_array().unwrap().clone();
        let mut requests = Vec::new();
        for call in &shown {
            let place =
                json!({ "run": run, "node": call["node"], "epoch": call["epoch"], "call": call["call"] });
            // Each call alone is the same as among all.
            let alone = dispatch(&plait, "lens.show", place.clone()).await.unwrap();
            assert_eq!(alone["calls"], json!([call]), "{name}");
            let request = dispatch(&plait, "lens.request", place).await.unwrap();
            requests.push(body_of(request["curl"].as_str().unwrap()));
        }
        calls.insert(run.clone(), shown);
        bodies.insert(run, requests);
    }
    let hits = dispatch(&plait, "lens.search", json!({ "run": id, "text": searched })).await.unwrap();
    plait.close().await.unwrap();
    let search = Search { text: searched.to_owned(), hits };
    PromptVector { about: about.to_owned(), run, calls, bodies, terminal, search }
}

/// The body in a curl command.
fn body_of(curl: &str) -> Value {
    let (_, quoted) = curl.split_once("--data-raw '").unwrap();
    serde_json::from_str(&quoted.strip_suffix('\'').unwrap().replace("'\\''", "'")).unwrap()
}

async fn record(recording: &Recording) -> PromptVector {
    let server = ModelServer::start(|request, _| {
        let asks_for_tool = request["tools"].is_array()
            && request["messages"].as_array().unwrap().last().unwrap()["role"] != "tool";
        if asks_for_tool {
            return ServerReply::Tool {
                name: "calculator".into(),
                arguments: json!({ "expression": "2 + 2" }),
            };
        }
        ServerReply::Text(format!("re: {}", last_message_text(request)))
    })
    .await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    std::fs::copy(fixture("pixel.png"), home.path().join("pixel.png")).unwrap();
    // Sub-flows are not read from the data directory.
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, flow): &(&str, Value)| {
        let path = folder.path().join(name);
        std::fs::write(&path, flow.to_string()).unwrap();
        path.display().to_string()
    };
    let files: Vec<String> = recording.flows.iter().map(write).collect();
    let mut ran = home.plait(&["run", &files[0], "--allow", "tool=*"]);
    for answer in &recording.answers {
        assert_eq!(ran.code, 3, "{}: {ran:?}", recording.name);
        let attached = home.path().join("pixel.png").display().to_string();
        let answer = answer.iter().map(|word| if *word == "pixel.png" { attached.as_str() } else { *word });
        ran = home.plait(&["resume", "last"].into_iter().chain(answer).collect::<Vec<_>>());
    }
    assert_eq!(ran.code, 0, "{}: {ran:?}", recording.name);
    let plait = open(&home);
    let runs = dispatch(&plait, "runs.list", json!({})).await.unwrap();
    let id = RunId::from(runs[0]["run"].as_str().unwrap());
    plait.close().await.unwrap();
    drop(plait);
    let run = RecordedRun::from_store(home.path(), &id);
    let vector = read(&home, run, (recording.name, recording.about, recording.searched)).await;
    let rebuilt: Vec<Value> =
        vector.run.runs().iter().flat_map(|run| &vector.bodies[run]).map(without_data).collect();
    let received: Vec<Value> = server.calls().iter().map(without_data).collect();
    assert_eq!(rebuilt, received, "{}", recording.name);
    vector
}

#[tokio::test(flavor = "multi_thread")]
async fn five_prompts_are_the_same_for_the_lens_the_terminal_search_and_curl() {
    for recording in recordings() {
        let path = fixture(&format!("prompts/{}.json", recording.name));
        if std::env::var_os("PLAIT_WRITE_PROMPTS").is_some() {
            let text = serde_json::to_string_pretty(&record(&recording).await).unwrap() + "\n";
            std::fs::write(&path, text).unwrap();
        }
        let expected: PromptVector = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let home = Home::default();
        home.set_provider_url(NO_SERVER).await;
        let run = RecordedRun { flows: expected.run.flows.clone(), journals: expected.run.journals.clone() };
        run.write_prefix(home.path(), run.entries().len());
        put_image(&home).await;
        let about = (recording.name, recording.about, expected.search.text.as_str());
        let vector = read(&home, run, about).await;
        let (found, expected) =
            (serde_json::to_value(&vector).unwrap(), serde_json::to_value(&expected).unwrap());
        assert_eq!(found, expected, "{}", recording.name);
        check_agreement(&vector, recording.name);
    }
}

/// The request with no bytes of images, which curl names by their hash.
fn without_data(body: &Value) -> Value {
    let mut body = body.clone();
    for message in body["messages"].as_array_mut().unwrap() {
        for part in message["content"].as_array_mut().into_iter().flatten() {
            if let Some(url) = part.pointer_mut("/image_url/url") {
                *url = json!("data:");
            }
        }
    }
    body
}

/// Puts the image into the data directory, as the recorded run did.
async fn put_image(home: &Home) {
    let plait = open(home);
    let data = STANDARD.encode(std::fs::read(fixture("pixel.png")).unwrap());
    dispatch(&plait, "attachment.add", json!({ "name": "pixel.png", "data": data })).await.unwrap();
    plait.close().await.unwrap();
}

/// The terminal prints the shares of each call, a request has the texts of its messages, and a hit is in the message that it names.
fn check_agreement(vector: &PromptVector, name: &str) {
    let shown = &vector.calls[&vector.run.run()];
    let heads: Vec<&str> =
        vector.terminal.lines().filter(|line| line.contains(" tokens: ") && line.contains(" of ")).collect();
    assert_eq!(heads.len(), shown.len(), "{name}: {}", vector.terminal);
    for (call, head) in shown.iter().zip(heads) {
        let (_, shares) = head.split_once(" tokens: ").unwrap();
        let numbers: Vec<u64> =
            shares.split(", ").map(|share| share.rsplit_once(' ').unwrap().1.parse().unwrap()).collect();
        let expected: Vec<u64> = call["shares"]
            .as_array()
            .unwrap()
            .iter()
            .map(|share| share["tokens"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, expected, "{name}: {head}");
    }
    for (run, calls) in &vector.calls {
        for (call, body) in calls.iter().zip(&vector.bodies[run]) {
            let shown: Vec<&str> = messages(call).iter().map(|one| one["text"].as_str().unwrap()).collect();
            assert_eq!(shown, texts_of(body), "{name}: {call:#}");
        }
    }
    for hit in vector.search.hits.as_array().unwrap() {
        let calls = &vector.calls[&RunId::from(hit["run"].as_str().unwrap())];
        let is_of = |call: &&Value| ["node", "epoch", "call"].iter().all(|part| call[*part] == hit[*part]);
        let call = calls.iter().find(is_of).unwrap();
        let text = match hit["message"].as_u64() {
            Some(index) => &messages(call)[usize::try_from(index).unwrap()]["text"],
            None => &call["reply"]["text"],
        };
        assert!(text.as_str().unwrap().contains(hit["found"].as_str().unwrap()), "{name}: {hit:#}");
    }
}

fn messages(call: &Value) -> &Vec<Value> {
    call["messages"].as_array().unwrap()
}

/// The texts of a request's messages.
fn texts_of(body: &Value) -> Vec<&str> {
    body["messages"].as_array().unwrap().iter().map(text_of).collect()
}

/// The text of a message, or the text part of one with images.
fn text_of(message: &Value) -> &str {
    let content = &message["content"];
    let part = content.as_array().and_then(|parts| parts.iter().find(|part| part["type"] == "text"));
    part.map_or(content, |part| &part["text"]).as_str().unwrap_or_default()
}
