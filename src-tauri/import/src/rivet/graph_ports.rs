//! The inputs and outputs of graphs, and what a person is asked for.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::Reader;

impl Reader<'_> {
    pub(super) fn graph_input(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let name = settings.text("/id").unwrap_or("input").to_owned();
        let kind = settings.text("/dataType").unwrap_or("string");
        settings.ignore_all(&["/useDefaultValueInput", "/editor"]);
        let default = settings.get("/defaultValue").cloned();
        // Several nodes may stand for one input.
        if let Some(known) = self.inputs.get(&name).cloned() {
            self.builder.attach(&node.key, &known.node);
            self.set(at, "", known);
            return;
        }
        let is_given = self.callers.len() > 1 && self.given.contains(&name);
        if is_given || !settings.flag("/useDefaultValueInput") {
            self.builder.set_unread(&node.key, "default");
        } else if self.callers.len() > 1
            && let Some((output, path)) = self.fed(at, "default")
        {
            self.builder.attach(&node.key, &output.node);
            self.values.insert((at, String::new()), (output, path));
            return;
        }
        if self.callers.len() > 1 && !is_given {
            let value = default.unwrap_or_else(|| match kind {
                "string" => json!(""),
                "number" => json!(0),
                "boolean" => json!(false),
                "object" => json!({}),
                kind if kind.ends_with("[]") => json!([]),
                _ => Value::Null,
            });
            let id = self.builder.add(&node.key, &name, "value", json!({ "value": value }), node.at);
            self.set(at, "", Output::new(&id, "value"));
            return;
        }
        if self.callers.len() > 1 {
            // The caller of the graph gives the value.
            let id = self.builder.add(&node.key, &name, "json", json!({ "query": "." }), node.at);
            self.set_input(at, name, Output::new(&id, "result"));
            return;
        }
        if kind == "string" && !self.has_text_input {
            self.has_text_input = true;
            let text = default.as_ref().and_then(Value::as_str).unwrap_or_default();
            let id = self.builder.add(&node.key, &name, "manualInput", json!({ "text": text }), node.at);
            self.set_input(at, name, Output::new(&id, "value"));
            return;
        }
        let schema = match kind {
            "string" => json!({ "type": "string" }),
            "number" => json!({ "type": "number" }),
            "boolean" => json!({ "type": "boolean" }),
            "object" => json!({ "type": "object" }),
            kind if kind.ends_with("[]") => json!({ "type": "array" }),
            _ => json!({}),
        };
        let prompt = TemplateText::constant(&format!("The value of `{name}`."));
        let config = json!({ "prompt": prompt.source(), "schema": schema });
        let id = self.builder.add(&node.key, &name, "userInput", config, node.at);
        if default.is_some() {
            self.builder.lose(&node.key, "Its default value: a person is asked for it.");
        }
        self.set_input(at, name, Output::new(&id, "message"));
    }

    pub(super) fn graph_output(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let name = settings.text("/id").unwrap_or("output").to_owned();
        settings.ignore("/dataType");
        let Some(value) = self.fed_output(at, "value") else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let id = self.builder.add(&node.key, &name, "output", json!({ "name": name }), node.at);
        self.builder.connect(&value, &id, "value");
        self.outputs.insert(name, id);
        self.set(at, "", value);
    }

    pub(super) fn user_input(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let question = self.fed(at, "questions");
        let mut prompt = TemplateText::default();
        match question.filter(|_| settings.flag("/useInput")) {
            Some((output, path)) => prompt.push_value("question", &output, &path),
            None => prompt.push_text(settings.text("/prompt").unwrap_or("Your answer?")),
        }
        settings.ignore_all(&["/prompt", "/renderingFormat"]);
        let id = self.builder.add(
            &node.key,
            node.title,
            "userInput",
            json!({ "prompt": prompt.source() }),
            node.at,
        );
        self.builder.feed(&prompt.inputs(), &id);
        self.set(at, "", Output::new(&id, "message"));
    }

    fn set_input(&mut self, at: usize, name: String, output: Output) {
        self.set(at, "", output.clone());
        self.inputs.insert(name, output);
    }
}
