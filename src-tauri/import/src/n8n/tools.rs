//! The parts of n8n's nodes: tools for models, and what has no equivalent, such as vector stores.

use serde_json::{Map, Value, json};

use super::super::builder::Output;
use super::super::http_request::{
    ADDRESS_KEY_LOST, BODY_KEY_LOST, CREDENTIALS_LOST, Place, address_without_keys, keep_pair,
};
use super::super::secrets::without_secrets;
use super::super::settings::Settings;
use super::expressions::{self, Part};
use super::{Reader, workflow::WorkflowNode};
use plait_core::id::NodeId;
use plait_core::port::PortKind;

impl Reader<'_> {
    /// The tools that are connected to a node.
    pub(super) fn tools_of(&mut self, at: usize) -> Vec<Output> {
        self.workflow.parts(at, "ai_tool").into_iter().map(|part| self.tool(part)).collect()
    }

    /// The node that offers a tool, which is added once.
    fn tool(&mut self, part: usize) -> Output {
        if let Some(shape) = self.shapes[part].first().cloned().flatten() {
            return shape.output;
        }
        let around = self.builder.replace_loops(self.loops_around_users(part));
        let output = self.add_tool(part);
        self.builder.replace_loops(around);
        output
    }

    /// The loops that all nodes are in which a part belongs to. Elsewhere, it would lead out of a loop by the side.
    fn loops_around_users(&self, part: usize) -> Vec<NodeId> {
        let workflow = self.workflow;
        let mut common: Option<Vec<usize>> = None;
        let (mut seen, mut open) = (vec![false; workflow.nodes.len()], vec![part]);
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if workflow.is_part(at) {
                open.extend(workflow.outgoing(at).map(|edge| edge.target));
                continue;
            }
            let loops = std::iter::successors(self.loop_of[at], |&around| self.loop_of[around]);
            let mut loops: Vec<usize> = loops.collect();
            loops.reverse();
            common = Some(match common {
                None => loops,
                Some(known) => known
                    .into_iter()
                    .zip(loops)
                    .take_while(|(one, other)| one == other)
                    .map(|(one, _)| one)
                    .collect(),
            });
        }
        common.into_iter().flatten().filter_map(|start| self.loop_node(start)).collect()
    }

    fn add_tool(&mut self, part: usize) -> Output {
        let node = &self.workflow.nodes[part];
        let settings = Settings::new(node.parameters);
        let tools = match node.kind {
            "toolCalculator" => json!({ "tools": ["calculator"] }),
            "toolHttpRequest" | "httpRequestTool" => match http_tool(node, &settings) {
                Ok((tool, lost)) => {
                    for lost in lost {
                        self.builder.lose(node.name, lost);
                    }
                    json!({ "tools": [], "http": [tool] })
                }
                Err(reason) => return self.tool_placeholder(part, &reason),
            },
            "mcpClientTool" => {
                let server = tool_name(node.name);
                let lost = "Its address and credentials: add the MCP server in the settings under this name.";
                self.builder.lose(node.name, lost);
                let id =
                    self.builder.add(node.name, node.name, "mcpServer", json!({ "server": server }), node.at);
                return self.remember_tool(part, &id);
            }
            "toolWorkflow" => {
                let reason = "It calls another workflow: import that too. A model calls tools, and no flows.";
                return self.tool_placeholder(part, reason);
            }
            "toolCode" => {
                let reason = "A model can't call a program of the flow. An HTTP tool or an MCP server can do the same.";
                return self.tool_placeholder(part, reason);
            }
            _ => return self.tool_placeholder(part, "Plait has no such tool."),
        };
        let id = self.builder.add(node.name, node.name, "tools", tools, node.at);
        if let Some(unread) = settings.unread() {
            self.builder.lose(node.name, unread);
        }
        self.remember_tool(part, &id)
    }

    fn remember_tool(&mut self, part: usize, id: &NodeId) -> Output {
        if self.workflow.nodes[part].is_disabled {
            self.builder.disable_made(self.workflow.nodes[part].name);
        }
        let output = Output::new(id, "tools");
        self.shapes[part] = vec![Some(super::Shape::object(output.clone()))];
        output
    }

    fn tool_placeholder(&mut self, part: usize, reason: &str) -> Output {
        let node = &self.workflow.nodes[part];
        let id = self.builder.add_placeholder(node.name, node.name, reason, node.json, node.at);
        let output = self.remember_tool(part, &id);
        self.connect_parts(part, &id);
        output
    }

    /// A placeholder for a part that is neither a model, a memory, a parser nor a tool.
    pub(super) fn part_placeholder(&mut self, part: usize) -> NodeId {
        if let Some(shape) = self.shapes[part].first().cloned().flatten() {
            return shape.output.node;
        }
        let node = &self.workflow.nodes[part];
        let reason = "Plait has no such part. A knowledge base with `retrieve` searches documents.";
        let around = self.builder.replace_loops(self.loops_around_users(part));
        let id = self.builder.add_placeholder(node.name, node.name, reason, node.json, node.at);
        self.shapes[part] = vec![Some(super::Shape::object(Output::new(&id, "out")))];
        self.connect_parts(part, &id);
        self.builder.replace_loops(around);
        id
    }

    /// Connects the parts of a placeholder to it, each as a placeholder or as a tool.
    pub(super) fn connect_parts(&mut self, at: usize, id: &NodeId) {
        let edges: Vec<_> = self
            .workflow
            .incoming(at)
            .map(|(_, edge)| edge)
            .filter(|edge| !edge.is_main())
            .cloned()
            .collect();
        for edge in edges {
            if edge.kind == "ai_tool" {
                let output = self.tool(edge.source);
                self.builder.connect_as(&output, id, "tools", PortKind::Tools);
                continue;
            }
            // A part that leads back to its own node has a placeholder by now.
            let part = self.part_placeholder(edge.source);
            self.builder.connect(&Output::new(&part, &edge.kind), id, &edge.kind);
        }
    }

    /// Adds placeholders for parts that no node took, such as those of a node that is disabled.
    pub(super) fn remaining_parts(&mut self) {
        for at in 0..self.workflow.nodes.len() {
            let node = &self.workflow.nodes[at];
            if self.workflow.is_part(at) && !self.builder.has_outcome(node.name) {
                self.part_placeholder(at);
            }
        }
    }
}

