use serde_json::json;

use super::*;

#[test]
fn workflows_of_other_tools_are_named() {
    for (document, expected) in [
        (json!({ "nodes": [{ "name": "Start" }], "connections": {} }), "an n8n workflow"),
        (json!({ "last_node_id": 3, "nodes": [], "links": [] }), "a ComfyUI workflow"),
        (json!({ "3": { "class_type": "KSampler", "inputs": {} } }), "a ComfyUI workflow"),
        (json!({ "data": { "nodes": [], "edges": [] }, "name": "x" }), "a Langflow flow"),
        (json!({ "nodes": [{ "id": "a", "data": { "baseClasses": [] } }], "edges": [] }), "a Flowise flow"),
        (json!([{ "id": "1", "type": "inject", "z": "2", "wires": [[]] }]), "a Node-RED flow"),
        (json!({ "version": 4, "data": { "graphs": {} } }), "a Rivet project"),
        (json!({ "kind": "app", "workflow": { "graph": {} } }), "a Dify app"),
        (json!({ "openapi": "3.1.0", "paths": {} }), "an OpenAPI document"),
        (json!({ "compilerOptions": {} }), "a TypeScript configuration"),
        (json!({ "name": "x", "scripts": {} }), "an npm package description"),
    ] {
        assert_eq!(recognize(&document), Some(expected), "{document}");
    }
}

#[test]
fn unknown_documents_have_no_name() {
    for document in [json!({}), json!([]), json!("text"), json!({ "nodes": {}, "edges": {} })] {
        assert_eq!(recognize(&document), None, "{document}");
    }
    assert_eq!(recognize_text("hello"), None);
}

#[test]
fn yaml_projects_are_named() {
    assert_eq!(recognize_text("version: 4\ndata:\n  graphs:\n    a: {}\n"), Some("a Rivet project"));
    assert_eq!(
        recognize_text("app:\n  mode: workflow\nkind: app\nworkflow:\n  graph: {}\n"),
        Some("a Dify app")
    );
}
