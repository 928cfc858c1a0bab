//! Recordings: a run in one file, replayed on a bare data directory without network; and cassettes, which a flow is run against.

use std::path::Path;
use std::time::Duration;

use plait_api::mcp::RemoveMcpServer;
use plait_api::runs::{BillRerun, ExportRecording, ReadRecording, RerunRequest, RerunRun};
use plait_journal::view::RunStatus;
use plait_journal::world_policy::{Misses, WorldPolicy};
use serde_json::json;

use crate::http_tools::{Machine, WebServer};
use crate::mcp_servers;
use crate::support::app::App;
use crate::support::binary::{CliOutput, Home};
use crate::support::folder::flow_json;
use crate::support::provider::RecordingProvider;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

const ALLOWED: &str = "host=127.0.0.1,folder=.";

/// A machine with a flow of three turns, a page, a file and the clock; and the servers that it asks.
struct Studio {
    machine: Machine,
    web: WebServer,
    model: ModelServer,
}

impl Studio {
    async fn start() -> Self {
        let (machine, web) = (Machine::default(), WebServer::start().await);
        let model =
            ModelServer::start(|request, _| ServerReply::Text(format!("re: {}", last_message_text(request))));
        let model = model.await;
        machine.home.set_provider_url(&model.url).await;
        machine.write("notes.md", "Ada met Mr. Babbage");
        machine.write("inner.flow.json", &Self::inner().to_string());
        Self { machine, web, model }
    }

    /// A sub-flow with a model of its own.
    fn inner() -> serde_json::Value {
        let nodes = json!({
            "in": { "type": "manualInput" },
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
            "chat": { "type": "chat", "config": { "prompt": "Inner {{text}}" } },
            "out": { "type": "output" },
        });
        let edges = ["start.context -> chat.context", "in.value -> chat.text", "chat.response -> out.value"];
        flow_json("inner", nodes, &edges)
    }

    fn write(&self, question: &str) -> String {
        let chat = |prompt: &str| json!({ "type": "chat", "config": { "prompt": prompt, "maxTokens": 10 } });
        let nodes = json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
            "look": { "type": "httpRequest", "config": { "url": self.web.url("/menu") } },
            "notes": { "type": "readFile", "config": { "path": "notes.md" } },
            "clock": { "type": "code", "config": { "code": "return [Date.now(), Math.random()];" } },
            "first": chat("{{page}} {{notes}}"),
            "second": chat(question),
            "third": chat("It is {{clock}} and {{text}}"),
            "inner": { "type": "subflow", "config": { "file": "inner.flow.json", "inputSource": "nodeOutput" } },
            "out": { "type": "output" },
        });
        let edges = [
            "start.context -> first.context",
            "look.status -> first.page",
            "notes.text -> first.notes",
            "first.context -> second.context",
            "first.response -> second.text",
            "second.context -> third.context",
            "second.response -> third.text",
            "clock.result -> third.clock",
            "third.response -> inner.value",
            "inner.text -> out.value",
        ];
        self.machine.write("talk.flow.json", &flow_json("talk", nodes, &edges).to_string())
    }

    fn plait(&self, args: &[&str]) -> CliOutput {
        self.machine.plait(args)
    }

    fn file(&self, name: &str) -> String {
        self.machine.path(name).display().to_string()
    }

    /// How many requests reached the web server and the model server.
    fn requests(&self) -> (usize, usize) {
        (self.web.lines().len(), self.model.calls().len())
    }
}

