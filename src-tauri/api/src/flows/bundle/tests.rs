use std::fs;

use plait_core::flow;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, flow) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, flow.to_string()).unwrap();
    }
    folder
}

/// A flow with a node for each of these files.
fn calling(files: &[&str]) -> Value {
    let nodes: serde_json::Map<_, _> = files
        .iter()
        .enumerate()
        .map(|(at, file)| (format!("n{at}"), json!({ "type": "subflow", "config": { "file": file } })))
        .collect();
    json!({ "version": 1, "name": "Caller", "nodes": nodes, "edges": {} })
}

fn leaf(value: &str) -> Value {
    json!({ "version": 1, "name": "", "nodes": { "v": { "type": "value", "config": { "value": value } } }, "edges": {} })
}

fn bundle(folder: &TempDir, flow: &Value) -> Result<Flow, ErrorReply> {
    let path = folder.path().join("main.flow.json");
    fs::write(&path, flow.to_string()).unwrap();
    let flow = flow::read(&flow.to_string()).unwrap();
    bundle_flow(flow, path.to_str(), &plait_nodes::registry())
}

#[test]
fn bundle_has_the_flows_of_all_files_and_needs_none() {
    let middle = calling(&["../deep/leaf.flow.json"]);
    let files = [
        ("a.flow.json", leaf("a")),
        ("team/middle.flow.json", middle),
        ("deep/leaf.flow.json", leaf("deep")),
    ];
    let folder = folder(&files);
    fs::create_dir(folder.path().join(".git")).unwrap();
    let flow = bundle(&folder, &calling(&["a.flow.json", "team/middle.flow.json", "a.flow.json"])).unwrap();
    let config = |node: &str| flow.nodes[&NodeId::from(node)].config.clone();
    assert_eq!(config("n0")["flow"]["nodes"]["v"]["config"]["value"], "a");
    assert_eq!((config("n0").get("file"), &config("n0")["flow"]["name"]), (None, &json!("a.flow.json")));
    assert_eq!(config("n0"), config("n2"));
    let inner = config("n1")["flow"]["nodes"]["n0"]["config"]["flow"].clone();
    assert_eq!(inner["nodes"]["v"]["config"]["value"], "deep");
    // What was written is read again.
    flow::read(&json!(flow).to_string()).unwrap();
}

#[test]
fn circle_of_files_and_files_of_another_folder_are_refused() {
    let circle =
        folder(&[("a.flow.json", calling(&["b.flow.json"])), ("b.flow.json", calling(&["a.flow.json"]))]);
    assert_eq!(bundle(&circle, &calling(&["a.flow.json"])).unwrap_err().code, "subflow.recursion");
    assert_eq!(bundle(&circle, &calling(&["c.flow.json"])).unwrap_err().code, "subflow.not_found");
    assert_eq!(bundle(&circle, &calling(&["../a.flow.json"])).unwrap_err().code, "subflow.outside_project");

    let mut with_folder = leaf("x");
    with_folder["settings"] = json!({ "folders": [{ "path": "notes" }] });
    let elsewhere = folder(&[("team/x.flow.json", with_folder.clone()), ("x.flow.json", with_folder)]);
    assert_eq!(bundle(&elsewhere, &calling(&["team/x.flow.json"])).unwrap_err().code, "subflow.other_folder");
    bundle(&elsewhere, &calling(&["x.flow.json"])).unwrap();
}
