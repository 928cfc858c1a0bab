//! `plait nodes`.
use std::fmt::Write as _;
use std::io::Write as _;

use clap::Args;
use plait_api::ErrorReply;
use plait_core::port::{InputPort, PortKind, Ports};
use plait_nodes::registry;
use plait_run::node::{Example, NodeDescriptor};
use serde_json::Value;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::format::{new_table, to_json};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plait nodes\n  plait nodes chat\n  plait nodes --json | jq '.[].type'")]
pub(crate) struct NodesArgs {
    /// Node type to show.
    #[arg(value_name = "TYPE")]
    node_type: Option<String>,
    /// Print the descriptions as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn execute(args: &NodesArgs) -> Result<ExitStatus, CliError> {
    let registry = registry();
    let mut out = stdout();
    match &args.node_type {
        None if args.json => writeln!(out, "{}", to_json(&registry.descriptors())?)?,
        None => {
            let mut table = new_table(&["Type", "Description", "Category"]);
            for node in registry.descriptors() {
                table.add_row([node.node_type.as_str(), &node.summary, &category(node)]);
            }
            writeln!(
                out,
                "{}\n\nEvery node that runs has the input `after` as well: it waits for what leads there, and takes no value.\nRun `plait nodes TYPE` to see the ports, config and examples of a node type.",
                table.trim_fmt()
            )?;
        }
        Some(name) => {
            let node =
                registry.descriptor(name).ok_or_else(|| unknown_type(name, &registry.descriptors()))?;
            if args.json {
                writeln!(out, "{}", to_json(node)?)?;
            } else {
                writeln!(out, "{}", description(node))?;
            }
        }
    }
    Ok(ExitStatus::Success)
}

fn unknown_type(name: &str, known: &[&NodeDescriptor]) -> ErrorReply {
    let lower = name.to_lowercase();
    let similar = known.iter().find(|node| {
        node.node_type.to_lowercase().contains(&lower)
            || node.terms.iter().any(|term| term.to_lowercase() == lower)
    });
    let hint = match similar {
        Some(node) => format!("Did you mean `{}`? `plait nodes` lists all node types.", node.node_type),
        None => "`plait nodes` lists all node types.".to_owned(),
    };
    ErrorReply::new(codes::NODES_UNKNOWN, format!("There is no node type `{name}`.")).hint(hint)
}

fn category(node: &NodeDescriptor) -> String {
    serde_json::to_value(node.category)
        .ok()
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_default()
}

fn description(node: &NodeDescriptor) -> String {
    let mut text =
        format!("{} ({})\n{}\n\n{}\n", node.title, node.node_type, node.summary, node.description.trim());
    text.push_str(&ports_text(&node.ports));
    text.push_str(&config_text(node));
    for example in &node.examples {
        text.push_str(&example_text(example));
    }
    text.trim_end().to_owned()
}

fn ports_text(ports: &Ports) -> String {
    let mut text = String::new();
    if !ports.inputs.is_empty() {
        let mut inputs = new_table(&["Input", "Strand", "Type", "Edges", "Description"]);
        for port in &ports.inputs {
            inputs.add_row([
                port.name.as_str(),
                strand(port.kind),
                &port.value_type.to_string(),
                edge_count(port),
                &port.description,
            ]);
        }
        let _ = write!(text, "\n{}\n", inputs.trim_fmt());
    }
    if !ports.outputs.is_empty() {
        let mut outputs = new_table(&["Output", "Strand", "Type", "Description"]);
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

fn edge_count(port: &InputPort) -> &'static str {
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

fn config_text(node: &NodeDescriptor) -> String {
    let settings = node.settings();
    if settings.is_empty() {
        return "\nNo config.\n".to_owned();
    }
    let mut table = new_table(&["Config", "Type", "Description"]);
    for (path, property) in settings {
        let description = property["description"].as_str().unwrap_or_default();
        table.add_row([path.as_str(), &type_name(property), &description.replace('\n', " ")]);
    }
    format!("\n{}\n", table.trim_fmt())
}

/// A short name for the type of a config property.
fn type_name(property: &Value) -> String {
    if let Some(reference) = property["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let words = words(property);
    if !words.is_empty() {
        return words.join(", ");
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

/// The words that a property takes, if it takes nothing else.
fn words(property: &Value) -> Vec<&str> {
    let constants = property["oneOf"].as_array().into_iter().flatten().map(|choice| &choice["const"]);
    property["enum"].as_array().into_iter().flatten().chain(constants).filter_map(Value::as_str).collect()
}

fn example_text(example: &Example) -> String {
    let mut text = format!("\nExample: {}\n", example.title);
    let mut line = |label: &str, value: &str| {
        // Writing to a `String` never fails.
        let _ = writeln!(text, "  {label:<8} {value}");
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
        None => line("output", "depends on the environment"),
    }
    text
}
