//! Dify's conditions, which a program applies by Dify's rules, and its classifiers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::chat_call::ChatCall;
use super::super::settings::Settings;
use super::super::ways::{ProgramInputs, add_ways};
use super::selectors::{TEXT, read_selector};
use super::{Ends, Reader, Values};
use plait_core::id::NodeId;
use plait_core::port::PortKind;

/// The conditions of Dify, which a program applies.
const RUNTIME: &str = include_str!("runtime/conditions.js");

/// A program that returns the first way that is taken, and what it reads.
pub(super) struct Conditions {
    pub(super) code: String,
    pub(super) inputs: ProgramInputs,
}

impl Reader<'_> {
    /// `if-else`: a program over the values that its conditions read, and a switch. Each case is a handle.
    pub(super) fn if_else(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let mut cases: Vec<(String, &Value)> = Vec::new();
        for (index, case) in settings.items("/cases").iter().enumerate() {
            let id = case.get("case_id").or_else(|| case.get("id")).and_then(Value::as_str);
            cases.push((id.map_or_else(|| format!("case {}", index + 1), str::to_owned), case));
        }
        settings.ignore_all(&["/conditions", "/logical_operator"]);
        if cases.is_empty() {
            cases.push(("true".to_owned(), node.data));
        }
        let mut names: Vec<String> = Vec::new();
        for (index, (handle, _)) in cases.iter().enumerate() {
            names.push(case_name(handle, index, &names));
        }
        let by_name: Vec<(&str, &Value)> =
            names.iter().zip(&cases).map(|(name, (_, case))| (name.as_str(), *case)).collect();
        let conditions = match self.conditions(&by_name) {
            Ok(conditions) => conditions,
            Err(reason) => return self.placeholder(at, &reason),
        };
        let place = (node.id, node.title, node.at);
        let id = add_ways(&mut self.builder, place, &conditions.code, &conditions.inputs, &names);
        let mut ends = Ends::default();
        for (name, (handle, _)) in names.iter().zip(&cases) {
            ends.by_handle.insert(handle.clone(), Output::new(&id, name));
        }
        ends.rest = Some(Output::new(&id, "default"));
        self.ends.insert(node.id.to_owned(), ends);
        self.set_values(at, Values::default());
        id
    }

    /// Reads cases by their names: lists of conditions that all or any have to hold.
    pub(super) fn conditions(&mut self, cases: &[(&str, &Value)]) -> Result<Conditions, String> {
        let mut inputs = ProgramInputs::default();
        let mut code = format!("{TEXT}{RUNTIME}");
        for (name, case) in cases {
            let mut parts = Vec::new();
            for condition in case.get("conditions").and_then(Value::as_array).into_iter().flatten() {
                parts.push(self.condition(condition, &mut inputs)?);
            }
            if parts.is_empty() {
                return Err("A case has no condition.".to_owned());
            }
            let is_any = case.get("logical_operator").is_some_and(|operator| operator == "or");
            let holds = parts.join(if is_any { "\n  || " } else { "\n  && " });
            let _ = writeln!(code, "if ({holds}) return {};", json!(name));
        }
        code.push_str("return null;");
        Ok(Conditions { code, inputs })
    }

    fn condition(&mut self, condition: &Value, inputs: &mut ProgramInputs) -> Result<String, String> {
        let selector = condition.get("variable_selector").map(read_selector).unwrap_or_default();
        let mut read = |reader: &mut Self, selector: &[String]| match reader.resolve(selector) {
            Some((output, path)) => Ok(inputs.read(&output, &path)),
            None => Err(format!("Its condition reads `{}`, which is not in the flow.", selector.join("."))),
        };
        if condition.get("sub_variable_condition").is_some_and(|sub| !sub.is_null()) {
            return Err("Its condition tests files.".to_owned());
        }
        let value = read(self, &selector)?;
        let operator = condition.get("comparison_operator").and_then(Value::as_str).unwrap_or_default();
        if !OPERATORS.contains(&operator) {
            return Err(format!("Plait has no condition `{operator}`."));
        }
        let expected = match condition.get("value").unwrap_or(&Value::Null) {
            Value::String(text) if text.contains("{{#") => {
                let mut parts = Vec::new();
                let mut rest = text.as_str();
                while let Some((before, after)) = rest.split_once("{{#") {
                    let Some((inner, after)) = after.split_once("#}}") else { break };
                    let selector: Vec<String> = inner.split('.').map(|step| step.trim().to_owned()).collect();
                    parts.push(json!(before).to_string());
                    parts.push(format!("text({})", read(self, &selector)?));
                    rest = after;
                }
                parts.push(json!(rest).to_string());
                format!("[{}].join(\"\")", parts.join(", "))
            }
            constant => constant.to_string(),
        };
        Ok(format!("holds({}, {value}, {expected})", json!(operator)))
    }

    /// `question-classifier`: its classes are handles.
    pub(super) fn classifier(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let mut classes = Vec::new();
        let mut ends = Ends::default();
        let mut names: Vec<String> = Vec::new();
        let id = NodeId::from("");
        for class in settings.items("/classes") {
            let text = |key: &str| class.get(key).and_then(Value::as_str).unwrap_or_default();
            let index = names.len();
            let name = case_name(text("name"), index, &names);
            ends.by_handle.insert(text("id").to_owned(), Output::new(&id, &name));
            classes.push(json!({ "name": name, "description": text("description") }));
            names.push(name);
        }
        if classes.is_empty() {
            return self.placeholder(at, "It has no classes.");
        }
        let query = settings.get("/query_variable_selector").or_else(|| settings.get("/query"));
        let Some(message) = self.output_of(at, query) else {
            return self.placeholder(at, "It classifies a value that is not in the flow.");
        };
        let model = self.model(settings, node.id);
        let instruction =
            settings.text("/instruction").or_else(|| settings.text("/instructions")).unwrap_or_default();
        let instruction = self.template(at, instruction, None).source();
        settings.ignore_all(&["/topics", "/vision", "/memory", "/variables"]);
        let call = ChatCall { model, ..ChatCall::default() };
        let context = call.add_context(&mut self.builder, node.id, node.title, node.at);
        let config = json!({ "classes": classes, "other": false, "instructions": instruction });
        let id = self.builder.add(node.id, node.title, "classify", config, node.at);
        self.builder.connect_as(&context, &id, "context", PortKind::Context);
        self.builder.connect(&message, &id, "message");
        for end in ends.by_handle.values_mut() {
            end.node = id.clone();
        }
        self.ends.insert(node.id.to_owned(), ends);
        self.set_values(at, Values::one("class_name", Output::new(&id, "class")));
        id
    }
}

/// The operators that `runtime/conditions.js` knows.
const OPERATORS: [&str; 21] = [
    "contains",
    "not contains",
    "start with",
    "end with",
    "is",
    "is not",
    "empty",
    "not empty",
    "null",
    "not null",
    "exists",
    "not exists",
    "in",
    "not in",
    "all of",
    "=",
    "≠",
    ">",
    "<",
    "≥",
    "≤",
];

/// A name for an output, not used yet.
fn case_name(wanted: &str, index: usize, names: &[String]) -> String {
    const MAX_CHARS: usize = 60;
    let wanted: String = wanted.trim().chars().take(MAX_CHARS).collect();
    let is_reserved =
        ["default", "error", "context", "class", "reason", "other", "false"].contains(&wanted.as_str());
    let is_id = wanted.len() == 36 && wanted.matches('-').count() == 4;
    let mut name =
        if wanted.is_empty() || is_reserved || is_id { format!("case {}", index + 1) } else { wanted };
    while names.contains(&name) {
        name.push('\'');
    }
    name
}
