//! Sub-flows of published flows, and of flows in the folder of the host.

use serde_json::{Value, json};

use crate::process::{Data, edge};

/// Outputs what the flow in a file says.
pub fn calling(file: &str) -> Value {
    json!({
        "version": 1, "name": "Caller", "layout": {},
        "nodes": {
            "call": { "type": "subflow", "config": { "file": file, "inputSource": "mapping" } },
            "out": { "type": "output" },
        },
        "edges": { "a": edge("call", "text", "out", "value") },
    })
}

pub fn saying(text: &str) -> Value {
    json!({
        "version": 1, "name": "Said", "layout": {},
        "nodes": { "text": { "type": "value", "config": { "value": text } }, "out": { "type": "output" } },
        "edges": { "a": edge("text", "value", "out", "value") },
    })
}

#[tokio::test]
async fn version_has_the_subflows_of_the_moment_it_was_published() {
    let data = Data::new();
    data.flow("call.flow.json", &calling("said.flow.json"));
    data.flow("said.flow.json", &saying("before"));
    let host = data.serve();
    host.publish(&["call"]).await;
    data.flow("said.flow.json", &saying("after"));
    let said = async || {
        let (status, run) = host.post("runner", "/flows/call/runs", json!({})).await;
        assert_eq!(status, 200, "{run}");
        run["outputs"]["out"]["value"].clone()
    };
    assert_eq!(said().await, "before");
    host.publish(&["call"]).await;
    assert_eq!(said().await, "after");
    data.execute(&["roll-back", "call", "1"]);
    std::fs::remove_file(data.path().join("host/flows/said.flow.json")).unwrap();
    assert_eq!(said().await, "before");
    // Without its sub-flow, the file is not published again.
    let publish = json!({ "name": "call", "path": "call.flow.json" });
    let (status, error) = host.post("editor", "/commands/published.publish", publish).await;
    assert!(status.is_client_error(), "{error}");
}

#[tokio::test]
async fn subflow_outside_of_the_folder_is_not_read() {
    let data = Data::new();
    // The folder with the flows is a part of a larger project.
    let project = tempfile::tempdir().unwrap();
    std::fs::create_dir(project.path().join(".git")).unwrap();
    std::fs::write(project.path().join("secret.flow.json"), saying("secret").to_string()).unwrap();
    let flows = project.path().join("flows");
    let inside = flows.join("team");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::write(flows.join("said.flow.json"), saying("inside").to_string()).unwrap();
    let host = data.serve_with(&["--flows", flows.to_str().unwrap()]);
    let check = async |file: &str| {
        let args = json!({ "flow": calling(file), "path": "team/call.flow.json" });
        host.command("flow.check", args).await["diagnostics"].to_string()
    };
    assert!(!check("../said.flow.json").await.contains("subflow."));
    assert!(check("../../secret.flow.json").await.contains("subflow.outside_project"));
    let start = json!({ "flow": calling("../../secret.flow.json"), "path": "team/call.flow.json" });
    let run = host.command("run.start", start).await["run"].as_str().unwrap().to_owned();
    let (_, state) = host.get("viewer", &format!("/runs/{run}?wait=60")).await;
    assert_eq!(state["status"], "failed", "{state}");
    assert!(state.to_string().contains("subflow.outside_project"), "{state}");
}
