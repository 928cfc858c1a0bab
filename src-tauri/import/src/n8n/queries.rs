//! n8n's nodes that compute: fields that are set, code, and operations on lists. They become queries in the language of jq, and
//! programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::jq;
use super::super::program::unreachable_reason;
use super::super::settings::Settings;
use super::expressions::{self, Part};
use super::{Reader, Shape};

/// What n8n gives to programs beside the items that a node works on.
const UNREACHABLE: [&str; 8] = ["$(", "$node", "$items(", "$helpers", "this.", "$env", "$vars", "$workflow"];

impl Reader<'_> {
    /// Adds a query on a value.
    pub(super) fn query(&mut self, at: usize, what: &str, query: &str, input: &Shape) -> Output {
        let node = &self.workflow.nodes[at];
        let base = jq::path(&input.base);
        let query = if input.base.is_empty() { query.to_owned() } else { format!("{base} | {query}") };
        let title = format!("{}: {what}", node.name);
        let id =
            self.builder.add(node.name, &title, "json", json!({ "query": query }), node.at.beside(-0.5, 1.0));
        self.builder.connect(&input.output, &id, "value");
        Output::new(&id, "result")
    }

    /// A value as the JSON of an item.
    pub(super) fn as_object(&mut self, at: usize, shape: &Shape) -> Output {
        if shape.main_field().is_empty() && shape.base.is_empty() {
            return shape.output.clone();
        }
        let query = wrap(shape.main_field(), ".");
        self.query(at, "item", &query, shape)
    }

    /// `set`: an object of the fields that are set, as one query.
    pub(super) fn set(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
    ) -> Vec<Option<Shape>> {
        let node = &self.workflow.nodes[at];
        settings.ignore_all(&["/options", "/duplicateItem"]);
        if settings.text("/mode") == Some("raw") || settings.text("/jsonOutput").is_some() {
            return self.raw_json(at, settings, input);
        }
        let keeps_others = if node.version < 3.0 {
            !settings.flag("/keepOnlySet")
        } else {
            settings.flag("/includeOtherFields")
                || settings.text("/include").is_some_and(|what| what == "all")
        };
        let mut values = Values::new(input);
        let mut query = String::new();
        if keeps_others && let Some(input) = input {
            let own = values.path(&input.output, &input.base);
            query = wrap(input.main_field(), &own);
        }
        for (name, value) in assignments(settings) {
            let steps: Vec<String> = name.trim_start_matches('=').split('.').map(str::to_owned).collect();
            let value = self.jq_value(at, &value, input, &mut values);
            let field = wrap(&steps, &value);
            query = if query.is_empty() { field } else { format!("{query} * {field}") };
        }
        if query.is_empty() {
            "{}".clone_into(&mut query);
        }
        if values.outputs.len() == 1 {
            // A single value is the input itself.
            query = query.replace(".[\"v0\"][", ".[").replace(".[\"v0\"]", ".");
        }
        let id = self.builder.add(node.name, node.name, "json", json!({ "query": query }), node.at);
        self.feed_query(at, &id, &values);
        vec![Some(Shape::object(Output::new(&id, "result")))]
    }

    /// Connects what a query reads: one value, or several by name.
    fn feed_query(&mut self, at: usize, id: &plait_core::id::NodeId, values: &Values) {
        let node = &self.workflow.nodes[at];
        let value = match values.outputs.as_slice() {
            [] => {
                let config = json!({ "value": {} });
                let empty =
                    self.builder.add(node.name, "Nothing", "value", config, node.at.beside(-0.5, 1.0));
                Output::new(&empty, "value")
            }
            [only] => only.clone(),
            several => {
                let names: Vec<String> = (0..several.len()).map(|index| format!("v{index}")).collect();
                let title = format!("{}: values", node.name);
                let at = node.at.beside(-0.5, 1.0);
                let join = self.builder.add(node.name, &title, "join", json!({ "names": names }), at);
                for (output, name) in several.iter().zip(&names) {
                    self.builder.connect(output, &join, name);
                }
                Output::new(&join, "object")
            }
        };
        self.builder.connect(&value, id, "value");
    }

    /// A value of an assignment in the language of queries.
    fn jq_value(&mut self, at: usize, value: &Value, input: Option<&Shape>, values: &mut Values) -> String {
        let Some(text) = value.as_str() else { return value.to_string() };
        let parts = expressions::parse(text);
        if let [Part::Reference(reference)] = parts.as_slice()
            && let Some((output, path)) = self.resolve(reference, input)
        {
            return with_helper(values.path(&output, &path), reference.helper);
        }
        let mut source = "\"".to_owned();
        for part in parts {
            match part {
                Part::Text(text) => source.push_str(&jq_text(&text)),
                Part::Reference(reference) => match self.resolve(&reference, input) {
                    Some((output, path)) => {
                        let path = values.path(&output, &path);
                        let _ = write!(source, "\\({})", with_helper(path, reference.helper));
                    }
                    None => source.push_str(&self.lost_expression(at, &super::describe(&reference))),
                },
                Part::Unknown(unknown) => source.push_str(&self.lost_expression(at, &unknown)),
            }
        }
        source.push('"');
        source
    }

    fn lost_expression(&mut self, at: usize, source: &str) -> String {
        let short: String = source.chars().take(200).collect();
        let name = self.workflow.nodes[at].name;
        self.builder.lose(name, format!("The expression `{short}` was kept as text."));
        jq_text(&format!("{{{{ {source} }}}}"))
    }

    /// `set` with JSON that is written out.
    fn raw_json(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Vec<Option<Shape>> {
        let node = &self.workflow.nodes[at];
        let text = settings.text("/jsonOutput").unwrap_or("{}");
        settings.ignore_all(&["/mode", "/include", "/includeOtherFields"]);
        let is_constant = !text.starts_with('=') || !text.contains("{{");
        if let Some(value) =
            serde_json::from_str::<Value>(text.trim_start_matches('=')).ok().filter(|_| is_constant)
        {
            let query = value.to_string();
            let id = self.builder.add(node.name, node.name, "json", json!({ "query": query }), node.at);
            let values = Values::new(input);
            self.feed_query(at, &id, &values);
            return vec![Some(Shape::object(Output::new(&id, "result")))];
        }
        let template = self.template(at, text, input);
        let text = self.text_output(at, &format!("{}: text", node.name), &template);
        let id = self.builder.add(node.name, node.name, "json", json!({ "query": "fromjson" }), node.at);
        self.builder.connect(&text, &id, "value");
        vec![Some(Shape::object(Output::new(&id, "result")))]
    }

    /// `code`: the same program, with what n8n gives to programs.
    pub(super) fn code(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
    ) -> Vec<Option<Shape>> {
        let node = &self.workflow.nodes[at];
        if settings.text("/language").is_some_and(|language| language.starts_with("python")) {
            return self.placeholder(at, "It runs Python; Plait runs JavaScript.");
        }
        let code = settings.text("/jsCode").or_else(|| settings.text("/functionCode"));
        let Some(code) = code else { return self.placeholder(at, "It has no program.") };
        settings.ignore("/mode");
        if let Some(reason) = unreachable_reason(code, &UNREACHABLE) {
            return self.placeholder(at, &reason);
        }
        let field = input.map_or(&[][..], Shape::main_field);
        let value = js_wrap(field, "input");
        let each = node.kind == "functionItem" || settings.text("/mode") == Some("runOnceForEachItem");
        let body = if each {
            format!("(({{ json }}, item) => {{\n{code}\n}})(items[0], items[0].json)")
        } else {
            format!("(() => {{\n{code}\n}})()")
        };
        let code = format!(
            "const value = {value};\n\
             const items = (Array.isArray(value) ? value : [value]).map((json) => ({{ json }}));\n\
             const $json = items.length > 0 ? items[0].json : {{}};\n\
             const $input = {{ all: () => items, first: () => items[0], last: () => items[items.length - 1], item: items[0] }};\n\
             const result = {body};\n\
             const plain = (item) => (item && item.json !== undefined ? item.json : item);\n\
             if (!Array.isArray(result)) return plain(result);\n\
             return result.length === 1 ? plain(result[0]) : result.map(plain);"
        );
        let id = self.builder.add(node.name, node.name, "code", json!({ "code": code }), node.at);
        if let Some(input) = input {
            let value = if input.base.is_empty() {
                input.output.clone()
            } else {
                self.query(at, "input", ".", input)
            };
            self.builder.connect(&value, &id, "input");
        }
        vec![Some(Shape::object(Output::new(&id, "result")))]
    }

    /// Operations on lists of items, which are lists of values here.
    pub(super) fn list_operation(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
    ) -> Vec<Option<Shape>> {
        let node = &self.workflow.nodes[at];
        let Some(input) = input else { return self.placeholder(at, "It has no input.") };
        settings.ignore("/options");
        let list = "if type == \"array\" then . else [.] end";
        let field = |name: &str| jq::path(&name.split('.').map(str::to_owned).collect::<Vec<_>>());
        let operation = settings.text("/operation").unwrap_or("splitOutItems");
        let query = match node.kind {
            "limit" => {
                let count = settings.number("/maxItems").unwrap_or(1.0).clamp(0.0, 1e6);
                Some(format!("{list} | .[0:{count}]"))
            }
            "splitOut" | "itemLists" if node.kind == "splitOut" || operation == "splitOutItems" => {
                let name = settings.text("/fieldToSplitOut").unwrap_or_default();
                settings.ignore("/include");
                let runs_once =
                    "That what follows runs once for each item: put it into a loop over this list.";
                self.builder.lose(node.name, runs_once);
                (!name.starts_with('=') && !name.contains(',')).then(|| field(name))
            }
            "aggregate" if settings.text("/aggregate") == Some("aggregateAllItemData") => {
                let name = settings.text("/destinationFieldName").unwrap_or("data");
                settings.ignore("/include");
                Some(format!("{list} | {{{}: .}}", json!(name)))
            }
            "aggregate" => {
                let fields: Vec<String> = settings
                    .items("/fieldsToAggregate/fieldToAggregate")
                    .iter()
                    .filter_map(|entry| entry.get("fieldToAggregate")?.as_str())
                    .map(|name| format!("{}: map({}?)", json!(name), field(name)))
                    .collect();
                settings.ignore("/aggregate");
                (!fields.is_empty()).then(|| format!("{list} | {{{}}}", fields.join(", ")))
            }
            _ => None,
        };
        let Some(query) = query else {
            return self.placeholder(at, "Plait has no node for this operation on lists.");
        };
        let object = self.as_object(at, input);
        let id = self.builder.add(node.name, node.name, "json", json!({ "query": query }), node.at);
        self.builder.connect(&object, &id, "value");
        vec![Some(Shape::object(Output::new(&id, "result")))]
    }
}

