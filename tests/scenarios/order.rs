//! Order without a value: requests that follow each other by edges into `after`, in flows, pipelines and imported files; and
//! imported flows with another order than the original.

use plait_import::import;
use serde_json::json;

use crate::http_tools::{Machine, WebServer};
use crate::support::folder::flow_json;

/// A POST, and a GET after it that reads nothing of it. The ids put the GET first where nothing else orders the two.
fn post_then_get(server: &WebServer, post: &str) -> String {
    let nodes = json!({
        "a-get": { "type": "httpRequest", "config": { "url": server.url("/orders/1") } },
        "b-post": {
            "type": "httpRequest",
            "config": { "method": "POST", "url": server.url(post), "failOnErrorStatus": true },
            "retry": { "attempts": 1 },
        },
        "out": { "type": "output" },
    });
    let edges = ["b-post.status -> a-get.after", "a-get.status -> out.value"];
    flow_json("order", nodes, &edges).to_string()
}

fn allowed(server: &WebServer) -> String {
    format!("host=127.0.0.1:{}", server.port)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_orders_requests_that_share_no_value() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let flow = machine.write("order.flow.json", &post_then_get(&server, "/orders"));
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_eq!((run.code, run.out.trim()), (0, "200"), "{run:#?}");
    assert_eq!(server.lines(), ["POST /orders", "GET /orders/1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_after_a_failure_does_not_run() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let flow = machine.write("order.flow.json", &post_then_get(&server, "/flaky"));
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert_eq!(server.lines(), ["POST /flaky"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_an_imported_workflow_keep_their_order() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let node = |id: &str, kind: &str, version: f64, parameters: serde_json::Value| json!({ "id": id, "name": id, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let request = |id: &str, method: &str| {
        let parameters = json!({ "url": server.url(&format!("/{id}")), "method": method, "options": {} });
        node(id, "n8n-nodes-base.httpRequest", 4.2, parameters)
    };
    let main = |to: &str| json!({ "main": [[{ "node": to, "type": "main", "index": 0 }]] });
    let workflow = json!({
        "name": "orders",
        "nodes": [
            node("Start", "n8n-nodes-base.manualTrigger", 1.0, json!({})),
            request("create", "POST"), request("fetch", "GET"), request("delete", "DELETE"),
        ],
        "connections": { "Start": main("create"), "create": main("fetch"), "fetch": main("delete") },
    });
    let imported = import(&workflow.to_string(), None, "orders").unwrap();
    assert_eq!(imported.report.lost_edges().count(), 0, "{:#?}", imported.report);
    let text = serde_json::to_string(&imported.flow).unwrap();
    let flow = machine.write("orders.flow.json", &text);
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert_eq!(server.lines(), ["POST /create", "GET /fetch", "DELETE /delete"]);
}

/// A pipeline with two branches: one posts, one gets after it. Each branch has a model that calls its tool once.
fn pipeline(server: &WebServer, post: &str, limit: &str) -> String {
    let agent = |tool: &str, method: &str, path: &str| {
        json!({
            "provider": "offline", "model": "script",
            "http_tools": [{ "name": tool, "description": "A request.", "method": method, "url": server.url(path) }],
            "options": { "replies": [{ "toolCalls": [{ "name": tool, "arguments": {} }] }, { "text": "Done." }] },
        })
    };
    let (write, read) = (agent("post_order", "POST", post), agent("get_order", "GET", "/orders/1"));
    format!(
        "version: \"0.1\"
steps:
  - kind: parallel
    name: both
    branches:
      read:
        - kind: step
          name: fetch
          agent: {read}
          after: create
      write:
        - kind: step
          name: create
          agent: {write}
          retry: {{attempts: 1}}
{limit}"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_of_a_pipeline_follow_each_other_by_after() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let flow = machine.write("order.yaml", &pipeline(&server, "/orders", ""));
    let run = machine.plait(&["run", &flow, "--input", "Go.", "--allow", &allowed(&server)]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert_eq!(server.lines(), ["POST /orders {}", "GET /orders/1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn step_after_a_failed_one_does_not_run() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let flow = machine.write("order.yaml", &pipeline(&server, "/never", "          timeout_ms: 1000\n"));
    let run = machine.plait(&["run", &flow, "--input", "Go.", "--allow", &allowed(&server)]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert_eq!(server.lines(), ["POST /never {}"]);
}

/// Imports a file of the cases with a web server in place of the one that it names.
fn import_case(
    machine: &Machine,
    server: &WebServer,
    triggers: &[(&str, &str)],
    main: serde_json::Value,
) -> String {
    let mut connections = main;
    connections["M"] =
        json!({ "ai_languageModel": [[{ "node": "Paid", "type": "ai_languageModel", "index": 0 }]] });
    let node = |name: &str, kind: &str, version: f64, parameters: serde_json::Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let triggers = triggers.iter().map(|(name, kind)| node(name, kind, 1.0, json!({})));
    let steps = [
        node(
            "Paid",
            "@n8n/n8n-nodes-langchain.chainLlm",
            1.5,
            json!({ "promptType": "define", "text": "expensive" }),
        ),
        node("M", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.0, json!({ "model": "gpt-4o", "options": {} })),
        node(
            "Ok",
            "n8n-nodes-base.respondToWebhook",
            1.1,
            json!({ "respondWith": "text", "responseBody": "fine" }),
        ),
        node(
            "Old request",
            "n8n-nodes-base.httpRequest",
            4.2,
            json!({ "url": server.url("/delete-everything"), "method": "POST", "options": {} }),
        ),
    ];
    let all: Vec<_> = triggers.chain(steps).collect();
    let workflow = json!({ "name": "case", "nodes": all, "connections": connections });
    let file = machine.write("case.json", &workflow.to_string());
    let flow = machine.path("case.flow.json").display().to_string();
    let imported = machine.plait(&["import", &file, "-o", &flow]);
    assert_eq!(imported.code, 0, "{imported:#?}");
    flow
}

fn main_edge(to: &str) -> serde_json::Value {
    json!({ "main": [[{ "node": to, "type": "main", "index": 0 }]] })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_nothing_started_are_disabled_and_older_imports_of_them_wait_for_a_person() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let triggers = [("Start", "n8n-nodes-base.manualTrigger")];
    let flow = import_case(&machine, &server, &triggers, json!({ "Start": main_edge("Ok") }));
    assert_eq!(disabled_in(&flow), ["old-request", "paid"]);
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_eq!((run.code, server.lines().len()), (0, 0), "{run:#?}");

    // As earlier versions imported it: they marked the node in place of disabling it.
    let text = std::fs::read_to_string(&flow).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let node = document["nodes"]["old-request"].as_object_mut().unwrap();
    node.remove("disabled");
    node.insert("unconfirmed".to_owned(), json!([{ "kind": "neverStarted" }]));
    let flow = machine.write("older.flow.json", &document.to_string());
    let check = machine.plait(&["check", &flow]);
    assert_ne!(check.code, 0, "{check:#?}");
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_ne!(run.code, 0, "{run:#?}");
    assert!(run.err.contains("import.never_started") && run.err.contains("confirm it"), "{run:#?}");
    assert_eq!(server.lines(), [""; 0]);
    let confirmed = machine.plait(&["run", &flow, "--confirm-import", "--allow", &allowed(&server)]);
    assert_eq!(confirmed.code, 0, "{confirmed:#?}");
    assert_eq!(server.lines().len(), 1);
    let again = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_ne!(again.code, 0, "the option holds for one run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_of_a_second_trigger_run_only_from_it() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let triggers = [("Chat", "n8n-nodes-base.manualTrigger"), ("Night", "n8n-nodes-base.scheduleTrigger")];
    let to = |names: [&str; 3]| json!({ "main": [names.map(|name| json!({ "node": name, "type": "main", "index": 0 }))] });
    let main = json!({ "Chat": main_edge("Ok"), "Night": to(["Ok", "Old request", "Paid"]) });
    let flow = import_case(&machine, &server, &triggers, main);
    assert_eq!(disabled_in(&flow), [""; 0]);
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_eq!((run.code, server.lines().len()), (0, 0), "{run:#?}");
    let run = machine.plait(&["run", &flow, "--from", "night", "--allow", &allowed(&server)]);
    assert!(run.err.contains("old-request │ → http_request"), "{run:#?}");
}

/// The disabled nodes of a flow file that can ask or change something.
fn disabled_in(flow: &str) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(flow).unwrap()).unwrap();
    let disabled = document["nodes"].as_object().unwrap().iter().filter(|(_, node)| node["disabled"] == true);
    disabled.map(|(id, _)| id.clone()).filter(|id| id == "paid" || id == "old-request").collect()
}