/// The name of a tool as models get it.
pub(super) fn tool_name(name: &str) -> String {
    const MAX_CHARS: usize = 60;
    let name: String = name
        .chars()
        .take(MAX_CHARS)
        .map(|one| if one.is_ascii_alphanumeric() || one == '-' { one } else { '_' })
        .collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "tool".to_owned() } else { name.to_owned() }
}

/// An HTTP tool: what the model chooses stands as `{name}` in the old node, and as `$fromAI(…)` in the new one.
fn http_tool(node: &WorkflowNode<'_>, settings: &Settings<'_>) -> Result<(Value, Vec<String>), String> {
    let mut tool = HttpTool::default();
    let is_old = node.kind == "toolHttpRequest";
    let url = tool.text(settings.text("/url").unwrap_or_default(), is_old)?;
    let mut lost = Vec::new();
    let (url, has_keys) = address_without_keys(&url);
    if has_keys {
        lost.push(ADDRESS_KEY_LOST.to_owned());
    }
    let method = settings.text("/method").unwrap_or("GET");
    let mut pairs = |place: Place, pointers: &[&str]| -> Result<Map<String, Value>, String> {
        let mut pairs = Map::new();
        for entry in pointers.iter().flat_map(|pointer| settings.items(pointer)) {
            let Some(name) = entry.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
                continue;
            };
            // Without a value, the model gives one.
            let value = match entry.get("value").and_then(Value::as_str) {
                Some(value) => tool.text(value, is_old)?,
                None => tool.parameter(name, None),
            };
            match keep_pair(place, name, !value.contains("{{")) {
                Ok(()) => drop(pairs.insert(name.to_owned(), value.into())),
                Err(reason) => lost.extend((!reason.is_empty()).then_some(reason)),
            }
        }
        Ok(pairs)
    };
    let query = pairs(Place::Query, &["/parametersQuery/values", "/queryParameters/parameters"])?;
    let headers = pairs(Place::Headers, &["/parametersHeaders/values", "/headerParameters/parameters"])?;
    let mut body: Value =
        pairs(Place::Body, &["/parametersBody/values", "/bodyParameters/parameters"])?.into();
    if let Some(text) = settings.text("/jsonBody") {
        let text = tool.text(text, is_old)?;
        let written: Value = serde_json::from_str(&text)
            .map_err(|_| "Its body is JSON only once it is filled in.".to_owned())?;
        let (written, removed) = without_secrets(&written);
        lost.extend((removed > 0).then(|| BODY_KEY_LOST.to_owned()));
        body = written;
    }
    for entry in settings.items("/placeholderDefinitions/values") {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        tool.describe(text("name"), text("type"), text("description"));
    }
    settings.ignore_all(&[
        "/sendQuery",
        "/sendHeaders",
        "/sendBody",
        "/specifyQuery",
        "/specifyHeaders",
        "/specifyBody",
        "/options",
        "/optimizeResponse",
        "/nodeCredentialType",
        "/genericAuthType",
        "/descriptionType",
    ]);
    if settings.text("/authentication").is_some_and(|kind| kind != "none") {
        lost.push(CREDENTIALS_LOST.to_owned());
    }
    let description = settings.text("/toolDescription").or_else(|| settings.text("/description"));
    let name = settings.text("/name").unwrap_or(node.name);
    let mut json = json!({
        "name": tool_name(name),
        "description": description.unwrap_or_default(),
        "method": method,
        "url": url,
        "query": query,
        "headers": headers,
        "parameters": tool.schema(),
    });
    if body.as_object().is_some_and(|body| !body.is_empty()) && method != "GET" {
        json["body"] = body;
    }
    Ok((json, lost))
}