/// The outputs that a query reads, and where they stand in its input.
pub(super) struct Values {
    outputs: Vec<Output>,
}

impl Values {
    /// Those of a query that reads what its node works on.
    fn new(input: Option<&Shape>) -> Self {
        Self { outputs: input.map(|shape| shape.output.clone()).into_iter().collect() }
    }

    fn path(&mut self, output: &Output, path: &[String]) -> String {
        let index = self.outputs.iter().position(|known| known == output).unwrap_or_else(|| {
            self.outputs.push(output.clone());
            self.outputs.len() - 1
        });
        let steps: Vec<String> = std::iter::once(format!("v{index}")).chain(path.iter().cloned()).collect();
        jq::path(&steps)
    }
}

/// The assignments of a `set`of any version.
fn assignments(settings: &Settings<'_>) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let name_of = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
    for entry in settings.items("/assignments/assignments") {
        found.extend(name_of(entry).zip(entry.get("value").cloned()));
    }
    for entry in settings.items("/fields/values") {
        let value = ["stringValue", "numberValue", "booleanValue", "arrayValue", "objectValue"]
            .iter()
            .find_map(|key| entry.get(key))
            .cloned();
        found.extend(name_of(entry).zip(value.or_else(|| Some(json!("")))));
    }
    for kind in ["string", "number", "boolean"] {
        for entry in settings.items(&format!("/values/{kind}")) {
            found.extend(name_of(entry).zip(entry.get("value").cloned()));
        }
    }
    found
}

/// What a helper of templates does, in the language of queries.
fn with_helper(path: String, helper: Option<&str>) -> String {
    match helper {
        Some("json") => format!("({path} | tojson)"),
        Some("lower") => format!("({path} | ascii_downcase)"),
        Some("upper") => format!("({path} | ascii_upcase)"),
        Some("trim") => format!("({path} | trim)"),
        _ => path,
    }
}

/// An object in which a value stands at a path.
fn wrap(path: &[String], value: &str) -> String {
    path.iter().rev().fold(value.to_owned(), |inner, step| format!("{{{}: {inner}}}", json!(step)))
}

/// The same in JavaScript.
fn js_wrap(path: &[String], value: &str) -> String {
    path.iter().rev().fold(value.to_owned(), |inner, step| format!("{{ {}: {inner} }}", json!(step)))
}

/// A text inside of quotes in the language of queries.
fn jq_text(text: &str) -> String {
    let quoted = json!(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
