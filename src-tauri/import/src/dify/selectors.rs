//! Selectors: lists of names by which Dify's nodes read values, as settings and inside of texts.

use serde_json::{Value, json};

use super::super::builder::{Output, Point};
use super::super::program::with_headline;
use super::super::template::TemplateText;
use super::Reader;

/// Values as Dify writes them into a text.
pub(super) const TEXT: &str = include_str!("runtime/text.js");

impl Reader<'_> {
    /// The value that a selector names.
    pub(super) fn resolve(&mut self, selector: &[String]) -> Option<(Output, Vec<String>)> {
        let [node, name, rest @ ..] = selector else { return None };
        match node.as_str() {
            "sys" if name == "query" => return self.query.clone().map(|query| (query, rest.to_vec())),
            "sys" => return None,
            "env" | "conversation" => {
                return self.constant(node, name).map(|output| (output, rest.to_vec()));
            }
            _ => {}
        }
        let values = self.values.get(node)?;
        // The value of a group of an aggregator is its `output`.
        let is_group = self.graph.find(node).is_some_and(|at| {
            let data = self.graph.nodes[at].data;
            data.pointer("/advanced_settings/group_enabled") == Some(&Value::Bool(true))
        });
        let rest = rest.strip_prefix(&["output".to_owned()]).filter(|_| is_group).unwrap_or(rest);
        let (output, path) = if let Some((output, path)) = values.named.get(name) {
            (output.clone(), path.iter().chain(rest).cloned().collect())
        } else {
            (values.object.clone()?, std::iter::once(name).chain(rest).cloned().collect())
        };
        self.builder.can_read(&output).then_some((output, path))
    }

    pub(super) fn resolve_value(&mut self, selector: Option<&Value>) -> Option<(Output, Vec<String>)> {
        self.resolve(&read_selector(selector?))
    }

    /// The value that a selector names, as an output of its own.
    pub(super) fn output_of(&mut self, at: usize, selector: Option<&Value>) -> Option<Output> {
        let (output, path) = self.resolve_value(selector)?;
        Some(self.field(at, &output, &path))
    }

    /// The value of a variable of the app.
    fn constant(&mut self, kind: &str, name: &str) -> Option<Output> {
        let key = format!("{kind}.{name}");
        if let Some(output) = self.constants.get(&key) {
            return Some(output.clone());
        }
        let list = if kind == "env" { "environment_variables" } else { "conversation_variables" };
        let list = self.document.pointer(&format!("/workflow/{list}"))?.as_array()?;
        let variable = list.iter().find(|variable| variable.get("name").is_some_and(|own| own == name))?;
        let is_secret = variable.get("value_type").is_some_and(|kind| kind == "secret");
        if is_secret {
            self.builder.note(format!(
                "The secret `{name}` was left out. Requests take secrets of the settings as `${{NAME}}`."
            ));
        } else if kind == "conversation" {
            self.builder.note(format!("The conversation variable `{name}` keeps its first value: Plait's flows have no variables that change."));
        }
        let value = variable.get("value").filter(|_| !is_secret).cloned().unwrap_or_else(|| json!(""));
        let first = self.graph.nodes.first()?;
        let count = f64::from(u32::try_from(self.constants.len()).unwrap_or(0));
        // Outside of all loops: it is the same in all of them.
        let at = Point { x: first.at.x, y: first.at.y }.beside(-1.0, count);
        let id = self.builder.add_outside(first.id, name, "value", json!({ "value": value }), at);
        let output = Output::new(&id, "value");
        self.constants.insert(key, output.clone());
        Some(output)
    }

    /// A text with `{{#node.name#}}` in it as a template. `context` is what `{{#context#}}` stands for.
    pub(super) fn template(&mut self, at: usize, text: &str, context: Option<&Output>) -> TemplateText {
        let mut template = TemplateText::default();
        let mut rest = text;
        while let Some(start) = rest.find("{{#") {
            let Some(length) = rest[start..].find("#}}") else { break };
            template.push_text(&rest[..start]);
            let inner = rest[start + 3..start + length].trim();
            let selector: Vec<String> = inner.split('.').map(|step| step.trim().to_owned()).collect();
            let found = match context.filter(|_| inner == "context") {
                Some(context) => Some((context.clone(), Vec::new())),
                None => self.resolve(&selector).map(|place| self.as_text(at, place)),
            };
            if self.may_be_object(&selector) {
                let id = self.graph.nodes[at].id;
                self.builder.lose_order_of_fields(id);
            }
            if let Some((output, path)) = found {
                let own = selector.last().map_or("value", String::as_str);
                let name = if path.is_empty() { own.to_owned() } else { output.node.to_string() };
                template.push_value(&name, &output, &path);
            } else {
                let node = &self.graph.nodes[at];
                let missing = self.builder.add_missing_value(node.id, node.title, inner, node.at);
                template.push_value("missing", &missing, &[]);
            }
            rest = &rest[start + length + 3..];
        }
        template.push_text(rest);
        template
    }

    /// Whether a value may be an object or have some inside, as far as its node says what it makes.
    pub(super) fn may_be_object(&self, selector: &[String]) -> bool {
        let [node, name, ..] = selector else { return false };
        let Some(node) = self.graph.find(node).map(|at| &self.graph.nodes[at]) else { return false };
        let kind = match node.kind {
            "code" => node.data.pointer(&format!("/outputs/{name}/type")),
            "iteration" => node.data.get("output_type"),
            "llm" if name == "structured_output" => return true,
            _ => return false,
        };
        kind.and_then(Value::as_str).is_none_or(|kind| kind.contains("object") || kind == "any")
    }

    /// A value as Dify writes it into a text. What always is a text stays as it is.
    fn as_text(&mut self, at: usize, (output, path): (Output, Vec<String>)) -> (Output, Vec<String>) {
        let node_type = self.builder.node_type(&output.node).to_owned();
        let config = self.builder.config(&output.node).map(|config| &*config);
        let schema = config.and_then(|config| config.get("schema"));
        let is_text = match (node_type.as_str(), path.as_slice()) {
            ("chat" | "text" | "manualInput" | "classify", []) => output.port != "structured",
            ("httpRequest", []) => true,
            ("value", []) => config.and_then(|config| config.get("value")).is_some_and(Value::is_string),
            ("userInput", [name]) => schema.is_some_and(|schema| {
                let required = schema.get("required").and_then(Value::as_array);
                schema.pointer(&format!("/properties/{name}/type")).is_some_and(|kind| kind == "string")
                    && required.is_some_and(|required| required.iter().any(|one| one == name))
            }),
            _ => false,
        };
        if is_text {
            return (output, path);
        }
        let key = (self.builder.current_loop().cloned(), output, path);
        if let Some(text) = self.texts.get(&key) {
            return (text.clone(), Vec::new());
        }
        let (_, output, path) = &key;
        let node = &self.graph.nodes[at];
        let value = path.iter().fold("input".to_owned(), |value, step| format!("{value}?.[{}]", json!(step)));
        let config = json!({ "code": with_headline(&format!("text({value})"), &format!("{TEXT}return text({value});")) });
        let title = format!("{}: text", path.last().map_or(output.node.as_str(), String::as_str));
        let id = self.builder.add(node.id, &title, "code", config, node.at.beside(-0.5, 1.0));
        self.builder.connect(output, &id, "input");
        let text = Output::new(&id, "result");
        self.texts.insert(key, text.clone());
        (text, Vec::new())
    }

    /// The variables that a node declares by selectors.
    pub(super) fn variables(&mut self, at: usize, list: &[Value]) -> Vec<(String, Output, Vec<String>)> {
        let mut found: Vec<(String, Output, Vec<String>)> = Vec::new();
        for entry in list {
            let Some(name) = entry.get("variable").and_then(Value::as_str).filter(|name| !name.is_empty())
            else {
                continue;
            };
            match self.resolve_value(entry.get("value_selector")) {
                Some((output, path)) if !found.iter().any(|(known, ..)| known == name) => {
                    found.push((name.to_owned(), output, path));
                }
                Some(_) => {}
                None => {
                    let id = self.graph.nodes[at].id;
                    self.builder
                        .lose(id, format!("Its variable `{name}` reads a value that is not in the flow."));
                }
            }
        }
        found
    }

    /// The outputs that the settings of a node name anywhere, for a placeholder.
    pub(super) fn values_in(&mut self, value: &Value) -> Vec<(Output, String)> {
        /// More edges into a placeholder help nobody.
        const MAX_VALUES: usize = 50;
        let mut selectors = Vec::new();
        collect_selectors(value, &mut selectors);
        let mut found: Vec<(Output, String)> = Vec::new();
        for selector in selectors {
            let Some((output, _)) = self.resolve(&selector) else { continue };
            let name = selector.last().cloned().filter(|name| !name.is_empty()).unwrap_or_default();
            if !name.is_empty()
                && found.len() < MAX_VALUES
                && !found.iter().any(|(known, _)| *known == output)
            {
                found.push((output, name));
            }
        }
        found
    }
}

/// Reads a list of names.
pub(super) fn read_selector(value: &Value) -> Vec<String> {
    let steps = value.as_array().into_iter().flatten();
    steps.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn collect_selectors(value: &Value, found: &mut Vec<Vec<String>>) {
    match value {
        Value::String(text) => {
            for part in text.split("{{#").skip(1) {
                if let Some((inner, _)) = part.split_once("#}}") {
                    found.push(inner.split('.').map(str::to_owned).collect());
                }
            }
        }
        Value::Array(items) => {
            if items.len() >= 2 && items.iter().all(Value::is_string) {
                found.push(read_selector(value));
            }
            for item in items {
                collect_selectors(item, found);
            }
        }
        Value::Object(entries) => {
            for value in entries.values() {
                collect_selectors(value, found);
            }
        }
        _ => {}
    }
}
