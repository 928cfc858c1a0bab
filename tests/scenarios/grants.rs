//! Grants of flows: the questions before the first run, stored decisions, and refused calls.

use plait_api::mcp::ListMcpServers;
use plait_api::mcp_servers::McpServerPhase;
use plait_api::runs::{RunRequest, StartRun};
use plait_core::flow;
use plait_llm::grant::{GrantDecision, GrantRule};
use serde_json::{Value, json};

use crate::http_tools::{Machine, WebServer, outputs, request_flow};
use crate::mcp_servers;
use crate::support::app::{App, PauseResponse};
use crate::support::binary::CliOutput;
use crate::support::folder::flow_json;

/// A flow that posts to `url`, reads a file, and has a model with the tools of an MCP server.
fn needy(url: &str) -> Value {
    let nodes = json!({
        "request": { "type": "httpRequest", "title": "Send receipt", "config": { "method": "POST", "url": url, "body": {} } },
        "file": { "type": "readFile", "config": { "path": "note.md" } },
        "server": { "type": "mcpServer", "config": { "server": "scripted" } },
        "error": { "type": "catch" },
    });
    flow_json("Needy", nodes, &[])
}

fn add_scripted_server(machine: &Machine) {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/mcp/scripted-server.mjs")
        .display()
        .to_string();
    let added = machine.plait(&["mcp", "add", "scripted", "--", "node", &script, "good"]);
    assert_eq!(added.code, 0, "{added:?}");
}

fn run_count(machine: &Machine) -> usize {
    let listed = machine.plait(&["runs", "list", "--json"]);
    listed.out.lines().filter(|line| line.contains("\"run\"")).count()
}

