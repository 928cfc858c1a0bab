//! The inputs of a flow: what a person is asked for.

use serde_json::{Map, Value, json};

use super::super::builder::Output;
use super::super::graph::text as text_of;
use super::super::point::Point;
use super::super::template::TemplateText;
use super::Reader;

impl Reader<'_> {
    /// Adds what gives the inputs: a text for the message of a chat or the only text, a form for all others.
    pub(super) fn inputs(&mut self) {
        let declared = self.declared_inputs();
        let is_history = |name: &str, input: &Value| {
            input.get("is_chat_history") == Some(&Value::Bool(true)) || name == "chat_history"
        };
        let asked: Vec<_> =
            declared.iter().filter(|(name, input)| !is_history(name, input)).copied().collect();
        let message = asked.iter().find(|(_, input)| input.get("is_chat_input") == Some(&Value::Bool(true)));
        let only = asked.first().filter(|(_, input)| asked.len() == 1 && text_of(input, "type") == "string");
        let text = message.or(only).map(|(name, _)| name.as_str());
        let (mut properties, mut form) = (Map::new(), Vec::new());
        for (row, (name, input)) in (0_u32..).zip(declared) {
            let id = input_id(name);
            let at = Point::default().beside(-1.5, f64::from(row));
            if is_history(name, input) {
                self.histories.push(name);
                continue;
            }
            let default = input.get("default").filter(|default| !default.is_null());
            if Some(name.as_str()) == text {
                let default = default.and_then(Value::as_str).unwrap_or_default();
                let start = self.builder.add(&id, name, "manualInput", json!({ "text": default }), at);
                self.inputs.insert(name, Output::new(&start, "value"));
                continue;
            }
            let mut schema = match text_of(input, "type") {
                "int" => json!({ "type": "integer" }),
                "double" => json!({ "type": "number" }),
                "bool" => json!({ "type": "boolean" }),
                "list" => json!({ "type": "array" }),
                "object" => json!({ "type": "object" }),
                "image" => {
                    self.builder.lose(&id, "Its image: attach files to a question with `attachments`.");
                    json!({})
                }
                _ => json!({ "type": "string" }),
            };
            if let Some(default) = default {
                schema["default"] = default.clone();
            }
            if let Some(description) = input.get("description") {
                schema["description"] = description.clone();
            }
            properties.insert(name.clone(), schema);
            form.push((name, at));
        }
        let Some(&(first, at)) = form.first() else { return };
        let required: Vec<&String> = properties
            .iter()
            .filter(|(_, schema)| schema.get("default").is_none())
            .map(|(name, _)| name)
            .collect();
        let schema = json!({ "type": "object", "properties": &properties, "required": required });
        let prompt = TemplateText::constant(&format!("Please fill in what “{}” needs.", self.builder.name()));
        let config = json!({ "prompt": prompt.source(), "schema": schema });
        let asks = self.builder.add(&input_id(first), "Inputs", "userInput", config, at);
        for (name, at) in form {
            let id = input_id(name);
            self.builder.attach(&id, &asks);
            // A field that is left out has its default.
            let default =
                properties.get(name).and_then(|schema| schema.get("default")).unwrap_or(&Value::Null);
            let query = format!("if has({0}) then .[{0}] else {default} end", json!(name));
            let field = self.builder.add(&id, name, "json", json!({ "query": query }), at);
            self.builder.connect(&Output::new(&asks, "message"), &field, "value");
            self.inputs.insert(name, Output::new(&field, "result"));
        }
    }
}

/// The id of an input in the report.
pub(super) fn input_id(name: &str) -> String {
    format!("inputs.{name}")
}
