//! What Rivet's nodes make of values. The table `tests/fixtures/import/rivet-values.json` has for each case a node, its settings, its
//! inputs and the value of one of its outputs in Rivet. Without a value, Rivet excludes the output. The cases are parts of one graph,
//! which runs.

use plait_import::import;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::run_flow;
use crate::support::fixture;
use crate::support::provider::RecordingProvider;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    node: String,
    #[serde(default)]
    settings: Map<String, Value>,
    inputs: Map<String, Value>,
    #[serde(default = "usual_output")]
    output: String,
    value: Option<Value>,
}

fn usual_output() -> String {
    "output".to_owned()
}

/// A node with the input of another one that it leads to.
fn node(nodes: &mut Map<String, Value>, id: &str, kind: &str, data: &Value, to: &str) {
    let key = format!("[{id}]:{kind} \"{id}\"");
    nodes.insert(key, json!({ "data": data, "visualData": "0/0/200/0//", "outgoingConnections": [to] }));
}

/// The nodes of a case: its node, those that make its inputs, and an output of the graph.
fn add(nodes: &mut Map<String, Value>, index: usize, case: &Case) {
    let id = format!("t{index}");
    for (port, value) in &case.inputs {
        let source = format!("{id}-{port}");
        let to = |output: &str| format!("{output}->\"{id}\" {id}/{port}");
        match value {
            Value::String(text) => node(nodes, &source, "text", &json!({ "text": text }), &to("output")),
            Value::Number(_) => node(nodes, &source, "number", &json!({ "value": value }), &to("value")),
            Value::Bool(_) => node(nodes, &source, "boolean", &json!({ "value": value }), &to("value")),
            _ => {
                let text = format!("{source}-text");
                let parse = format!("output->\"{source}\" {source}/input");
                node(nodes, &text, "text", &json!({ "text": value.to_string() }), &parse);
                node(nodes, &source, "extractJson", &json!({}), &to("output"));
            }
        }
    }
    let end = format!("out{index}");
    let to = format!("{}->\"{end}\" {end}/value", case.output);
    node(nodes, &id, &case.node, &case.settings.clone().into(), &to);
    let key = format!("[{end}]:graphOutput \"{end}\"");
    nodes.insert(key, json!({ "data": { "id": end, "dataType": "any" }, "visualData": "0/0/200/0//" }));
}

#[tokio::test]
async fn rivet_nodes_make_the_values_of_rivet() {
    let table = std::fs::read_to_string(fixture("import/rivet-values.json")).unwrap();
    let cases: Vec<Case> = serde_json::from_str(&table).unwrap();
    let mut nodes = Map::new();
    for (index, case) in cases.iter().enumerate() {
        add(&mut nodes, index, case);
    }
    let graph = json!({ "metadata": { "id": "g", "name": "Table" }, "nodes": nodes });
    let metadata = json!({ "id": "p", "title": "Table", "mainGraphId": "g" });
    let project =
        json!({ "version": 4, "data": { "graphs": { "g": graph }, "metadata": metadata, "plugins": [] } });
    let imported = import(&project.to_string(), None, "x").unwrap();
    let (_, journal) = run_flow(imported.flow, &RecordingProvider::echo(), "", []).await;
    let finished = journal.finish_counts();
    for (index, case) in cases.iter().enumerate() {
        let end = format!("out{index}");
        let found = finished.contains_key(&end).then(|| journal.output(&end, "value"));
        assert_eq!(found, case.value, "{case:?}");
    }
}
