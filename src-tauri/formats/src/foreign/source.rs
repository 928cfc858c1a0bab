//! The text of a file from another tool in JSON or YAML as a JSON value, and the tool that it is from.

use serde_json::Value;

use super::{Format, MAX_BYTES};
use crate::codes;
use crate::pipeline::read_yaml;
use plait_core::error::Fault;

/// Reads a text; `import.unreadable`, `import.too_large`. JSON is bounded in depth by its parser, YAML in depth and number of values.
pub fn read(text: &str) -> Result<Value, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > MAX_BYTES {
        let (size, limit) = (text.len() >> 20, MAX_BYTES >> 20);
        let message = format!("The file has {size} MB; the limit is {limit} MB.");
        return Err(
            Fault::new(codes::IMPORT_TOO_LARGE, message).hint("Split the flow, and import the parts.")
        );
    }
    if text.trim().is_empty() {
        return Err(unreadable("The file is empty.".to_owned()));
    }
    if text.trim_start().starts_with(['{', '[']) {
        return serde_json::from_str(text).map_err(|error| {
            let problem = error.to_string();
            let problem = problem.split(" at line ").next().unwrap_or(&problem);
            let (line, column) = (error.line(), error.column());
            let message = format!("This is not valid JSON: {problem} at line {line}, column {column}.");
            if problem.starts_with("recursion limit") {
                return Fault::new(codes::IMPORT_TOO_LARGE, message)
                    .hint("Its values are nested too deeply.");
            }
            unreadable(message)
        });
    }
    read_yaml(text).map_err(|error| {
        let message = format!("{} (line {}, column {})", error.diagnostic.message, error.line, error.column);
        if error.diagnostic.code == codes::FLOW_TOO_LARGE {
            return Fault::new(codes::IMPORT_TOO_LARGE, message)
                .hint("Split the flow, and import the parts.");
        }
        unreadable(message)
    })
}

fn unreadable(message: String) -> Fault {
    Fault::new(codes::IMPORT_UNREADABLE, message).hint("Export it again from the tool that it comes from.")
}

/// The tool that a text is from, by what it contains.
pub fn recognize(text: &str) -> Option<Format> {
    format_of(&read(text).ok()?)
}

/// The tool that a document is from, by what it contains.
pub fn format_of(document: &Value) -> Option<Format> {
    // Some tools export lists of flows.
    let document = document.as_array().and_then(|list| list.first()).unwrap_or(document);
    let nodes = document.get("nodes").and_then(Value::as_array);
    let any_node_has =
        |pointer: &str| nodes.is_some_and(|nodes| nodes.iter().any(|node| node.pointer(pointer).is_some()));
    if nodes.is_some() && document.get("connections").is_some_and(Value::is_object) {
        Some(Format::N8n)
    } else if is_prompt_flow(document) {
        Some(Format::PromptFlow)
    } else if document.pointer("/data/graphs").is_some_and(Value::is_object) {
        Some(Format::Rivet)
    } else if document.get("kind").is_some_and(|kind| kind == "app")
        || document.pointer("/app/mode").is_some_and(Value::is_string)
    {
        Some(Format::Dify)
    } else if document.pointer("/data/nodes").is_some_and(Value::is_array)
        || document.get("flows").is_some_and(Value::is_array)
        || any_node_has("/data/node/template")
    {
        Some(Format::Langflow)
    } else if any_node_has("/data/baseClasses")
        || any_node_has("/data/inputAnchors")
        || any_node_has("/data/inputs")
        || document.get("flowData").is_some_and(Value::is_string)
    {
        Some(Format::Flowise)
    } else {
        None
    }
}

/// Whether a document is a flow of Prompt Flow.
fn is_prompt_flow(document: &Value) -> bool {
    let nodes = document.get("nodes").and_then(Value::as_array);
    let is_node = |node: &Value| {
        node.get("name").is_some() && (node.get("source").is_some() || node.get("use_variants").is_some())
    };
    nodes.is_some_and(|nodes| nodes.iter().any(is_node))
        && document.get("outputs").is_some_and(Value::is_object)
}

/// The error for a document of no known tool.
pub fn unknown_format() -> Fault {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.title()).collect();
    let message = format!("This is none of the formats that can be imported: {}.", names.join(", "));
    Fault::new(codes::IMPORT_UNKNOWN_FORMAT, message)
        .hint("Export the flow again from the tool that it comes from, or name its format.")
}
