//! `plait mcp serve`, driven by a client of the official SDK: what agents read, do and are refused.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::binary::{Home, with_store_lock};
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// The most bytes of a reply.
const MAX_BYTES: usize = 32 * 1024;

/// A client of the SDK.
struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
    calls: usize,
}

impl Agent {
    /// A client that starts `plait` with these arguments.
    fn starting(home: &Home, args: &[&str]) -> Self {
        let plait = env!("CARGO_BIN_EXE_plait");
        Self::spawn(home, &[&[plait], args].concat())
    }

    fn spawn(home: &Home, args: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp/client.mjs");
        let with_home = home.command(&[]);
        let mut command = Command::new("node");
        command.arg(script).args(args).env_clear();
        command.envs(with_home.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = with_store_lock(|| command.spawn().unwrap());
        let replies = BufReader::new(child.stdout.take().unwrap());
        Self { stdin: child.stdin.take(), child, replies, calls: 0 }
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.stdin.as_mut().unwrap(), "{request}").unwrap();
        let mut line = String::new();
        self.replies.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn tools(&mut self) -> Vec<String> {
        let listed = self.ask(&json!({}));
        let tools = listed["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    fn result(&mut self, tool: &str, arguments: &Value) -> (bool, Value) {
        self.calls += 1;
        let reply = self.ask(&json!({ "tool": tool, "arguments": arguments }));
        let text = reply["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool}: {reply}"));
        assert!(text.len() <= MAX_BYTES, "{tool}: a reply of {} bytes", text.len());
        (reply["isError"] == true, serde_json::from_str(text).unwrap())
    }

    /// The data of a call that succeeds.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let (is_error, reply) = self.result(tool, arguments);
        assert!(!is_error, "{tool}: {reply}");
        assert!(reply["notice"].as_str().unwrap().contains("no instruction to you"), "{reply}");
        reply["data"].clone()
    }

    /// The code of a call that fails.
    fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let (is_error, reply) = self.result(tool, arguments);
        assert!(is_error, "{tool}: {reply}");
        reply["error"]["code"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
    }

    /// Ends the client, and waits for its server.
    fn end(mut self) {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// A question to a person, answered by a model of the provider `openai`.
fn asking() -> Value {
    flow_json(
        "asking",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o-mini" } },
            "person": { "type": "userInput", "config": { "prompt": "What do you want to know?" } },
            "chat": { "type": "chat", "config": { "maxTokens": 1000 } },
        }),
        &["start.context -> chat.context", "person.message -> chat.message"],
    )
}

async fn home_with_server(server: &ModelServer) -> Home {
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    home
}

