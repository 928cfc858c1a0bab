//! Reads an `OpenAPI` document (3.0 or 3.1): each operation becomes an HTTP tool.
//!
//! Works on the JSON itself. References are followed within the document only, and inlined, since not every provider
//! knows them; a schema that refers to itself is cut there. The number and size of the tools are bounded for any
//! document.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    ContextPlacement, HTTP_SOURCE, HttpBinding, HttpMethod, is_tool_name, takes_nothing, url_problem,
};
use crate::tool::ToolSpec;
use plait_core::expression::schema::check_schema;

/// Maximum size of a document given as text, in bytes.
const MAX_DOCUMENT_BYTES: usize = 4 << 20;
/// Maximum tools of one import: more would fill any model's window.
const MAX_TOOLS: usize = 200;
/// Maximum values that the schema of one tool consists of.
const MAX_TOOL_VALUES: usize = 5_000;
/// Maximum values that the schemas of all tools consist of.
const MAX_VALUES: usize = 100_000;
/// Maximum nesting of schemas, references included.
const MAX_SCHEMA_DEPTH: usize = 40;
/// Maximum length of a tool's description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 1_000;
/// Keys of `OpenAPI`'s schemas that say nothing about which values are valid.
const ANNOTATIONS: [&str; 6] = ["example", "examples", "xml", "discriminator", "externalDocs", "deprecated"];

/// Tools from an `OpenAPI` document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OpenApiImport {
    /// The `OpenAPI` document (version 3.0 or 3.1) as JSON.
    #[schemars(extend("format" = "json"))]
    #[serde(skip_serializing_if = "Value::is_null")]
    pub document: Value,
    /// The operations to offer, each by its `operationId` or like `GET /users`. If empty, all.
    pub operations: Vec<String>,
    /// The URL that paths are appended to. If empty, that of the document's first server.
    pub base_url: String,
    /// Headers of every request. `${NAME}` stands for a secret of the settings, which is only sent to its own host.
    pub headers: BTreeMap<String, String>,
    /// Where the requests carry summary and recent turns of the conversation, if the server should see them.
    #[serde(skip_serializing_if = "ContextPlacement::is_none")]
    pub context: ContextPlacement,
}

/// The tools of an import, sorted by path and method. The error names the problem with the document.
pub fn import(source: &OpenApiImport) -> Result<Vec<ToolSpec>, String> {
    let parsed;
    let document = match &source.document {
        Value::String(text) if text.len() > MAX_DOCUMENT_BYTES => {
            return Err(format!("The OpenAPI document is larger than {} MB.", MAX_DOCUMENT_BYTES >> 20));
        }
        Value::String(text) => {
            parsed = serde_json::from_str(text)
                .map_err(|error| format!("The OpenAPI document is not JSON: {error}."))?;
            &parsed
        }
        value => value,
    };
    check_version(document)?;
    let base_url = base_url(source, document)?;
    let mut importer = Importer { source, document, base_url, values: 0, names: BTreeSet::new() };
    importer.import()
}

fn check_version(document: &Value) -> Result<(), String> {
    match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.") => Ok(()),
        Some(version) => {
            Err(format!("OpenAPI {version} is not supported; convert the document to 3.0 or 3.1."))
        }
        None if document.get("swagger").is_some() => {
            Err("Swagger 2 is not supported; convert the document to OpenAPI 3.".to_owned())
        }
        None => Err("This is not an OpenAPI document: it has no field `openapi`.".to_owned()),
    }
}

/// The URL before each path, without a slash at its end.
fn base_url(source: &OpenApiImport, document: &Value) -> Result<String, String> {
    let mut url = source.base_url.trim().to_owned();
    if url.is_empty() {
        let server = &document["servers"][0];
        server["url"].as_str().unwrap_or_default().clone_into(&mut url);
        for (name, variable) in server["variables"].as_object().into_iter().flatten().take(20) {
            url = url.replace(&format!("{{{name}}}"), variable["default"].as_str().unwrap_or_default());
        }
    }
    let url = url.trim_end_matches('/').to_owned();
    match url_problem(&url) {
        None if url.contains(['{', '?', '#']) => {
            Err(format!("The base URL `{url}` has a variable, a query or a fragment. Set `baseUrl`."))
        }
        None => Ok(url),
        Some(_) if source.base_url.trim().is_empty() => {
            Err("The document names no server with a full URL. Set `baseUrl`.".to_owned())
        }
        Some(problem) => Err(problem),
    }
}

