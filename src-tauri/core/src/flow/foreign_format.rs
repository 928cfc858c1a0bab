//! Names the tool that a file belongs to when it is not a flow, so that the error says more than "not a flow".

use serde_json::{Map, Value};

/// What a JSON document that is not a flow probably is, with its article; nothing if it is unknown.
pub(super) fn recognize(document: &Value) -> Option<&'static str> {
    match document {
        Value::Object(object) => recognize_object(object),
        Value::Array(items) => {
            let is_node_red = |item: &Value| {
                item.get("type").is_some() && (item.get("wires").is_some() || item.get("z").is_some())
            };
            items.iter().any(is_node_red).then_some("a Node-RED flow")
        }
        _ => None,
    }
}

fn recognize_object(object: &Map<String, Value>) -> Option<&'static str> {
    let has = |key: &str| object.contains_key(key);
    let has_list = |key: &str| object.get(key).is_some_and(Value::is_array);
    let within = |key: &str, inner: &str| object.get(key).and_then(|value| value.get(inner)).is_some();
    let is_list_within = |key: &str, inner: &str| {
        object.get(key).and_then(|value| value.get(inner)).is_some_and(Value::is_array)
    };
    let any_node_has = |key: &str| {
        let nodes = object.get("nodes").and_then(Value::as_array);
        nodes.is_some_and(|nodes| {
            nodes.iter().any(|node| node.get("data").and_then(|data| data.get(key)).is_some())
        })
    };
    let is_comfy_prompt = || {
        !object.is_empty()
            && object.values().all(|node| node.get("class_type").is_some() && node.get("inputs").is_some())
    };

    // Ordered: formats with more telling keys first.
    if has_list("nodes") && object.get("connections").is_some_and(Value::is_object) {
        Some("an n8n workflow")
    } else if has("last_node_id") || has("last_link_id") || is_comfy_prompt() {
        Some("a ComfyUI workflow")
    } else if is_list_within("data", "nodes") && is_list_within("data", "edges") {
        Some("a Langflow flow")
    } else if has_list("nodes") && any_node_has("baseClasses") {
        Some("a Flowise flow")
    } else if within("workflow", "graph") && has("kind") {
        Some("a Dify app")
    } else if has_list("nodes") && has("inputs") && has("outputs") {
        Some("a Prompt Flow")
    } else if within("data", "graphs") || within("data", "metadata") && has("version") {
        Some("a Rivet project")
    } else if has("openapi") || has("swagger") {
        Some("an OpenAPI document")
    } else if has("compilerOptions") || has("tsconfig") || has("extends") && has("include") {
        Some("a TypeScript configuration")
    } else if has("lockfileVersion") {
        Some("an npm lock file")
    } else if has("dependencies") || has("devDependencies") || has("scripts") && has("name") {
        Some("an npm package description")
    } else if has("mcpServers") {
        Some("an MCP configuration")
    } else if has("cells") && has("nbformat") {
        Some("a Jupyter notebook")
    } else if has("$schema") || has("properties") && has("type") {
        Some("a JSON Schema or a document with one")
    } else {
        None
    }
}

/// The same for a text that is not JSON.
pub(super) fn recognize_text(text: &str) -> Option<&'static str> {
    let has_line = |start: &str| text.lines().take(200).any(|line| line.starts_with(start));
    if has_line("kind: app") && has_line("workflow:") {
        Some("a Dify app")
    } else if has_line("data:") && has_line("  graphs:") {
        Some("a Rivet project")
    } else if has_line("nodes:") && has_line("inputs:") && has_line("outputs:") {
        Some("a Prompt Flow")
    } else if has_line("openapi:") || has_line("swagger:") {
        Some("an OpenAPI document")
    } else if has_line("<?xml") || has_line("<!DOCTYPE") || has_line("<html") {
        Some("XML or HTML")
    } else if has_line("#!") {
        Some("a script")
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