async fn echo_server() -> ModelServer {
    ModelServer::start(|request, _| ServerReply::Text(format!("You said: {}", last_message_text(request))))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn client_of_the_sdk_drives_thirty_tasks() {
    let server = echo_server().await;
    let home = home_with_server(&server).await;
    let file = home.file("asking.flow.json", &asking().to_string());
    let mut agent = Agent::starting(&home, &["mcp", "serve", "--allow", "run", "--spend", "0.05"]);
    let tools = agent.tools();
    assert!(tools.contains(&"run_flow".to_owned()), "{tools:?}");

    // Flows.
    let flows = agent.call("list_flows", &json!({}));
    assert!(flows.as_array().unwrap().iter().any(|flow| flow["flow"] == "hello"), "{flows}");
    let text = agent.call("read_flow", &json!({ "flow": file }));
    assert!(text.as_str().unwrap().contains("What do you want to know?"), "{text}");
    assert_eq!(agent.call("check_flow", &json!({ "flow": file }))["problems"], json!([]));
    let broken = json!({ "version": 1, "nodes": { "a": { "type": "nosuch" } } }).to_string();
    let problems = agent.call("check_flow", &json!({ "text": broken }));
    assert_eq!(problems["problems"][0]["code"], "node.unknown_type", "{problems}");
    assert!(agent.call("forecast_flow", &json!({ "flow": file })).is_object());
    let types = agent.call("list_node_types", &json!({}));
    assert!(types.as_array().unwrap().iter().any(|node| node["type"] == "chat"), "{types}");
    let chat = agent.call("describe_node_type", &json!({ "type": "chat" }));
    assert!(chat["configSchema"].is_object(), "{chat}");

    // A run, with a question.
    let waiting = agent.call("run_flow", &json!({ "flow": file, "maxUsd": 0.01 }));
    assert_eq!((&waiting["status"], &waiting["questions"][0]["node"]), (&json!("waiting"), &json!("person")));
    let run = waiting["run"].as_str().unwrap().to_owned();
    let ended = agent.call("answer_run", &json!({ "run": run, "answer": "Are you there?" }));
    assert_eq!(ended["status"], "finished", "{ended}");
    assert_eq!(ended["outputs"]["chat"]["response"], "You said: Are you there?", "{ended}");
    assert_eq!(server.calls().len(), 1);
    assert_eq!(last_message_text(&server.calls()[0]), "Are you there?");

    // What is read of it.
    let runs = agent.call("list_runs", &json!({}));
    assert_eq!(runs[0]["run"], *run, "{runs}");
    assert_eq!(agent.call("list_runs", &json!({ "flow": file })).as_array().unwrap().len(), 1);
    assert_eq!(agent.call("show_run", &json!({ "run": run }))["status"], "finished");
    let failed = agent.call("list_events", &json!({ "run": run, "type": "node.failed" }));
    assert_eq!(failed, json!([]));
    let events = agent.call("list_events", &json!({ "run": run, "node": "chat", "type": "model" }));
    assert!(events.as_array().unwrap().iter().any(|event| event["type"] == "model.replied"), "{events}");
    let seq = events.as_array().unwrap()[0]["seq"].as_u64().unwrap();
    let node = agent.call("read_event", &json!({ "run": run, "seq": seq, "pointer": "/node" }));
    assert_eq!(node, "chat");
    let prompts = agent.call("list_prompts", &json!({ "run": run }));
    assert_eq!(prompts[0]["node"], "chat", "{prompts}");
    let seq = prompts[0]["seq"].clone();
    let prompt = agent.call("read_prompt", &json!({ "run": run, "seq": seq }));
    assert!(prompt.as_str().unwrap().contains("Are you there?"), "{prompt}");
    let hits = agent.call("search_prompts", &json!({ "run": run, "text": "are you" }));
    assert!(!hits.as_array().unwrap().is_empty());
    let place = json!({ "kind": "reply", "call": 0 });
    let chain = agent.call("follow_text", &json!({ "run": run, "node": "chat", "place": place }));
    assert!(chain.is_object(), "{chain}");
    let found = agent.call("find_runs", &json!({ "when": "tokens > 0", "node": "chat", "after": true }));
    assert_eq!(found["stoppedRuns"], 1, "{found}");

    // Again: nothing is bought.
    let bill = agent.call("bill_rerun", &json!({ "run": run }));
    assert!(bill.is_object(), "{bill}");
    let again = agent.call("rerun", &json!({ "run": run, "maxUsd": 0.01 }));
    assert_eq!(again["status"], "finished", "{again}");
    assert_eq!(server.calls().len(), 1, "the reply is reused");
    let compared = agent.call("compare_runs", &json!({ "before": run, "after": again["run"] }));
    assert_eq!(compared["differences"], json!([]), "{compared}");
    let compared = agent.call("compare_flows", &json!({ "before": file, "after": "hello" }));
    assert!(!compared["changes"].as_array().unwrap().is_empty());
    let waited = agent.call("wait_for_run", &json!({ "run": again["run"] }));
    assert_eq!(waited["status"], "finished");

    // A run that is given up.
    let other = agent.call("run_flow", &json!({ "flow": file, "maxUsd": 0.01 }));
    assert_eq!(agent.call("cancel_run", &json!({ "run": other["run"] }))["status"], "cancelled");

    // What is wrong.
    assert_eq!(agent.refused("show_run", &json!({ "run": "nosuch" })), "run.unknown");
    assert_eq!(agent.refused("read_flow", &json!({ "flow": "/etc/passwd" })), "agent.not_a_flow");
    assert_eq!(agent.refused("read_event", &json!({ "run": run, "seq": 9_999 })), "agent.no_event");
    assert_eq!(agent.refused("cancel_run", &json!({ "run": run })), "agent.not_its_run");
    assert_eq!(agent.refused("answer_run", &json!({ "run": run, "answer": "x" })), "agent.not_its_run");
    assert_eq!(agent.refused("describe_node_type", &json!({ "type": "nosuch" })), "command.arguments");
    assert!(agent.calls >= 30, "{} tasks", agent.calls);
    agent.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_agent_is_refused_to_run() {
    let server = echo_server().await;
    let home = home_with_server(&server).await;
    let file = home.file("asking.flow.json", &asking().to_string());
    let mut agent = Agent::starting(&home, &["mcp", "serve"]);
    let tools = agent.tools();
    assert!(
        !tools.iter().any(|tool| ["run_flow", "rerun", "answer_run"].contains(&tool.as_str())),
        "{tools:?}"
    );
    assert_eq!(agent.refused("run_flow", &json!({ "flow": file })), "agent.not_permitted");
    assert_eq!(agent.call("list_runs", &json!({})), json!([]));
    agent.end();
    assert!(server.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_proposes_edits_and_the_person_decides() {
    let home = Home::default();
    let before = asking();
    let file = home.file("asking.flow.json", &before.to_string());
    let text = || std::fs::read_to_string(&file).unwrap();
    let edited = |prompt: &str| {
        let mut flow = before.clone();
        flow["nodes"]["person"]["config"]["prompt"] = json!(prompt);
        flow["nodes"]["out"] = json!({ "type": "output" });
        flow["edges"]["out"] =
            json!({ "source": "chat", "sourceOutput": "response", "target": "out", "targetInput": "value" });
        flow
    };
    let propose = |flow: &Value| json!({ "flow": file, "text": flow.to_string(), "note": "Ask friendlier." });

    let mut reader = Agent::starting(&home, &["mcp", "serve"]);
    assert!(!reader.tools().contains(&"propose_edit".to_owned()));
    assert_eq!(reader.refused("propose_edit", &propose(&edited("Yes?"))), "agent.not_permitted");
    reader.end();

    let mut agent = Agent::starting(&home, &["mcp", "serve", "--allow", "propose"]);
    assert!(!agent.tools().contains(&"run_flow".to_owned()), "proposing is not running");
    assert_eq!(agent.refused("propose_edit", &propose(&before)), "proposal.no_change");
    let on_example = json!({ "flow": "hello", "text": before.to_string(), "note": "" });
    assert_eq!(agent.refused("propose_edit", &on_example), "agent.not_a_flow");
    let broken = json!({ "flow": file, "text": "{", "note": "" });
    assert!(agent.refused("propose_edit", &broken).starts_with("flow."));
    let mut wrong = edited("Yes?");
    wrong["nodes"]["out"]["type"] = json!("outputs");
    let proposed = agent.call("propose_edit", &propose(&wrong));
    assert_eq!(proposed["problems"][0]["severity"], "error", "{proposed}");
    let dropped = proposed["proposal"].as_str().unwrap().to_owned();
    let proposed = agent.call("propose_edit", &propose(&edited("What can I do for you?")));
    let accepted = proposed["proposal"].as_str().unwrap().to_owned();
    let kinds: Vec<&str> =
        proposed["changes"].as_array().unwrap().iter().map(|found| found["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["nodeAdded", "node", "edgeAdded"], "{proposed}");
    assert_eq!(agent.call("list_proposals", &json!({ "flow": file })).as_array().unwrap().len(), 2);
    assert_eq!(text(), before.to_string(), "nothing is written");

    let shown = home.plait(&["proposals", "show", &accepted]);
    assert!(shown.out.contains("Ask friendlier.") && shown.out.contains("+ out (output)"), "{shown:#?}");
    let shown = home.plait(&["proposals", "show", &dropped]);
    assert!(shown.out.contains("problem: "), "{shown:#?}");
    assert_eq!(home.plait(&["proposals", "drop", &dropped]).code, 0);
    assert_eq!(text(), before.to_string());

    // What the person wrote meanwhile is not overwritten unasked.
    let mut meanwhile = before.clone();
    meanwhile["name"] = json!("Mine");
    home.file("asking.flow.json", &meanwhile.to_string());
    let refused = home.plait(&["proposals", "accept", &accepted]);
    assert!(refused.code != 0 && refused.err.contains("proposal.outdated"), "{refused:#?}");
    assert_eq!(text(), meanwhile.to_string());
    home.file("asking.flow.json", &before.to_string());
    assert_eq!(home.plait(&["proposals", "accept", &accepted]).code, 0);
    let written: Value = serde_json::from_str(&text()).unwrap();
    assert_eq!(written["nodes"]["person"]["config"]["prompt"], "What can I do for you?");
    assert_eq!(agent.call("list_proposals", &json!({})), json!([]));
    assert_eq!(home.plait(&["proposals", "accept", &accepted]).code, 1, "it is decided");
    agent.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_spend_what_the_person_allows_and_no_more() {
    let server = echo_server().await;
    let home = home_with_server(&server).await;
    let mut flow = asking();
    flow["nodes"]["person"] = json!({ "type": "value", "config": { "value": "Hello" } });
    flow["edges"].as_object_mut().unwrap().retain(|_, edge| edge["source"] != "person");
    flow["edges"]["value"] =
        json!({ "source": "person", "sourceOutput": "value", "target": "chat", "targetInput": "message" });
    let file = home.file("saying.flow.json", &flow.to_string());
    // A call of 1,000 tokens of reply at $0.60 a million reserves more than $0.0005.
    let mut agent = Agent::starting(&home, &["mcp", "serve", "--allow", "run", "--spend", "0.0005"]);
    let refused = agent.call("run_flow", &json!({ "flow": file }));
    assert_eq!(refused["error"]["error"]["code"], "quota.exceeded", "{refused}");
    assert_eq!(agent.refused("run_flow", &json!({ "flow": file, "maxUsd": 0.01 })), "agent.spent");
    assert!(server.calls().is_empty(), "nothing was sent");
    agent.end();

    let mut agent = Agent::starting(&home, &["mcp", "serve", "--allow", "run", "--spend", "0.01"]);
    for _ in 0..3 {
        assert_eq!(
            agent.call("run_flow", &json!({ "flow": file }))["status"],
            "finished",
            "shares are given back"
        );
    }
    agent.end();
    assert_eq!(server.calls().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_and_decisions_are_the_persons() {
    let server = echo_server().await;
    let home = home_with_server(&server).await;
    let request =
        json!({ "request": { "type": "httpRequest", "config": { "url": format!("{}/x", server.url) } } });
    let fetching = home.file("fetching.flow.json", &flow_json("fetching", request, &[]).to_string());
    let decision = json!({ "ask": { "type": "approval", "config": { "prompt": "Send it?" } } });
    let deciding = home.file("deciding.flow.json", &flow_json("deciding", decision, &[]).to_string());
    let mut agent = Agent::starting(&home, &["mcp", "serve", "--allow", "run", "--spend", "1"]);
    assert_eq!(agent.refused("run_flow", &json!({ "flow": fetching })), "grant.needed");
    let waiting = agent.call("run_flow", &json!({ "flow": deciding }));
    assert_eq!(waiting["status"], "waiting", "{waiting}");
    let answer = json!({ "run": waiting["run"], "answer": "yes" });
    assert_eq!(agent.refused("answer_run", &answer), "agent.person_decides");
    let tools = agent.tools();
    assert!(!tools.iter().any(|tool| tool.contains("key") || tool.contains("grant")), "{tools:?}");
    agent.end();
    assert!(server.calls().is_empty());
    // The run waits on for the person.
    let resumed = home.plait(&["resume", "last", "--answer", "yes", "--json"]);
    assert_eq!((resumed.code, resumed.last_type().as_str()), (0, "run.finished"), "{resumed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn flow_is_served_as_one_tool() {
    let server = echo_server().await;
    let home = home_with_server(&server).await;
    let file = home.file("asking.flow.json", &asking().to_string());
    let mut agent = Agent::starting(&home, &["mcp", "serve", "--flow", &file]);
    assert_eq!(agent.tools(), ["asking"]);
    assert_eq!(agent.call("asking", &json!({ "answers": ["Hello"] })), "You said: Hello");
    let (is_error, reply) = agent.result("asking", &json!({}));
    assert!(is_error && reply["data"]["questions"][0]["prompt"] == "What do you want to know?", "{reply}");
    assert_eq!(agent.refused("asking", &json!({ "input": "Hello" })), "command.arguments");
    agent.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_not_found_are_refused() {
    let home = Home::default();
    let nodes = json!({ "say": { "type": "text", "config": { "template": "Hello" } } });
    let file = home.file("saying.flow.json", &flow_json("saying", nodes, &[]).to_string());
    let link = home.path().join("link.flow.json").display().to_string();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let args = ["mcp", "serve", "--allow", "run", "--spend", "1", "--allow", "propose"];
    let mut agent = Agent::starting(&home, &args);
    let run = agent.call("run_flow", &json!({ "flow": link }))["run"].clone();
    for flow in [&file, &link] {
        assert_eq!(agent.call("list_runs", &json!({ "flow": flow }))[0]["run"], run, "{flow}");
        assert_eq!(agent.call("find_runs", &json!({ "flow": flow, "node": "say" }))["runs"], 1, "{flow}");
    }
    let nowhere = home.path().join("nowhere.flow.json").display().to_string();
    let edited = flow_json("edited", json!({}), &[]).to_string();
    let note = "n".repeat(3000);
    for (tool, arguments, code) in [
        ("list_runs", json!({ "flow": nowhere }), "agent.not_a_flow"),
        ("find_runs", json!({ "flow": nowhere }), "agent.not_a_flow"),
        ("list_runs", json!({ "flow": "/etc/passwd" }), "agent.not_a_flow"),
        ("check_flow", json!({ "flow": "/etc/passwd", "text": edited }), "agent.not_a_flow"),
        ("list_events", json!({ "run": run, "node": "nobody" }), "agent.no_node"),
        ("list_prompts", json!({ "run": run, "node": "nobody" }), "agent.no_node"),
        ("search_prompts", json!({ "run": run, "text": "" }), "command.arguments"),
        ("run_flow", json!({ "flow": file, "input": "Hello" }), "command.arguments"),
        ("run_flow", json!({ "flow": file, "maxUsd": -1 }), "command.arguments"),
        ("propose_edit", json!({ "flow": file, "text": edited, "note": " " }), "command.arguments"),
        ("propose_edit", json!({ "flow": file, "text": edited, "note": note }), "command.arguments"),
    ] {
        assert_eq!(agent.refused(tool, &arguments), code, "{tool} {arguments}");
    }
    // A page behind the end has nothing, wherever it begins.
    assert_eq!(agent.call("list_runs", &json!({ "from": 9_007_199_254_740_991_u64 })), json!([]));
    assert_eq!(
        agent.call("list_events", &json!({ "run": run, "node": "say", "from": 1_000_000 })),
        json!([])
    );
    agent.end();
}

/// A call that a client takes back. It speaks the protocol itself: what the SDK does then is another matter.
#[tokio::test(flavor = "multi_thread")]
async fn flow_is_canceled_with_the_call_that_runs_it() {
    let home = Home::default();
    let nodes = json!({
        "word": { "type": "value", "config": { "value": "Hello" } },
        "hour": { "type": "delay", "config": { "ms": 3_600_000 } },
    });
    let flow = flow_json("waiting", nodes, &["word.value -> hour.in"]);
    let file = home.file("waiting.flow.json", &flow.to_string());
    let mut command = home.command(&["mcp", "serve", "--flow", &file]);
    let mut serving =
        with_store_lock(|| command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    let mut stdin = serving.stdin.take().unwrap();
    let mut send = |message: Value| writeln!(stdin, "{message}").unwrap();
    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }));
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "waiting" } }));
    let becomes = |status: &str| {
        while serde_json::from_str::<Value>(&home.plait(&["runs", "list", "--json"]).out)
            .map_or(true, |runs| runs[0]["status"] != status)
        {
            std::thread::yield_now();
        }
    };
    becomes("running");
    send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }));
    becomes("cancelled");
    drop(stdin);
    assert!(serving.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn data_directory_is_free_between_calls() {
    let home = Home::default();
    let mut agent = Agent::starting(&home, &["mcp", "serve", "--allow", "run", "--spend", "1"]);
    assert_eq!(agent.call("run_flow", &json!({ "flow": "hello" }))["status"], "finished");
    // The window can't be a client: it needs the directory for itself.
    let plait = loop {
        match plait_api::Plait::open(plait_api::Options::new(home.path(), plait_app::parts())) {
            Ok(plait) => break plait,
            Err(error) => assert_eq!(error.code, "store.locked"),
        }
        tokio::task::yield_now().await;
    };
    plait.close().await.unwrap();
    drop(plait);
    assert_eq!(agent.call("list_runs", &json!({})).as_array().unwrap().len(), 1);
    agent.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn http_needs_the_token() {
    let home = Home::default();
    let mut serving = home.spawn(&["mcp", "serve", "--http"]);
    let mut lines = BufReader::new(serving.stderr.take().unwrap()).lines();
    let mut after = |mark: &str| {
        let line = lines.next().unwrap().unwrap();
        line.split_once(mark).unwrap_or_else(|| panic!("{line}")).1.to_owned()
    };
    let (url, token) = (after("Serving MCP at "), after("Authorization: Bearer "));
    let mut agent = Agent::spawn(&home, &[&url, &token]);
    assert!(agent.tools().contains(&"list_runs".to_owned()));
    assert_eq!(agent.call("list_runs", &json!({})), json!([]));
    agent.end();
    let mut stranger = Agent::spawn(&home, &[&url, "guess"]);
    let mut line = String::new();
    stranger.replies.read_line(&mut line).unwrap();
    assert!(line.contains("refused") && line.contains("no token"), "{line}");
    stranger.end();
    serving.kill().unwrap();
    serving.wait().unwrap();
}
