use plait_core::flow::{self, Flow};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn parsed(document: &Value) -> Flow {
    flow::read(&document.to_string()).unwrap()
}

fn document() -> Value {
    json!({
        "version": 1,
        "name": "Report",
        "nodes": {
            "start": { "type": "contextStart", "config": { "model": "small" } },
            "topic": { "type": "value", "config": { "value": "tea" } },
            "each": { "type": "loop", "config": { "kind": "times", "count": 2 } },
            "draft": { "type": "chat", "parent": "each", "config": { "instructions": "Write about {{topic}}. Be brief." } },
            "send": { "type": "output" },
        },
        "edges": {
            "1": { "source": "start", "sourceOutput": "context", "target": "draft", "targetInput": "context" },
            "2": { "source": "topic", "sourceOutput": "value", "target": "draft", "targetInput": "message" },
            "3": { "source": "each", "sourceOutput": "result", "target": "send", "targetInput": "value" },
        },
        "layout": { "start": { "x": 0, "y": 0 } },
    })
}

/// What differs after an edit, each as a line.
fn changes(edit: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut edited = document();
    edit(&mut edited);
    let diff = FlowDiff::between(&parsed(&document()), &parsed(&edited));
    let ends = |edge: &EdgeEnds| {
        format!("{}.{} -> {}.{}", edge.source, edge.source_output, edge.target, edge.target_input)
    };
    let line = |change: &FlowChange| match change {
        FlowChange::Flow { change } => format!("flow {}", change.pointer),
        FlowChange::NodeAdded { node, .. } => format!("+ {node}"),
        FlowChange::NodeRemoved { node, .. } => format!("- {node}"),
        FlowChange::NodeRenamed { from, to } => format!("{from} is {to}"),
        FlowChange::Node { node, change } => format!("{node} {}", change.pointer),
        FlowChange::EdgeAdded { edge } => format!("+ {}", ends(edge)),
        FlowChange::EdgeRemoved { edge } => format!("- {}", ends(edge)),
    };
    diff.changes.iter().map(line).collect()
}

/// Gives nodes other ids, in all that refers to them.
fn rename(document: &mut Value, from: &str, to: &str) {
    let node = document["nodes"].as_object_mut().unwrap().remove(from).unwrap();
    document["nodes"][to] = node;
    for node in document["nodes"].as_object_mut().unwrap().values_mut() {
        if node["parent"] == from {
            node["parent"] = json!(to);
        }
    }
    for edge in document["edges"].as_object_mut().unwrap().values_mut() {
        for end in ["source", "target"] {
            if edge[end] == from {
                edge[end] = json!(to);
            }
        }
    }
}

#[test]
fn moving_and_other_ids_of_edges_are_no_change() {
    let changed = changes(|flow| {
        flow["layout"]["start"] = json!({ "x": 500, "y": 3 });
        flow["layout"]["send"] = json!({ "x": 1, "y": 1 });
        let edge = flow["edges"].as_object_mut().unwrap().remove("1").unwrap();
        flow["edges"]["other"] = edge;
    });
    assert_eq!(changed, [""; 0]);
}

#[test]
fn rename_is_one_change() {
    assert_eq!(changes(|flow| rename(flow, "topic", "subject")), ["topic is subject"]);
    assert_eq!(changes(|flow| rename(flow, "each", "rounds")), ["each is rounds"]);
    let with_reference = changes(|flow| {
        rename(flow, "topic", "subject");
        flow["nodes"]["draft"]["config"]["instructions"] = json!("Write about {{subject}}. Be brief.");
    });
    assert_eq!(with_reference, ["topic is subject"]);
}

#[test]
fn neighbors_can_be_renamed_together() {
    let changed = changes(|flow| {
        rename(flow, "each", "rounds");
        rename(flow, "draft", "writer");
        rename(flow, "send", "out");
    });
    assert_eq!(changed, ["send is out", "each is rounds", "draft is writer"]);
}

#[test]
fn changed_values_have_their_place_and_words() {
    let mut edited = document();
    edited["nodes"]["draft"]["config"]["instructions"] = json!("Write about {{topic}}. Be thorough.");
    edited["nodes"]["draft"]["limits"] = json!({ "timeoutMs": 5 });
    edited["settings"] = json!({ "maxConcurrency": 3 });
    let diff = FlowDiff::between(&parsed(&document()), &parsed(&edited));
    let [
        FlowChange::Flow { change: setting },
        FlowChange::Node { node, change },
        FlowChange::Node { change: limits, .. },
    ] = &*diff.changes
    else {
        panic!("{diff:#?}")
    };
    assert_eq!((setting.pointer.as_str(), &setting.before), ("/settings", &None));
    assert_eq!((node.as_str(), change.pointer.as_str()), ("draft", "/config/instructions"));
    let differing: Vec<&str> = change
        .words
        .iter()
        .filter(|piece| piece.side != crate::words::PieceSide::Both)
        .map(|piece| &*piece.text)
        .collect();
    assert_eq!(differing, ["brief", "thorough"]);
    assert_eq!(limits.pointer, "/limits");
}

#[test]
fn added_and_removed_nodes_come_with_their_edges() {
    let changed = changes(|flow| {
        flow["nodes"].as_object_mut().unwrap().remove("send");
        flow["edges"].as_object_mut().unwrap().remove("3");
        flow["nodes"]["judge"] = json!({ "type": "chat", "config": { "instructions": "Judge." } });
        flow["edges"]["4"] = json!({ "source": "start", "sourceOutput": "context", "target": "judge", "targetInput": "context" });
    });
    assert_eq!(
        changed,
        ["+ judge", "- send", "- each.result -> send.value", "+ start.context -> judge.context"]
    );
}

proptest! {
    /// Renaming any nodes is found as just that.
    #[test]
    fn any_renames_are_found(which in proptest::collection::vec(any::<bool>(), 5)) {
        let ids = ["start", "topic", "each", "draft", "send"];
        let mut edited = document();
        let mut expected = 0;
        for (id, _) in ids.iter().zip(&which).filter(|(_, renamed)| **renamed) {
            rename(&mut edited, id, &format!("new-{id}"));
            expected += 1;
        }
        let diff = FlowDiff::between(&parsed(&document()), &parsed(&edited));
        let renamed = |change: &&FlowChange| matches!(change, FlowChange::NodeRenamed { from, to } if to.as_str() == format!("new-{from}"));
        let found = diff.changes.iter().filter(renamed).count();
        prop_assert_eq!((found, diff.changes.len()), (expected, expected));
    }
}