/// The fault of a node, by the events of a run.
fn fault<'e>(events: &'e [Value], node: &str) -> &'e str {
    let failed = events.iter().find(|event| event["type"] == "node.failed" && event["node"] == node);
    failed.and_then(|event| event["error"]["code"].as_str()).unwrap_or("none")
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_grants_are_listed_with_the_argument_that_gives_them_before_anything_begins() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    add_scripted_server(&machine);
    machine.write("note.md", "A note.");
    let mut document = needy(&web.url("/receipts"));
    document["nodes"].as_object_mut().unwrap().remove("error");
    let path = machine.write("needy.flow.json", &document.to_string());
    let refused = machine.plait(&["run", &path, "--json"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{refused:?}");
    let host = format!("host=127.0.0.1:{}", web.port);
    assert!(refused.err.contains("error[grant.needed]"), "{}", refused.err);
    for line in [
        format!("{host} (new): POST in Send receipt"),
        "command=scripted (new): MCP server scripted `node ".to_owned(),
        "tool=scripted/* (new): all tools, accepted as first seen in server".to_owned(),
        "(new): read_file in file".to_owned(),
    ] {
        assert!(refused.err.contains(&line), "{line}: {}", refused.err);
    }
    assert_eq!(web.lines(), [""; 0]);
    assert_eq!(run_count(&machine), 0, "there is no journal");
    let log = machine.plait(&["mcp", "log", "scripted"]);
    assert_eq!(log.out, "", "the server was not started: {log:?}");

    let allow = refused.err.split("--allow ").nth(1).unwrap().trim().trim_matches('\'').to_owned();
    let run = machine.plait(&["run", &path, "--json", "--allow", &allow]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(web.lines(), ["POST /receipts {}"]);
    let outputs = outputs(&run);
    assert_eq!(outputs["file"]["text"], "A note.");
    assert_eq!(outputs["server"]["names"], json!(["act", "look"]));
    let recorded = run.events()[0]["grants"].clone();
    assert!(
        recorded.as_array().unwrap().contains(&json!({ "target": host, "decision": "allow", "write": true }))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_are_kept_for_a_file_and_a_changed_need_asks_again() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let get = request_flow(&json!({ "url": web.url("/a") }));
    let path = machine.write("get.flow.json", &get);
    let host = format!("host=127.0.0.1:{}", web.port);
    let plait = |args: &[&str]| machine.plait(args);
    assert_eq!(plait(&["grants", "allow", &path, &host]).code, 0);
    let run = plait(&["run", &path]);
    assert_eq!(run.code, 0, "{run:?}");

    let copy = machine.write("copy.flow.json", &get);
    assert_eq!(plait(&["run", &copy]).code, 2, "a copy has no grants");
    machine.write("get.flow.json", &request_flow(&json!({ "url": web.url("/a"), "method": "POST" })));
    let changed = plait(&["run", &path]);
    assert_eq!(changed.code, 2, "{changed:?}");
    assert!(changed.err.contains(&format!("{host} (changed): POST")), "{}", changed.err);
    assert_eq!(web.lines(), ["GET /a"]);

    let listed = plait(&["grants", "list", &path, "--json"]);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!((&listed["needs"][0]["state"], &listed["first"]), (&json!("changed"), &json!(false)));
    assert!(plait(&["grants", "list", &path]).out.contains("allow (changed since)"));
    assert_eq!(plait(&["grants", "allow", &path, &host]).code, 0);
    assert_eq!(plait(&["run", &path]).code, 0);
    assert_eq!(plait(&["grants", "deny", &path, "host=*"]).code, 0);
    assert_eq!(plait(&["run", &path]).code, 0, "the more exact rule wins");
    assert_eq!(plait(&["grants", "revoke", &path, &host]).code, 0);
    assert_eq!(plait(&["run", &path]).code, 1, "the less exact rule is left");
    assert_eq!(plait(&["grants", "revoke", &path, "--all"]).code, 0);
    assert_eq!(plait(&["run", &path]).code, 2);
    assert_eq!(web.lines(), ["GET /a", "POST /a", "POST /a"]);
    assert_eq!(plait(&["grants", "allow", "hello", "host=a.com"]).code, 2, "an example has no file");
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_host_is_not_requested_and_the_error_says_which_rule() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let path = machine.write("get.flow.json", &request_flow(&json!({ "url": web.url("/a") })));
    let run = machine.plait(&["run", &path, "--json", "--allow", "host=*", "--deny", "host=127.0.0.1"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(fault(&run.events(), "request"), "grant.denied");
    assert!(run.out.contains("the rule `host=127.0.0.1` denies it"), "{}", run.out);
    assert_eq!(web.lines(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_a_host_without_a_grant_is_not_followed() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let path = machine.write("get.flow.json", &request_flow(&json!({ "url": web.url("/away") })));
    let run = machine.plait(&["run", &path, "--json", "--allow", "host=127.0.0.1"]);
    assert_eq!(fault(&run.events(), "request"), "grant.missing", "{run:?}");
    assert!(run.out.contains("localhost:9"), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_is_a_pause_that_the_person_answers() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let path = machine.write("get.flow.json", &request_flow(&json!({ "url": web.url("/a") })));
    let asked = |answer: &str| -> CliOutput {
        let run = machine.plait(&["run", &path, "--json", "--ask", "host=127.0.0.1"]);
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.out.contains("You want to be asked about `host=127.0.0.1:"), "{}", run.out);
        machine.plait(&["resume", "last", "--json", "--answer", answer, "--allow", "host=127.0.0.1"])
    };
    let refused = asked("request=no, not there");
    assert_eq!((refused.code, fault(&refused.events(), "request")), (1, "tool.rejected"), "{refused:?}");
    assert_eq!(web.lines(), [""; 0]);
    let approved = asked("yes");
    assert_eq!(approved.code, 0, "{approved:?}");
    assert_eq!(web.lines(), ["GET /a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn resumed_and_retried_runs_decide_by_what_was_recorded() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "userInput", "config": { "prompt": "Go?" } },
        "request": { "type": "httpRequest", "config": { "url": web.url("/{{go}}") } },
    });
    let document = flow_json("Asks", nodes, &["start.context -> ask.context", "ask.message -> request.go"]);
    let path = machine.write("asks.flow.json", &document.to_string());
    assert_eq!(machine.plait(&["run", &path, "--allow", "host=127.0.0.1"]).code, 3);
    assert_eq!(machine.plait(&["grants", "deny", &path, "host=*"]).code, 0);
    assert_eq!(
        machine.plait(&["resume", "last", "--answer", "first"]).code,
        0,
        "it was allowed when it began"
    );
    assert_eq!(web.lines(), ["GET /first"]);

    assert_eq!(machine.plait(&["run", &path, "--answer", "second"]).code, 1);
    assert_eq!(machine.plait(&["grants", "revoke", &path, "--all"]).code, 0);
    let retried = machine.plait(&["retry", "last", "--json"]);
    assert_eq!(fault(&retried.events(), "request"), "grant.denied", "{retried:?}");
    assert_eq!(web.lines().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sub_flows_are_part_of_what_a_flow_needs_and_share_its_grants() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    machine.write("child.flow.json", &request_flow(&json!({ "url": web.url("/child") })));
    let nodes = json!({
        "text": { "type": "value", "config": { "value": "x" } },
        "call": { "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } },
    });
    let path = machine
        .write("parent.flow.json", &flow_json("Parent", nodes, &["text.value -> call.value"]).to_string());
    let refused = machine.plait(&["run", &path]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("GET in child.flow.json › request"), "{}", refused.err);
    let run = machine.plait(&["run", &path, "--json", "--allow", "host=127.0.0.1"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(web.lines(), ["GET /child"]);
    // The child changes behind its parent's back: its new needs were not granted to the parent.
    machine.write("child.flow.json", &request_flow(&json!({ "url": "https://elsewhere.example/" })));
    let grants = machine.plait(&["run", &path, "--json", "--deny", "host=*", "--allow", "host=127.0.0.1"]);
    assert_eq!(grants.code, 1, "{grants:?}");
    assert!(grants.out.contains("grant.denied"), "{}", grants.out);
}

/// Starts the flow with the scripted MCP server under these rules.
async fn start_with_server(app: &App, rules: &[(&str, GrantDecision)]) -> plait_core::id::RunId {
    let rules = rules.iter().map(|(target, decision)| GrantRule::new(target.parse().unwrap(), *decision));
    let flow = mcp_servers::flow(&json!({ "server": "scripted" }));
    let request = RunRequest { flow, grants: rules.collect(), ..RunRequest::default() };
    app.plait.call(StartRun(request)).await.unwrap().run
}

#[tokio::test]
async fn server_without_its_grant_is_not_started_and_one_that_asks_waits() {
    let folder = tempfile::tempdir().unwrap();
    let provider = mcp_servers::caller("act", vec![json!({ "do": "structured" })]);
    let app = mcp_servers::app(&provider, "good", &folder.path().join("state")).await;
    let phase = async || app.plait.call(ListMcpServers {}).await.unwrap()[0].phase;

    let undecided =
        RunRequest { flow: mcp_servers::flow(&json!({ "server": "scripted" })), ..RunRequest::default() };
    let error = app.plait.call(StartRun(undecided)).await.unwrap_err();
    assert_eq!(error.code.as_str(), "grant.needed");
    let targets: Vec<_> =
        error.details["needs"].as_array().unwrap().iter().map(|one| one["need"]["target"].clone()).collect();
    assert_eq!(targets, ["command=scripted", "tool=scripted/*"]);

    let (deny, allow, ask) = (GrantDecision::Deny, GrantDecision::Allow, GrantDecision::Ask);
    let denied = start_with_server(&app, &[("command=scripted", deny), ("tool=scripted/*", allow)]).await;
    assert_eq!(app.follow(&denied, [""; 0]).await.fault("server"), "grant.denied");
    assert_eq!(phase().await, McpServerPhase::Idle, "nothing was started");

    let asked = start_with_server(&app, &[("command=scripted", ask), ("tool=scripted/*", ask)]).await;
    let journal = app.follow(&asked, [PauseResponse::Value(json!({ "approved": false }))]).await;
    assert_eq!(journal.fault("server"), "tool.rejected");
    assert_eq!(phase().await, McpServerPhase::Idle);

    let yes = || PauseResponse::Value(json!({ "approved": true }));
    let asked = start_with_server(&app, &[("command=scripted", ask), ("tool=scripted/*", deny)]).await;
    app.follow(&asked, [yes()]).await;
    assert_eq!(phase().await, McpServerPhase::Connected);
    assert!(provider.sent().last().unwrap().last_text().contains("grant.denied"), "the model gets the error");
    app.close().await;
}

#[test]
fn files_are_read_only_in_granted_folders() {
    let machine = Machine::default();
    std::fs::create_dir_all(machine.path("open/private")).unwrap();
    machine.write("open/a.md", "tea");
    machine.write("open/private/b.md", "tea");
    let flow = |tool: &str, arguments: &Value| {
        let nodes =
            json!({ "call": { "type": "callTool", "config": { "tool": tool, "arguments": arguments } } });
        let mut flow = flow_json("Files", nodes, &[]);
        flow["settings"] = json!({ "folders": [{ "path": "open" }] });
        machine.write("files.flow.json", &flow.to_string())
    };
    let run = |path: &str| {
        machine.plait(&["run", path, "--json", "--allow", "folder=open", "--deny", "folder=open/private"])
    };
    let inside = run(&flow("read_file", &json!({ "path": "open/a.md" })));
    assert_eq!(inside.code, 0, "{inside:?}");
    let denied = run(&flow("read_file", &json!({ "path": "open/private/b.md" })));
    assert_eq!(fault(&denied.events(), "call"), "grant.denied", "{denied:?}");
    let found = outputs(&run(&flow("search_files", &json!({ "text": "tea" }))));
    let files: Vec<_> =
        found["call"]["result"]["results"].as_array().unwrap().iter().map(|one| &one["file"]).collect();
    assert_eq!(files, ["open/a.md"], "a search leaves out what is denied");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("private/b.md", machine.path("open/link.md")).unwrap();
        let led = run(&flow("read_file", &json!({ "path": "open/link.md" })));
        assert_eq!(fault(&led.events(), "call"), "grant.denied", "a link leads to the folder: {led:?}");
    }
}

#[test]
fn damaged_grants_stop_a_run_that_would_use_them() {
    let machine = Machine::default();
    let path = machine.write("get.flow.json", &request_flow(&json!({ "url": "https://a.test/" })));
    assert_eq!(machine.plait(&["grants", "allow", &path, "host=a.test"]).code, 0);
    std::fs::write(machine.home.path().join("grants.json"), "{\"broken").unwrap();
    let run = machine.plait(&["run", &path]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("store.corrupt"), "{}", run.err);
    let flow = flow::read(&request_flow(&json!({ "url": "https://a.test/" }))).unwrap();
    assert_eq!(flow.nodes.len(), 1);
}

/// Another flow in the same file is another flow, also for an allowance of everything.
#[test]
fn allowance_holds_for_what_the_person_saw() {
    let machine = Machine::default();
    let request = |url: &str| json!({ "type": "httpRequest", "config": { "url": url } });
    let one = json!({ "a": request("https://a.example/x") });
    let path = machine.write("asks.flow.json", &flow_json("Asks", one, &[]).to_string());
    assert_eq!(machine.plait(&["grants", "allow", &path, "host=*"]).code, 0);
    let states = || {
        let listed = machine.plait(&["grants", "list", &path, "--json"]);
        let listed: Value = serde_json::from_str(&listed.out).unwrap();
        listed["needs"].as_array().unwrap().iter().map(|one| one["state"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(states(), ["decided"]);
    // What is no need is the person's own affair.
    let other_path = json!({ "a": request("https://a.example/y") });
    machine.write("asks.flow.json", &flow_json("Asks", other_path, &[]).to_string());
    assert_eq!(states(), ["decided"]);
    let two = json!({ "a": request("https://a.example/x"), "b": request("https://evil.example/x") });
    machine.write("asks.flow.json", &flow_json("Asks", two, &[]).to_string());
    assert_eq!(states(), ["changed", "changed"]);
    let run = machine.plait(&["run", &path]);
    assert!(run.code == 2 && run.err.contains("(changed)"), "{run:?}");
    assert_eq!(machine.plait(&["grants", "allow", &path, "host=*"]).code, 0);
    assert_eq!(states(), ["decided", "decided"]);
}