const QUESTION: &str = "See you on Monday: {{text}}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cassette_of_three_turns_with_a_clock_replays_and_names_the_word_that_differs() {
    let studio = Studio::start().await;
    let (flow, cassette) = (studio.write(QUESTION), studio.file("good.plait-recording"));
    let recorded = studio.plait(&["run", &flow, "--allow", ALLOWED, "--record", &cassette]);
    assert_eq!((recorded.code, studio.requests()), (0, (1, 4)), "{recorded:#?}");
    assert!(recorded.err.contains("Recorded run "), "{recorded:#?}");
    studio.machine.write("notes.md", "something else");

    let replayed = studio.plait(&["run", &flow, "--allow", ALLOWED, "--replay", &cassette]);
    assert_eq!((replayed.code, &replayed.out), (0, &recorded.out), "{replayed:#?}");
    assert_eq!(studio.requests(), (1, 4), "nobody was asked");

    let bare = Home::default();
    let elsewhere = bare.plait(&["run", &flow, "--allow", ALLOWED, "--replay", &cassette]);
    assert_eq!((elsewhere.code, &elsewhere.out), (0, &recorded.out), "without its provider: {elsewhere:#?}");
    assert_eq!(studio.requests(), (1, 4), "nobody was asked");

    let flow = studio.write(&QUESTION.replace("Monday", "Tuesday"));
    let missed = studio.plait(&["run", &flow, "--allow", ALLOWED, "--replay", &cassette]);
    assert_eq!((missed.code, studio.requests()), (1, (1, 4)), "{missed:#?}");
    for part in [
        "run.not_recorded",
        "`second` asked for it",
        "The nearest recorded request is of `second`",
        "it says \"Monday:\" where this one says \"Tuesday:\"",
    ] {
        assert!(missed.err.contains(part), "{part}: {missed:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn export_with_masked_names_replays_on_a_bare_data_directory_without_network() {
    let studio = Studio::start().await;
    let (flow, file) = (studio.write(QUESTION), studio.file("bug.plait-recording"));
    let recorded = studio.plait(&["run", &flow, "--allow", ALLOWED]);
    assert_eq!((recorded.code, studio.requests()), (0, (1, 4)), "{recorded:#?}");
    assert!(recorded.out.contains("Ada") && recorded.out.contains("Babbage"), "{recorded:#?}");
    let exported = studio.plait(&["runs", "export", "last", &file, "--mask", "ada", "--mask", "Babbage"]);
    assert_eq!(exported.code, 0, "{exported:#?}");
    assert!(!exported.err.contains("A replay ends"), "{exported:#?}");
    let before = studio.requests();

    let bare = Home::default();
    let replayed = bare.plait(&["replay", &file]);
    let masked = recorded.out.replace("Ada", "MASKED_1").replace("Babbage", "MASKED_2");
    assert_eq!((replayed.code, &replayed.out), (0, &masked), "{replayed:#?}");
    assert_eq!(studio.requests(), before, "nobody was asked");
    let shown = bare.plait(&["lens", "show", "last"]);
    assert!(shown.code == 0 && shown.out.contains("MASKED_2"), "{shown:#?}");
    let events = bare.plait(&["runs", "show", "last", "--json"]);
    assert!(!events.out.to_lowercase().contains("babbage"), "{events:#?}");

    let stopped = bare.plait(&["replay", &file, "--break", "second:after"]);
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    let moved = format!("{file}.moved");
    std::fs::rename(&file, &moved).unwrap();
    let lost = bare.plait(&["resume", "last"]);
    assert!(lost.code == 1 && lost.err.contains("recording.not_read"), "{lost:#?}");
    std::fs::rename(&moved, &file).unwrap();
    let resumed = bare.plait(&["resume", "last"]);
    assert_eq!((resumed.code, &resumed.out), (0, &masked), "{resumed:#?}");
    assert_eq!(studio.requests(), before, "another process goes on with it, and asks nobody");

    let again = bare.plait(&["replay", "last"]);
    assert_eq!((again.code, &again.out), (0, &masked), "a replay replays: {again:#?}");
    assert_eq!(studio.requests(), before);
}

#[test]
fn folder_of_a_recording_is_looked_for_before_the_run() {
    let home = Home::default();
    let output = home.plait(&["run", "hello", "--record", "/no/such/folder/a.plait-recording"]);
    assert!(output.code == 1 && output.err.contains("output.failed"), "{output:#?}");
    assert_eq!(home.plait(&["runs", "list", "--json"]).out.trim(), "[]");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_recordings_are_refused_by_the_name_of_the_part_and_leave_nothing() {
    let studio = Studio::start().await;
    let (flow, file) = (studio.write(QUESTION), studio.file("bug.plait-recording"));
    studio.plait(&["run", &flow, "--allow", ALLOWED, "--record", &file]);
    let whole = std::fs::read(&file).unwrap();
    let bare = Home::default();
    let refused = |bytes: &[u8], code: &str, part: &str| {
        std::fs::write(&file, bytes).unwrap();
        let output = bare.plait(&["runs", "open", &file]);
        assert!(output.code == 1 && output.err.contains(code) && output.err.contains(part), "{output:#?}");
        let runs = bare.plait(&["runs", "list", "--json"]);
        assert!(!runs.out.contains("\"run\""), "nothing was started: {runs:#?}");
    };
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    refused(&flipped, "recording.damaged", "`flows/");
    refused(&whole[..whole.len() - 1], "recording.damaged", "it is cut off");
    let newer = String::from_utf8_lossy(&whole[..18]).replace(" 1 ", " 9 ");
    refused(&[newer.as_bytes(), &whole[18..]].concat(), "recording.newer", "newer");
    refused(b"PK\x03\x04 a zip\n", "recording.unknown_form", "no recording");
    assert!(!Path::new(&file).with_extension("tmp").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_streams_at_the_recorded_pace_or_not_at_all() {
    let machine = Machine::default();
    let reply =
        |_: &serde_json::Value, _| ServerReply::Slow(Duration::from_millis(20), "One two three".to_owned());
    let model = ModelServer::start(reply).await;
    machine.home.set_provider_url(&model.url).await;
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
        "chat": { "type": "chat", "config": { "prompt": "Count" } },
    });
    let flow = flow_json("count", nodes, &["start.context -> chat.context"]).to_string();
    let flow = machine.write("count.flow.json", &flow);
    let file = machine.path("count.plait-recording").display().to_string();
    let recorded = machine.plait(&["run", &flow, "--record", &file, "--json"]);
    assert_eq!(recorded.code, 0, "{recorded:#?}");
    let events = recorded.events();
    let replied = events.iter().find(|event| event["type"] == "model.replied").unwrap();
    let pace = replied["account"]["pace"].as_array().unwrap();
    let chars: i64 = pace.iter().map(|part| part[1].as_i64().unwrap()).sum();
    assert_eq!(chars, 13, "each part of the reply is in the pace: {pace:?}");

    let bare = Home::default();
    let deltas = |pace: &str| {
        let replayed = bare.plait(&["replay", &file, "--json", "--pace", pace]);
        assert_eq!(replayed.code, 0, "{replayed:#?}");
        let events = replayed.events();
        let parts = events.iter().filter(|event| event["type"] == "node.delta");
        parts.map(|event| event["text"].as_str().unwrap_or_default().to_owned()).collect::<String>()
    };
    assert_eq!(deltas("recorded"), "One two three");
    assert_eq!(deltas("fast"), "");
    assert_eq!(model.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recording_of_a_run_in_a_conversation_has_what_it_recalled() {
    let machine = Machine::default();
    let model = ModelServer::start(|request, _| {
        ServerReply::Text(format!("{} messages", request["messages"].as_array().unwrap().len()))
    });
    let model = model.await;
    machine.home.set_provider_url(&model.url).await;
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
        "chat": { "type": "chat", "config": { "prompt": "Count" } },
        "out": { "type": "output" },
    });
    let edges = ["start.context -> chat.context", "chat.response -> out.value"];
    let flow = machine.write("count.flow.json", &flow_json("count", nodes, &edges).to_string());
    machine.plait(&["run", &flow, "--conversation", "new"]);
    let file = machine.path("second.plait-recording").display().to_string();
    let second = machine.plait(&["run", &flow, "--conversation", "last", "--record", &file]);
    assert!(second.code == 0 && second.out.contains("3 messages"), "{second:#?}");

    let bare = Home::default();
    let replayed = bare.plait(&["replay", &file]);
    assert_eq!((replayed.code, &replayed.out), (0, &second.out), "{replayed:#?}");
    assert_eq!(model.calls().len(), 2, "nobody was asked");
    let conversations = bare.plait(&["conversations", "list", "--json"]);
    assert!(!conversations.out.contains("count"), "a replay begins no conversation: {conversations:#?}");
}

#[tokio::test]
async fn replay_offers_the_tools_of_an_mcp_server_without_starting_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.plait-recording").display().to_string();
    let provider = mcp_servers::caller("s_act", vec![json!({ "do": "structured" })]).with_keys_of_content();
    let app = mcp_servers::app(&provider, "good", &folder.path().join("state")).await;
    let flow = mcp_servers::flow(&json!({ "server": "scripted", "prefix": "s_" }));
    let recorded = app.run(&flow, [""; 0]).await;
    let run = recorded.view().outline.run.unwrap();
    let written =
        app.plait.call(ExportRecording { run, file: file.clone(), mask: Vec::new() }).await.unwrap();
    assert!(written.unrecorded.is_empty(), "{written:#?}");
    app.close().await;

    let nobody = RecordingProvider::echo().with_keys_of_content();
    let bare = App::with(&nobody);
    let found = bare.plait.call(ReadRecording { file: file.clone() }).await.unwrap();
    let world = WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() };
    let request = RerunRequest { recording: Some(file), world, ..RerunRequest::of(found.run) };
    let replay = bare.plait.call(RerunRun(request)).await.unwrap().run;
    let replayed = bare.follow(&replay, [""; 0]).await;
    assert_eq!(replayed.view().outline.status, RunStatus::Finished, "{replayed:#?}");
    assert_eq!(replayed.output("chat", "response"), recorded.output("chat", "response"));
    assert_eq!(replayed.output("server", "tools"), recorded.output("server", "tools"));
    assert_eq!(nobody.sent().len(), 0);
    bare.close().await;
}

