//! Conditions of agentflows: a program that applies them by Flowise's rules, and a switch for its result.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::graph::text as text_of;
use super::super::settings::Settings;
use super::super::ways::{ProgramInputs, add_ways};
use super::Reader;
use plait_core::id::NodeId;

/// The conditions of Flowise, which a program applies.
const CONDITIONS: &str = include_str!("runtime/conditions.js");
/// The operations that it knows.
const OPERATIONS: [&str; 13] = [
    "contains",
    "notContains",
    "startsWith",
    "endsWith",
    "equal",
    "notEqual",
    "larger",
    "largerEqual",
    "smaller",
    "smallerEqual",
    "regex",
    "isEmpty",
    "notEmpty",
];
impl Reader<'_> {
    pub(super) fn condition(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let written = settings.get("/conditions").and_then(Value::as_str);
        let written = written.and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok());
        let conditions = written.as_deref().unwrap_or_else(|| settings.items("/conditions"));
        if conditions.is_empty() {
            return self.placeholder(at, "It has no condition.");
        }
        let mut inputs = ProgramInputs::default();
        let mut code = CONDITIONS.to_owned();
        let mut names = Vec::new();
        for (index, condition) in conditions.iter().enumerate() {
            let kind = Some(text_of(condition, "type")).filter(|kind| !kind.is_empty()).unwrap_or("string");
            let operation = text_of(condition, "operation");
            let operation = if operation.is_empty() { "equal" } else { operation };
            if !OPERATIONS.contains(&operation) {
                return self.placeholder(at, &format!("Plait has no condition `{operation}`."));
            }
            let one = self.operand(at, kind, condition.get("value1"), &mut inputs);
            let other = self.operand(at, kind, condition.get("value2"), &mut inputs);
            let name = format!("case {index}");
            let _ = writeln!(
                code,
                "if (holds({}, {}, {one}, {other})) return {};",
                json!(kind),
                json!(operation),
                json!(name)
            );
            names.push(name);
        }
        code.push_str("return null;");
        let id = add_ways(&mut self.builder, (node.id, node.title, node.at), &code, &inputs, &names);
        for (index, name) in names.iter().enumerate() {
            self.set_output(at, &index.to_string(), Output::new(&id, name));
        }
        self.set_output(at, &names.len().to_string(), Output::new(&id, "default"));
        id
    }

    /// A side of a condition, in JavaScript. What is left out has the first value of its type.
    fn operand(
        &mut self,
        at: usize,
        kind: &str,
        value: Option<&Value>,
        inputs: &mut ProgramInputs,
    ) -> String {
        match value {
            None | Some(Value::Null) => if kind == "boolean" { "false" } else { "\"\"" }.to_owned(),
            Some(Value::String(text)) => {
                let template = self.template(at, text);
                if let Some(text) = template.literal() {
                    return json!(text).to_string();
                }
                let output = self.text_output(at, "value", &template);
                inputs.read(&output, &[])
            }
            Some(constant) => constant.to_string(),
        }
    }
}
