//! `docs/nodes.md`: the reference of all node types, from what the palette and the inspector know of them.

use std::fmt::Write as _;

use plait_core::port::{InputPort, OutputPort};
use plait_run::node::NodeDescriptor;
use serde_json::Value;

/// The page. Each node type has a section with its title as heading, so that links need nothing but the title.
pub(crate) fn node_page(nodes: &[&NodeDescriptor]) -> String {
    let mut page = String::from(
        "<!-- Generated from the node types by `cargo xtask bindings`. Do not edit. -->\n\n\
         # Nodes\n\n\
         Every node type with its ports and settings, in the order of the palette. The name in code is the `type` in flow \
         files; `plait nodes` prints the same in the terminal.\n\n\
         Every node that runs has one more input, `after`, which takes no value and any number of edges: the node waits until what \
         leads there is done, and is skipped if none of it ran. See [Order without a value](editor.md#order-without-a-value).\n\n\
         | Node | Type | Group | What it does |\n|---|---|---|---|\n",
    );
    for node in nodes {
        let (title, slug, name) = (&node.title, heading_anchor(&node.title), &node.node_type);
        let _ =
            writeln!(page, "| [{title}](#{slug}) | `{name}` | {} | {} |", group(node), cell(&node.summary));
    }
    for node in nodes {
        section(&mut page, node);
    }
    page
}

fn section(page: &mut String, node: &NodeDescriptor) {
    let _ = write!(page, "\n## {}\n\n`{}` · {}", node.title, node.node_type, group(node));
    if !node.aliases.is_empty() {
        let aliases: Vec<_> = node.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let _ = write!(page, " · also read as {}", aliases.join(", "));
    }
    let _ = write!(page, "\n\n{}\n", node.description.trim());
    let ports = &node.ports;
    inputs(page, "Input", &ports.inputs);
    outputs(page, "Output", &ports.outputs);
    outputs(page, "Inside, gives", &ports.inner_outputs);
    inputs(page, "Inside, takes", &ports.inner_inputs);
    let settings = node.settings();
    if !settings.is_empty() {
        page.push_str("\n| Setting | Takes | Default | Description |\n|---|---|---|---|\n");
        for (key, field) in settings {
            let (takes, default) = (cell(&takes(field)), default(field));
            let description = cell(field.get("description").and_then(Value::as_str).unwrap_or_default());
            let _ = writeln!(page, "| `{key}` | {takes} | {default} | {description} |");
        }
    }
}

fn inputs(page: &mut String, title: &str, ports: &[InputPort]) {
    if ports.is_empty() {
        return;
    }
    let _ = writeln!(page, "\n| {title} | Strand | Type | Needed | Description |\n|---|---|---|---|---|");
    for port in ports {
        let needed = match (port.required, port.required_when_fed) {
            (true, _) => "yes",
            (false, true) => "if connected",
            (false, false) => "no",
        };
        let several = if port.many { ", several" } else { "" };
        let (strand, value) = (wire_name(&port.kind), wire_name(&port.value_type));
        let _ = writeln!(
            page,
            "| `{}` | {strand} | {value}{several} | {needed} | {} |",
            port.name,
            cell(&port.description)
        );
    }
}

fn outputs(page: &mut String, title: &str, ports: &[OutputPort]) {
    if ports.is_empty() {
        return;
    }
    let _ = writeln!(page, "\n| {title} | Strand | Type | Description |\n|---|---|---|---|");
    for port in ports {
        let (strand, value) = (wire_name(&port.kind), wire_name(&port.value_type));
        let _ = writeln!(page, "| `{}` | {strand} | {value} | {} |", port.name, cell(&port.description));
    }
}

/// What a field takes, in a few words.
fn takes(field: &Value) -> String {
    let choices = choices(field);
    if !choices.is_empty() {
        return choices.join(", ");
    }
    if let Some(variants) = field.get("anyOf").and_then(Value::as_array) {
        let variants: Vec<_> = variants.iter().filter(|variant| !is_null(variant)).map(takes).collect();
        return variants.join(" or ");
    }
    let types: Vec<&str> = match field.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        _ => Vec::new(),
    };
    let words: Vec<String> = types.iter().map(|name| type_words(name, field)).collect();
    if words.is_empty() { "any JSON".to_owned() } else { words.join(" or ") }
}

fn type_words(name: &str, field: &Value) -> String {
    let range = || match (field.get("minimum"), field.get("maximum")) {
        (Some(low), Some(high)) => format!(", {low} to {high}"),
        (Some(low), None) => format!(", at least {low}"),
        (None, Some(high)) => format!(", at most {high}"),
        (None, None) => String::new(),
    };
    match name {
        "string" => match field.get("format").and_then(Value::as_str) {
            Some("cel") => "an expression in CEL".to_owned(),
            _ => "text".to_owned(),
        },
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a whole number{}", range()),
        "number" => format!("a number{}", range()),
        "array" => match field.get("items") {
            Some(items) => format!("a list of: {}", takes(items)),
            None => "a list".to_owned(),
        },
        _ => "an object".to_owned(),
    }
}

/// The constants that a field can have.
fn choices(field: &Value) -> Vec<String> {
    let constants: Vec<&Value> = match (field.get("enum"), field.get("oneOf")) {
        (Some(Value::Array(values)), _) => values.iter().collect(),
        (_, Some(Value::Array(variants))) => {
            variants.iter().filter_map(|variant| variant.get("const")).collect()
        }
        _ => field.get("const").into_iter().collect(),
    };
    constants.into_iter().filter(|value| !value.is_null()).map(code).collect()
}

/// The default, unless it is nothing.
fn default(field: &Value) -> String {
    let is_empty = |value: &Value| match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        // That of an object stands with its fields.
        Value::Null | Value::Object(_) => true,
        _ => false,
    };
    field.get("default").filter(|value| !is_empty(value)).map(|value| cell(&code(value))).unwrap_or_default()
}

fn is_null(schema: &Value) -> bool {
    schema.get("type") == Some(&Value::String("null".to_owned()))
}

fn code(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

/// A text that fits into a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How it is written in JSON.
fn wire_name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap_or("any").to_owned()
}

fn group(node: &NodeDescriptor) -> String {
    let name = wire_name(&node.category);
    name[..1].to_uppercase() + &name[1..]
}

/// The anchor of a heading, as GitHub and mdBook make it.
pub fn heading_anchor(title: &str) -> String {
    let kept = title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