#[tokio::test]
async fn replay_of_a_stored_run_starts_no_mcp_server() {
    let folder = tempfile::tempdir().unwrap();
    let provider = mcp_servers::caller("s_act", vec![json!({ "do": "structured" })]).with_keys_of_content();
    let app = mcp_servers::app(&provider, "good", &folder.path().join("state")).await;
    let flow = mcp_servers::flow(&json!({ "server": "scripted", "prefix": "s_" }));
    let recorded = app.run(&flow, [""; 0]).await;
    let run = recorded.view().outline.run.unwrap();
    let bought = provider.sent().len();
    app.plait.call(RemoveMcpServer { name: "scripted".to_owned() }).await.unwrap();

    let world = WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() };
    let request = RerunRequest { world, ..RerunRequest::of(run) };
    let bill = app.plait.call(BillRerun(request.clone())).await.unwrap();
    assert!(bill.unrecorded.is_empty() && bill.behind.is_empty(), "{bill:#?}");
    let replay = app.plait.call(RerunRun(request)).await.unwrap().run;
    let replayed = app.follow(&replay, [""; 0]).await;
    assert_eq!(replayed.view().outline.status, RunStatus::Finished, "{replayed:#?}");
    assert_eq!(replayed.output("server", "tools"), recorded.output("server", "tools"));
    assert_eq!(provider.sent().len(), bought);
    app.close().await;
}

#[test]
fn replay_remembers_nothing() {
    let home = Home::default();
    let nodes = json!({
        "fact": { "type": "value", "config": { "value": "Ada likes tea." } },
        "learn": { "type": "remember" },
        "out": { "type": "output" },
    });
    let flow = flow_json("learn", nodes, &["fact.value -> learn.value", "learn.memories -> out.value"]);
    let run = home.plait(&["run", &home.file("learn.flow.json", &flow.to_string())]);
    assert_eq!(run.code, 0, "{run:#?}");
    let file = home.path().join("learn.plait-recording").display().to_string();
    let exported = home.plait(&["runs", "export", "last", &file]);
    assert_eq!(exported.code, 0, "{exported:#?}");
    let elsewhere = Home::default();
    let replayed = elsewhere.plait(&["replay", &file]);
    assert_eq!((replayed.code, &replayed.out), (0, &run.out), "{replayed:#?}");
    let listed = elsewhere.plait(&["memory", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!((&listed["memories"], &listed["branches"]), (&json!([]), &json!([])), "{listed:#}");
}