struct Importer<'a> {
    source: &'a OpenApiImport,
    document: &'a Value,
    base_url: String,
    /// The values of all schemas so far.
    values: usize,
    /// The names of the tools so far.
    names: BTreeSet<String>,
}

/// The arguments of an operation while they are collected.
#[derive(Default)]
struct Arguments {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Arguments {
    /// Adds an argument and returns its name, which may differ: not all characters can stand in one.
    fn add(&mut self, wanted: &str, schema: Value, required: bool) -> String {
        let mut name = identifier(wanted);
        while self.properties.contains_key(&name) {
            name.push('_');
        }
        self.properties.insert(name.clone(), schema);
        if required {
            self.required.push(name.clone().into());
        }
        name
    }

    fn schema(self) -> Value {
        json!({
            "type": "object",
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": false,
        })
    }
}

impl<'a> Importer<'a> {
    fn import(&mut self) -> Result<Vec<ToolSpec>, String> {
        let paths = self.document["paths"].as_object().ok_or("The document has no `paths`.")?;
        let mut wanted: BTreeSet<&str> = self.source.operations.iter().map(String::as_str).collect();
        let everything = wanted.is_empty();
        let mut tools = Vec::new();
        for (path, item) in paths.iter().filter(|(path, _)| path.starts_with('/')) {
            let item = self.resolve(item)?;
            for method in METHODS {
                let Some(operation) = item.get(method.as_str().to_ascii_lowercase()) else { continue };
                let id = operation["operationId"].as_str().unwrap_or_default();
                let address = format!("{} {path}", method.as_str());
                let is_named = wanted.remove(id) | wanted.remove(address.as_str());
                if !everything && !is_named {
                    continue;
                }
                let tool = self
                    .tool(method, path, item, operation)
                    .map_err(|problem| format!("The operation `{address}`: {problem}"))?;
                // Without a name, an operation that can't be called as JSON is left out.
                match tool {
                    Some(tool) => tools.push(tool),
                    None if is_named => {
                        return Err(format!("The operation `{address}` takes no JSON, only other types."));
                    }
                    None => {}
                }
                if tools.len() > MAX_TOOLS {
                    return Err(format!(
                        "The document has more than {MAX_TOOLS} operations. List those to offer in `operations`."
                    ));
                }
            }
        }
        match wanted.first() {
            Some(name) => Err(format!("The document has no operation `{name}`.")),
            None => Ok(tools),
        }
    }

    /// The tool of an operation. None if its body can't be JSON.
    fn tool(
        &mut self,
        method: HttpMethod,
        path: &str,
        item: &'a Value,
        operation: &'a Value,
    ) -> Result<Option<ToolSpec>, String> {
        let mut arguments = Arguments::default();
        let mut binding = HttpBinding {
            method,
            headers: self.source.headers.clone(),
            context: self.context_of(method),
            ..HttpBinding::default()
        };
        let mut path_arguments = BTreeMap::new();
        for parameter in self.parameters(item, operation)? {
            let name = parameter["name"].as_str().ok_or("A parameter has no name.")?;
            let place = parameter["in"].as_str().unwrap_or_default();
            let required = place == "path" || parameter["required"] == json!(true);
            let is_ignored_header = ["accept", "content-type", "authorization"]
                .iter()
                .any(|ignored| name.eq_ignore_ascii_case(ignored));
            if !matches!(place, "path" | "query" | "header") || (place == "header" && is_ignored_header) {
                continue;
            }
            let schema = parameter
                .get("schema")
                .or_else(|| parameter["content"].as_object()?.values().next()?.get("schema"));
            let mut schema = self.inline(schema.unwrap_or(&json!({ "type": "string" })))?;
            describe(&mut schema, parameter["description"].as_str());
            let argument = arguments.add(name, schema, required);
            let template = format!("{{{{{argument}}}}}");
            match place {
                "path" => drop(path_arguments.insert(name.to_owned(), template)),
                "query" => drop(binding.query.insert(name.to_owned(), template)),
                _ => drop(binding.headers.insert(name.to_owned(), template)),
            }
        }
        let path = fill_path(path, &path_arguments, &mut arguments);
        binding.url = format!("{}{path}", self.base_url);
        if let Some(body) = operation.get("requestBody").filter(|_| method != HttpMethod::Get) {
            let body = self.resolve(body)?;
            let Some(schema) = json_schema_of(body) else { return Ok(None) };
            let mut schema = self.inline(schema)?;
            describe(&mut schema, body["description"].as_str());
            let argument = arguments.add("body", schema, body["required"] == json!(true));
            binding.body = Value::String(format!("{{{{{argument}}}}}"));
        }
        if let Some((_, problem)) = binding.problems().into_iter().next() {
            return Err(problem);
        }
        let parameters = arguments.schema();
        if let Some(problem) = check_schema(&parameters) {
            return Err(problem);
        }
        let effect = binding.effect(takes_nothing(&parameters));
        let mut spec = ToolSpec::new(
            self.name(operation["operationId"].as_str(), method, &path),
            description_of(operation),
            parameters,
            HTTP_SOURCE,
        );
        spec.effect = effect;
        spec.binding = serde_json::to_value(binding).unwrap_or_default();
        Ok(Some(spec))
    }