/// The parameters of a tool, as they are found.
#[derive(Default)]
struct HttpTool {
    parameters: Map<String, Value>,
}

impl HttpTool {
    /// A text with a placeholder for each parameter.
    fn text(&mut self, text: &str, is_old: bool) -> Result<String, String> {
        let mut written = String::new();
        for part in expressions::parse(text) {
            match part {
                Part::Text(text) if is_old => written.push_str(&self.braces(&text)),
                Part::Text(text) => written.push_str(&text),
                Part::Expression(source) => match expressions::from_ai(&source) {
                    Some((name, description)) => {
                        written.push_str(&self.parameter(&name, description.as_deref()));
                    }
                    None => {
                        return Err(format!("It has the expression `{source}`, which a tool can't have."));
                    }
                },
            }
        }
        Ok(written)
    }

    /// `{name}` as `{{name}}`.
    fn braces(&mut self, text: &str) -> String {
        let mut written = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let name: String = rest[start + 1..]
                .chars()
                .take_while(|one| one.is_ascii_alphanumeric() || *one == '_')
                .collect();
            let end = start + 1 + name.len();
            written.push_str(&rest[..start]);
            if !name.is_empty() && rest[end..].starts_with('}') {
                written.push_str(&self.parameter(&name, None));
                rest = &rest[end + 1..];
            } else {
                written.push('{');
                rest = &rest[start + 1..];
            }
        }
        written + rest
    }

    fn parameter(&mut self, name: &str, description: Option<&str>) -> String {
        let name = super::super::template::identifier(name);
        let known = self.parameters.entry(name.clone()).or_insert_with(|| json!({ "type": "string" }));
        if let Some(description) = description {
            known["description"] = description.into();
        }
        format!("{{{{{name}}}}}")
    }

    fn describe(&mut self, name: &str, kind: &str, description: &str) {
        let Some(known) = self.parameters.get_mut(&super::super::template::identifier(name)) else { return };
        if matches!(kind, "number" | "boolean" | "string") {
            known["type"] = kind.into();
        }
        known["description"] = description.into();
    }

    fn schema(&self) -> Value {
        let names: Vec<&String> = self.parameters.keys().collect();
        json!({ "type": "object", "properties": self.parameters, "required": names })
    }
}
