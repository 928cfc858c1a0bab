//! Small files that stand for much more than they hold, and files at the limits.

use serde_json::{Value, json};

use super::import;
use plait_formats::foreign::{Format, ImportedNode};

fn code(document: &Value, format: Format) -> Option<String> {
    import(&document.to_string(), Some(format), "x").err().map(|fault| fault.code.as_str().to_owned())
}

/// A prompt of Langflow with these fields.
fn prompt(id: &str, template: &str) -> Value {
    json!({ "id": id, "data": {
        "type": "Prompt",
        "node": { "display_name": id, "template": { "template": { "value": template } } },
    } })
}

#[test]
fn langflow_prompts_that_double_each_other_are_too_large() {
    let nodes: Vec<Value> =
        (0..40).map(|at| prompt(&format!("p{at}"), if at == 0 { "text" } else { "{a}{b}" })).collect();
    let edge = |from: usize, field: &str| {
        json!({
            "source": format!("p{from}"), "target": format!("p{}", from + 1),
            "data": { "targetHandle": { "fieldName": field }, "sourceHandle": { "name": "prompt" } },
        })
    };
    let edges: Vec<Value> = (0..39).flat_map(|at| [edge(at, "a"), edge(at, "b")]).collect();
    let document = json!({ "data": { "nodes": nodes, "edges": edges } });
    assert_eq!(code(&document, Format::Langflow), Some("import.too_large".to_owned()));
}

#[test]
fn rivet_prompts_that_double_each_other_are_too_large() {
    let node = |at: usize| {
        let kind = if at == 0 { "prompt" } else { "assemblePrompt" };
        json!({ "id": format!("n{at}"), "type": kind, "title": "", "data": { "promptText": "x" }, "visualData": {} })
    };
    let edge = |from: usize, input: &str| {
        json!({
            "outputNodeId": format!("n{from}"), "outputId": "prompt",
            "inputNodeId": format!("n{}", from + 1), "inputId": input,
        })
    };
    let graph = json!({
        "metadata": { "name": "g" },
        "nodes": (0..40).map(node).collect::<Vec<_>>(),
        "connections": (0..39).flat_map(|at| [edge(at, "message1"), edge(at, "message2")]).collect::<Vec<_>>(),
    });
    let document = json!({ "data": { "metadata": { "mainGraphId": "g" }, "graphs": { "g": graph } } });
    assert_eq!(code(&document, Format::Rivet), Some("import.too_large".to_owned()));
}

#[test]
fn rivet_graph_that_is_called_often_counts_each_time() {
    let note = json!({ "id": "n", "type": "unknown", "title": "", "data": { "list": vec![0; 50_000] } });
    let call = |at: usize| json!({ "id": format!("c{at}"), "type": "subGraph", "title": "", "data": { "graphId": "inner" } });
    let document = json!({ "data": { "metadata": { "mainGraphId": "main" }, "graphs": {
        "main": { "nodes": (0..100).map(call).collect::<Vec<_>>(), "connections": [] },
        "inner": { "nodes": [note], "connections": [] },
    } } });
    assert_eq!(code(&document, Format::Rivet), Some("import.too_large".to_owned()));
}

#[test]
fn n8n_nested_workflows_share_one_limit_of_nodes() {
    let nodes = |count: usize| -> Vec<Value> {
        (0..count).map(|at| json!({ "name": format!("n{at}"), "type": "x.noOp", "parameters": {} })).collect()
    };
    let inner = json!({ "nodes": nodes(2_600), "connections": {} }).to_string();
    let call = |name: &str| json!({ "name": name, "type": "x.executeWorkflow", "parameters": { "workflowJson": inner } });
    let document = json!({ "nodes": [call("a"), call("b")], "connections": {} });
    let imported = import(&document.to_string(), None, "x").unwrap();
    let is_refused = |node: &&ImportedNode| node.lost.join(" ").contains("more than 5000 nodes");
    assert_eq!(imported.report.nodes.iter().filter(is_refused).count(), 1);
}

#[test]
fn containers_with_many_followers_take_few_steps() {
    // One entry for each pair of a child and a follower would be six million.
    let node = |id: String, kind: &str, parent: Option<&str>| json!({ "id": id, "parentId": parent, "data": { "type": kind, "title": "t" } });
    let mut nodes = vec![node("box".into(), "iteration", None)];
    nodes.extend((0..2_400).map(|at| node(format!("in{at}"), "tool", Some("box"))));
    nodes.extend((0..2_400).map(|at| node(format!("out{at}"), "tool", None)));
    let edges: Vec<Value> =
        (0..2_400).map(|at| json!({ "source": "box", "target": format!("out{at}") })).collect();
    let document = json!({ "kind": "app", "workflow": { "graph": { "nodes": nodes, "edges": edges } } });
    assert_eq!(code(&document, Format::Dify), None);
}

#[test]
fn cards_at_one_place_are_spread_without_trying_each_place_again() {
    let nodes: Vec<Value> = (0..5_000)
        .map(|at| json!({ "name": format!("n{at}"), "type": "x.unknown", "parameters": {}, "position": [0, 0] }))
        .collect();
    let document = json!({ "nodes": nodes, "connections": {} });
    let imported = import(&document.to_string(), None, "x").unwrap();
    let mut tops: Vec<f64> = imported.flow.layout.values().map(|at| at.y).collect();
    tops.sort_by(f64::total_cmp);
    tops.dedup();
    assert_eq!(tops.len(), 5_000);
}
