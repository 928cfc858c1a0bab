//! `plait nodes`: the node types there are, or all there is to know of one.

use std::fmt::Write as _;
use std::io::Write as _;

use plait_api::ErrorReply;
use plait_api::engine::node::{Example, NodeDescriptor};
use plait_api::engine::nodes::registry;
use plait_api::engine::port::{InputPort, PortKind, Ports};
use serde_json::Value;

use crate::args::NodesArgs;
use crate::failure::{Ending, Failure};
use crate::table::table;

pub(crate) fn nodes(args: &NodesArgs) -> Result<Ending, Failure> {
    let registry = registry();
    let mut out = std::io::stdout().lock();
    match &args.node_type {
        None if args.json => writeln!(out, "{}", to_json(&registry.descriptors())?)?,
        None => {
            let mut table = table(&["Type", "What it does", "Section"]);
            for node in registry.descriptors() {
                table.add_row([node.node_type.as_str(), &node.summary, &category(node)]);
            }
            writeln!(
                out,
                "{}\n\n`plait nodes TYPE` shows one with its ports, config and examples.",
                table.trim_fmt()
            )?;
        }
        Some(name) => {
            let node = registry.descriptor(name).ok_or_else(|| unknown(name, &registry.descriptors()))?;
            if args.json {
                writeln!(out, "{}", to_json(node)?)?;
            } else {
                writeln!(out, "{}", detail(node))?;
            }
        }
    }
    Ok(Ending::Finished)
}

fn to_json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| {
        ErrorReply::new("nodes.unwritable", format!("The node types could not be written: {error}.")).into()
    })
}

fn unknown(name: &str, known: &[&NodeDescriptor]) -> ErrorReply {
    let lower = name.to_lowercase();
    let near = known.iter().find(|node| {
        node.node_type.to_lowercase().contains(&lower)
            || node.terms.iter().any(|term| term.to_lowercase() == lower)
    });
    let hint = match near {
        Some(node) => format!("Did you mean `{}`? `plait nodes` lists them all.", node.node_type),
        None => "`plait nodes` lists them all.".to_owned(),
    };
    ErrorReply::new("nodes.unknown", format!("There is no node type `{name}`.")).hint(hint)
}

fn category(node: &NodeDescriptor) -> String {
    serde_json::to_value(node.category)
        .ok()
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_default()
}

fn detail(node: &NodeDescriptor) -> String {
    let mut text =
        format!("{} ({})\n{}\n\n{}\n", node.title, node.node_type, node.summary, node.description.trim());
    text.push_str(&ports(&node.ports));
    text.push_str(&config(&node.config_schema));
    for example in &node.examples {
        text.push_str(&shown(example));
    }
    text.trim_end().to_owned()
}

fn ports(ports: &Ports) -> String {
    let mut text = String::new();
    if !ports.inputs.is_empty() {
        let mut inputs = table(&["Input", "Strand", "Type", "", "What it takes"]);
        for port in &ports.inputs {
            inputs.add_row([
                port.name.as_str(),
                strand(port.kind),
                &port.value_type.to_string(),
                need(port),
                &port.description,
            ]);
        }
        let _ = write!(text, "\n{}\n", inputs.trim_fmt());
    }
    if !ports.outputs.is_empty() {
        let mut outputs = table(&["Output", "Strand", "Type", "What it gives"]);
        for port in &ports.outputs {
            outputs.add_row([
                port.name.as_str(),
                strand(port.kind),
                &port.value_type.to_string(),
                &port.description,
            ]);
        }
        let _ = write!(text, "\n{}\n", outputs.trim_fmt());
    }
    text
}

fn need(port: &InputPort) -> &'static str {
    match (port.required, port.many) {
        (true, true) => "one or more",
        (true, false) => "required",
        (false, true) => "any number",
        (false, false) => "optional",
    }
}

fn strand(kind: PortKind) -> &'static str {
    match kind {
        PortKind::Context => "context",
        PortKind::Data => "data",
        PortKind::Tools => "tools",
    }
}

fn config(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty())
    else {
        return "\nIt takes no config.\n".to_owned();
    };
    let mut table = table(&["Config", "Type", "What it is"]);
    for (name, property) in properties {
        let description = property["description"].as_str().unwrap_or_default();
        table.add_row([name.as_str(), &type_name(property), &description.replace('\n', " ")]);
    }
    format!("\n{}\n", table.trim_fmt())
}

/// The type of a config property in one word or two.
fn type_name(property: &Value) -> String {
    if let Some(reference) = property["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    match &property["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| *name != "null")
            .collect::<Vec<_>>()
            .join(" or "),
        _ => property["anyOf"]
            .as_array()
            .and_then(|options| options.iter().map(type_name).find(|name| !name.is_empty() && name != "null"))
            .unwrap_or_else(|| "any".to_owned()),
    }
}

fn shown(example: &Example) -> String {
    let mut text = format!("\nExample: {}\n", example.title);
    let mut line = |what: &str, value: &str| {
        // Writing into a String does not fail.
        let _ = writeln!(text, "  {what:<8} {value}");
    };
    if example.config != serde_json::json!({}) {
        line("config", &example.config.to_string());
    }
    for (port, value) in &example.inputs {
        line("input", &format!("{port} = {value}"));
    }
    if let Some(answer) = &example.answer {
        line("answer", &answer.to_string());
    }
    match example.outputs.as_object() {
        Some(outputs) => {
            outputs.iter().for_each(|(port, value)| line("output", &format!("{port} = {value}")));
        }
        None => line("output", "depends on the world"),
    }
    text
}
