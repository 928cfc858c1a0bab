//! Dify's conditions, as conditions in CEL, and its classifiers.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::cel::{self, Operator};
use super::super::chat_call::ChatCall;
use super::super::settings::Settings;
use super::selectors::read_selector;
use super::{Ends, Reader, Values};
use plait_core::id::NodeId;
use plait_core::port::PortKind;

/// A condition that was read: CEL, over these values by their names.
pub(super) struct Conditions {
    pub(super) cases: Vec<(String, String)>,
    pub(super) values: Vec<(String, Output, Vec<String>)>,
}

impl Reader<'_> {
    /// `if-else`: a switch over the values that its conditions read. Each case is a handle.
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
        let conditions = match self.conditions(&cases) {
            Ok(conditions) => conditions,
            Err(reason) => return self.placeholder(at, &reason),
        };
        let Some((subject, single)) = self.subject(at, &conditions.values) else {
            return self.placeholder(at, "Its conditions read no value of the flow.");
        };
        let mut names: Vec<String> = Vec::new();
        let mut ends = Ends::default();
        let id = self.builder.add(node.id, node.title, "switch", json!({}), node.at);
        let mut written = Vec::new();
        for (index, (handle, cel)) in conditions.cases.iter().enumerate() {
            let name = case_name(handle, index, &names);
            let cel = if single { cel.replace("value.v0", "value") } else { cel.clone() };
            written.push(json!({ "name": name, "when": cel }));
            ends.by_handle.insert(handle.clone(), Output::new(&id, &name));
            names.push(name);
        }
        if let Some(config) = self.builder.config(&id) {
            config.insert("cases".to_owned(), written.into());
        }
        self.builder.connect(&subject, &id, "value");
        ends.rest = Some(Output::new(&id, "default"));
        self.ends.insert(node.id.to_owned(), ends);
        self.set_values(at, Values::default());
        id
    }

    /// What a switch tests: the only value, or an object of all, and which of both.
    pub(super) fn subject(
        &mut self,
        at: usize,
        values: &[(String, Output, Vec<String>)],
    ) -> Option<(Output, bool)> {
        match values {
            [] => None,
            [(_, output, path)] => Some((self.field(at, output, path), true)),
            _ => Some((self.join(at, values), false)),
        }
    }

    /// Reads cases: lists of conditions that all or any have to hold.
    pub(super) fn conditions(&mut self, cases: &[(String, &Value)]) -> Result<Conditions, String> {
        let mut values: Vec<(String, Output, Vec<String>)> = Vec::new();
        let mut written = Vec::new();
        for (handle, case) in cases {
            let mut parts = Vec::new();
            for condition in case.get("conditions").and_then(Value::as_array).into_iter().flatten() {
                parts.push(self.condition(condition, &mut values)?);
            }
            let any = case.get("logical_operator").is_some_and(|operator| operator == "or");
            if parts.is_empty() {
                return Err("A case has no condition.".to_owned());
            }
            let cel = cel::combine(&parts, any);
            written.push((handle.clone(), cel));
        }
        Ok(Conditions { cases: written, values })
    }

    fn condition(
        &mut self,
        condition: &Value,
        values: &mut Vec<(String, Output, Vec<String>)>,
    ) -> Result<String, String> {
        let text = |key: &str| condition.get(key).and_then(Value::as_str).unwrap_or_default();
        let selector = condition.get("variable_selector").map(read_selector).unwrap_or_default();
        let (output, path) = self.resolve(&selector).ok_or_else(|| {
            format!("Its condition reads `{}`, which is not in the flow.", selector.join("."))
        })?;
        let known = values.iter().position(|(_, known, own)| *known == output && *own == path);
        let index = known.unwrap_or_else(|| {
            values.push((format!("v{}", values.len()), output, path));
            values.len() - 1
        });
        let left = format!("value.v{index}");
        let operator = text("comparison_operator");
        let kind = text("varType");
        let is_number = kind == "number" || matches!(operator, "=" | "≠" | ">" | "<" | "≥" | "≤");
        let value = condition.get("value").cloned().unwrap_or_default();
        let right = match &value {
            Value::String(text) if text.contains("{{#") => {
                return Err("Its condition compares two values of the flow.".to_owned());
            }
            Value::String(text) if is_number && text.trim().parse::<f64>().is_ok() => text.trim().to_owned(),
            Value::String(text) if kind == "boolean" => (text == "true" || text == "True").to_string(),
            other => other.to_string(),
        };
        let operator =
            read_operator(operator).ok_or_else(|| format!("Plait has no condition `{operator}`."))?;
        Ok(cel::Comparison { left, operator, right }.write())
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

/// An operator, by the names that Dify has for it.
fn read_operator(name: &str) -> Option<Operator> {
    Some(match name {
        "is" | "=" | "==" | "equal" => Operator::Equal,
        "is not" | "≠" | "!=" | "not equal" => Operator::NotEqual,
        "contains" => Operator::Contains,
        "not contains" => Operator::NotContains,
        "start with" => Operator::StartsWith,
        "end with" => Operator::EndsWith,
        ">" => Operator::Greater,
        "<" => Operator::Less,
        "≥" => Operator::GreaterEqual,
        "≤" => Operator::LessEqual,
        "empty" => Operator::Empty,
        "not empty" => Operator::NotEmpty,
        "null" | "not exists" => Operator::Null,
        "not null" | "exists" => Operator::NotNull,
        "in" => Operator::In,
        "not in" => Operator::NotIn,
        _ => return None,
    })
}

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