    /// The body carries the context only where there is one.
    fn context_of(&self, method: HttpMethod) -> ContextPlacement {
        match self.source.context {
            ContextPlacement::Body if !method.has_body() => ContextPlacement::None,
            other => other,
        }
    }

    /// The parameters of an operation; its own replace those of its path.
    fn parameters(&self, item: &'a Value, operation: &'a Value) -> Result<Vec<&'a Value>, String> {
        let mut parameters: Vec<&'a Value> = Vec::new();
        let all = [item, operation].into_iter().filter_map(|owner| owner["parameters"].as_array());
        for parameter in all.flatten() {
            let parameter = self.resolve(parameter)?;
            let is_same =
                |other: &&'a Value| (&other["name"], &other["in"]) == (&parameter["name"], &parameter["in"]);
            match parameters.iter().position(is_same) {
                Some(at) => parameters[at] = parameter,
                None if parameters.len() == 100 => return Err("It has more than 100 parameters.".to_owned()),
                None => parameters.push(parameter),
            }
        }
        Ok(parameters)
    }

    /// A unique name that models can call.
    fn name(&mut self, id: Option<&str>, method: HttpMethod, path: &str) -> String {
        let fallback = || identifier(&format!("{}{path}", method.as_str().to_ascii_lowercase()));
        let mut name = id.map(identifier).filter(|name| is_tool_name(name)).unwrap_or_else(fallback);
        let base = name.clone();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            let suffix = format!("_{number}");
            name = format!("{}{suffix}", &base[..base.len().min(64 - suffix.len())]);
            number += 1;
        }
        name
    }

    /// What a reference points to, through a chain of them.
    fn resolve(&self, mut value: &'a Value) -> Result<&'a Value, String> {
        for _ in 0..MAX_SCHEMA_DEPTH {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok(value) };
            value = self.target(reference)?;
        }
        Err("References lead in a circle.".to_owned())
    }

    fn target(&self, reference: &str) -> Result<&'a Value, String> {
        let shown: String = reference.chars().take(200).collect();
        let pointer = reference
            .strip_prefix('#')
            .ok_or_else(|| format!("`{shown}` refers to another document; put everything into one."))?;
        self.document.pointer(pointer).ok_or_else(|| format!("There is no `{shown}` in the document."))
    }

    /// A schema without references, in the dialect that JSON Schema has today.
    fn inline(&mut self, schema: &Value) -> Result<Value, String> {
        let mut budget = MAX_TOOL_VALUES.min(MAX_VALUES - self.values);
        let before = budget;
        let inlined = self.inline_part(schema, &mut Vec::new(), 0, &mut budget)?;
        self.values += before - budget;
        Ok(inlined)
    }

    fn inline_part(
        &self,
        schema: &Value,
        open: &mut Vec<String>,
        depth: usize,
        budget: &mut usize,
    ) -> Result<Value, String> {
        spend(budget, 1)?;
        if depth > MAX_SCHEMA_DEPTH {
            return Ok(json!({}));
        }
        match schema {
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                    if open.iter().any(|one| one == reference) {
                        // It contains itself: any value is accepted from here on.
                        return Ok(json!({}));
                    }
                    let target = self.target(reference)?;
                    open.push(reference.to_owned());
                    let inlined = self.inline_part(target, open, depth + 1, budget)?;
                    open.pop();
                    return Ok(inlined);
                }
                let mut result = Map::new();
                for (key, value) in fields {
                    // Names of properties are not keywords.
                    let is_annotation = ANNOTATIONS.contains(&key.as_str()) || key.starts_with("x-");
                    if is_annotation {
                        continue;
                    }
                    let value = match (key.as_str(), value) {
                        ("properties" | "patternProperties" | "$defs", Value::Object(entries)) => {
                            let mut inlined = Map::new();
                            for (name, entry) in entries {
                                inlined
                                    .insert(name.clone(), self.inline_part(entry, open, depth + 1, budget)?);
                            }
                            Value::Object(inlined)
                        }
                        ("enum" | "const" | "default" | "required", value) => {
                            spend(budget, count_values(value))?;
                            value.clone()
                        }
                        (_, value) => self.inline_part(value, open, depth + 1, budget)?,
                    };
                    result.insert(key.clone(), value);
                }
                modernize(&mut result);
                Ok(Value::Object(result))
            }
            Value::Array(items) => {
                let items = items.iter().map(|item| self.inline_part(item, open, depth + 1, budget));
                items.collect::<Result<_, _>>().map(Value::Array)
            }
            scalar => Ok(scalar.clone()),
        }
    }
}

