//! Order without a value: requests that follow each other by edges into `after`, in flows and in imported files.

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
    assert_eq!(server.lines(), ["POST /orders {}", "GET /orders/1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_after_a_failure_does_not_run() {
    let (machine, server) = (Machine::default(), WebServer::start().await);
    let flow = machine.write("order.flow.json", &post_then_get(&server, "/flaky"));
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert_eq!(server.lines(), ["POST /flaky {}"]);
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
    assert_eq!(imported.report.lost_edges(), 0, "{:#?}", imported.report);
    let text = serde_json::to_string(&imported.flow).unwrap();
    let flow = machine.write("orders.flow.json", &text);
    let run = machine.plait(&["run", &flow, "--allow", &allowed(&server)]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert_eq!(server.lines(), ["POST /create {}", "GET /fetch", "DELETE /delete"]);
}