fn spend(budget: &mut usize, values: usize) -> Result<(), String> {
    *budget = budget.checked_sub(values).ok_or_else(|| {
        format!("Its schema has more than {MAX_TOOL_VALUES} values, or all together more than {MAX_VALUES}.")
    })?;
    Ok(())
}

fn count_values(value: &Value) -> usize {
    let (mut count, mut queue) = (0, vec![value]);
    while let Some(value) = queue.pop() {
        count += 1;
        match value {
            Value::Array(items) => queue.extend(items),
            Value::Object(fields) => queue.extend(fields.values()),
            _ => {}
        }
    }
    count
}

const METHODS: [HttpMethod; 6] = [
    HttpMethod::Get,
    HttpMethod::Head,
    HttpMethod::Post,
    HttpMethod::Put,
    HttpMethod::Patch,
    HttpMethod::Delete,
];

/// Turns what `OpenAPI` 3.0 writes in its own way into JSON Schema.
fn modernize(schema: &mut Map<String, Value>) {
    if schema.remove("nullable") == Some(json!(true))
        && let Some(Value::String(kind)) = schema.get("type")
    {
        let kind = kind.clone();
        schema.insert("type".to_owned(), json!([kind, "null"]));
    }
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match schema.get(exclusive) {
            Some(Value::Bool(true)) => {
                let limit = schema.remove(bound);
                schema.remove(exclusive);
                schema.extend(limit.map(|limit| (exclusive.to_owned(), limit)));
            }
            Some(Value::Bool(false)) => drop(schema.remove(exclusive)),
            _ => {}
        }
    }
}

/// A path with placeholders for its parameters. Undeclared ones become arguments, too.
fn fill_path(path: &str, declared: &BTreeMap<String, String>, arguments: &mut Arguments) -> String {
    let (mut filled, mut rest) = (String::with_capacity(path.len()), path);
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            filled.push_str("%7B");
            rest = after;
            continue;
        };
        if let Some(template) = declared.get(name) {
            filled.push_str(template);
        } else {
            let argument = arguments.add(name, json!({ "type": "string" }), true);
            filled.extend(["{{", &argument, "}}"]);
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// The schema of a JSON body; none if the body can't be JSON.
fn json_schema_of(body: &Value) -> Option<&Value> {
    let content = body["content"].as_object()?;
    let is_json = |media_type: &str| {
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        media_type == "application/json" || media_type.ends_with("+json") || media_type == "*/*"
    };
    let (_, media) = content.iter().find(|(media_type, _)| is_json(media_type))?;
    Some(media.get("schema").unwrap_or(&Value::Bool(true)))
}

fn describe(schema: &mut Value, description: Option<&str>) {
    if let (Some(schema), Some(description)) = (schema.as_object_mut(), description) {
        let text: String = description.chars().take(MAX_DESCRIPTION_CHARS).collect();
        schema.entry("description").or_insert(Value::String(text));
    }
}

fn description_of(operation: &Value) -> String {
    let texts = [operation["summary"].as_str(), operation["description"].as_str()];
    let texts: Vec<&str> =
        texts.into_iter().flatten().map(str::trim).filter(|text| !text.is_empty()).collect();
    texts.join("\n\n").chars().take(MAX_DESCRIPTION_CHARS).collect()
}

/// At most 60 letters, digits and `_`, so that there is room for a number.
fn identifier(text: &str) -> String {
    let letters =
        text.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' });
    let name: String = letters.take(60).collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "value".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests;
