//! HTTP tools as a flow declares them: a request with placeholders for the arguments. What sends it is the host.
//!
//! Everything here is pure and bounded: a declaration may come from anyone.

mod openapi;
pub mod placeholder;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::tool::{ToolEffect, ToolSpec};
pub use openapi::{OpenApiImport, import};
use placeholder::{Part, names_in, names_in_value, parse};
use plait_core::expression::schema::check_schema;

/// The source of the tools that are declared here.
pub const HTTP_SOURCE: &str = "http";
/// Maximum length of a URL with placeholders, in bytes.
const MAX_URL_BYTES: usize = 8_000;
/// Maximum headers of a declaration.
const MAX_HEADERS: usize = 50;

/// The method of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    #[default]
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl HttpMethod {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether a request changes nothing, so that it may be repeated.
    pub fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }

    /// Whether arguments without a place of their own go into a JSON body; else they go into the query.
    pub fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

/// Whether and where a request carries the tool context. Never in a query string: URLs end up in logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ContextPlacement {
    /// Nowhere.
    #[default]
    None,
    /// In the field `__context` of the JSON body.
    Body,
    /// In the header `X-Plait-Context`, as JSON.
    Header,
}

impl ContextPlacement {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// An HTTP tool. Each `{{name}}` in its URL, query, headers and body stands for an argument.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HttpTool {
    /// The name that models call it by: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model.
    #[schemars(extend("format" = "multiline"))]
    pub description: String,
    /// The method. Requests other than GET and HEAD count as changes: they are never repeated silently.
    pub method: HttpMethod,
    /// The URL, for example `https://api.example.com/users/{{id}}`. The host can't contain a placeholder.
    pub url: String,
    /// Parameters of the query, by name. Arguments that stand nowhere else are added for requests without a body.
    pub query: BTreeMap<String, String>,
    /// Headers, by name. `${NAME}` stands for a secret of the settings, which is only sent to its own host.
    pub headers: BTreeMap<String, String>,
    /// The JSON body. A text that consists of one placeholder becomes the argument itself. If empty, POST, PUT and PATCH send an
    /// object of the arguments that stand nowhere else.
    #[schemars(extend("format" = "json"))]
    #[serde(skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// The JSON Schema of the arguments. If empty, each placeholder is a required text.
    #[schemars(extend("format" = "json"))]
    #[serde(skip_serializing_if = "Value::is_null")]
    pub parameters: Value,
    /// Where the request carries summary and recent turns of the conversation, if the server should see them.
    #[serde(skip_serializing_if = "ContextPlacement::is_none")]
    pub context: ContextPlacement,
}

/// What the host needs to know to send a request: the binding of an HTTP tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HttpBinding {
    pub method: HttpMethod,
    pub url: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub body: Value,
    #[serde(skip_serializing_if = "ContextPlacement::is_none")]
    pub context: ContextPlacement,
    /// Whether the result is an object of status, headers and body rather than the body alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub full_response: bool,
    /// Whether a status that says "error" is a result like any other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accept_any_status: bool,
}

impl HttpBinding {
    /// What a request with it changes. `is_constant` is whether it is always the same: else the values of its arguments leave with
    /// it.
    pub fn effect(&self, is_constant: bool) -> ToolEffect {
        match (self.method.is_safe(), is_constant) {
            (true, true) => ToolEffect::Read,
            (true, false) => ToolEffect::Send,
            (false, _) => ToolEffect::Write,
        }
    }

    /// The host that it goes to, with the port if the URL names one.
    pub fn host(&self) -> Option<&str> {
        let (_, rest) = self.url.trim().split_once("://")?;
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        Some(&rest[..end]).filter(|host| !host.is_empty())
    }

    pub fn placeholders(&self) -> BTreeSet<String> {
        let texts = std::iter::once(&self.url).chain(self.query.values()).chain(self.headers.values());
        let mut names: BTreeSet<String> = texts.flat_map(|text| names_in(text)).collect();
        names.extend(names_in_value(&self.body));
        names
    }

    fn body_is_argument(&self) -> bool {
        self.body.as_str().is_some_and(|text| placeholder::whole(text).is_some())
    }

    /// Its problems, each with the JSON pointer of its place.
    pub fn problems(&self) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        if let Some(problem) = url_problem(&self.url) {
            problems.push(("/url", problem));
        }
        if self.headers.len() > MAX_HEADERS {
            problems.push(("/headers", format!("A request has at most {MAX_HEADERS} headers.")));
        }
        for (name, value) in &self.headers {
            if !is_header_name(name) {
                problems.push(("/headers", format!("`{name}` is not the name of a header.")));
            } else if is_forbidden_header(name) {
                problems.push(("/headers", format!("The header `{name}` is set by Plait itself.")));
            } else if value.chars().any(char::is_control) {
                problems.push(("/headers", format!("The header `{name}` contains a line break.")));
            }
        }
        if !self.body.is_null() && matches!(self.method, HttpMethod::Get | HttpMethod::Head) {
            problems.push(("/body", format!("A {} request has no body.", self.method.as_str())));
        }
        if self.context == ContextPlacement::Body {
            if !self.method.has_body() {
                let message = "Only POST, PUT and PATCH have a body for the context; use the header.";
                problems.push(("/context", message.to_owned()));
            } else if !self.body.is_null() && !self.body.is_object() && !self.body_is_argument() {
                let message = "The context is a field of the body, so the body must be a JSON object.";
                problems.push(("/context", message.to_owned()));
            }
        }
        problems
    }
}

impl HttpTool {
    /// The request of this tool.
    pub fn binding(&self) -> HttpBinding {
        HttpBinding {
            method: self.method,
            url: self.url.trim().to_owned(),
            query: self.query.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
            context: self.context,
            ..HttpBinding::default()
        }
    }

    /// The problems with the declaration, each with the JSON pointer of its place.
    pub fn problems(&self) -> Vec<(&'static str, String)> {
        let binding = self.binding();
        let mut problems = binding.problems();
        if !is_tool_name(&self.name) {
            problems.push((
                "/name",
                "A tool needs a name of at most 64 letters, digits, `_` and `-`.".to_owned(),
            ));
        }
        if self.parameters.is_null() {
            return problems;
        }
        if let Some(problem) = check_schema(&self.parameters) {
            problems.push(("/parameters", problem));
        } else if self.parameters.get("type") != Some(&json!("object")) {
            let message = "The schema of the arguments must be an object: `\"type\": \"object\"`.";
            problems.push(("/parameters", message.to_owned()));
        } else if let Some(properties) = self.parameters.get("properties").and_then(Value::as_object) {
            let unknown = |name: &String| !properties.contains_key(placeholder::first_segment(name));
            if let Some(name) = binding.placeholders().iter().find(|name| unknown(name)) {
                problems.push(("/parameters", format!("There is no argument `{name}` in the schema.")));
            }
        }
        problems
    }

    /// The tool as models see it.
    pub fn to_spec(&self) -> ToolSpec {
        let binding = self.binding();
        let parameters = if self.parameters.is_null() {
            default_parameters(&binding.placeholders())
        } else {
            self.parameters.clone()
        };
        let effect = binding.effect(takes_nothing(&parameters));
        let mut spec = ToolSpec::new(&self.name, &self.description, parameters, HTTP_SOURCE);
        spec.effect = effect;
        // Serializing such a struct never fails.
        spec.binding = serde_json::to_value(binding).unwrap_or_default();
        spec
    }
}

/// Whether the arguments are always the same: none. Those without a place of their own are added to the query.
fn takes_nothing(parameters: &Value) -> bool {
    let properties = parameters.get("properties").and_then(Value::as_object);
    properties.is_none_or(Map::is_empty) && parameters.get("additionalProperties") == Some(&json!(false))
}

/// Each placeholder as a required argument: a text, or an object if its fields are used.
fn default_parameters(placeholders: &BTreeSet<String>) -> Value {
    let mut properties = Map::new();
    for name in placeholders {
        let first = placeholder::first_segment(name);
        let schema = if first == name { json!({ "type": "string" }) } else { json!({ "type": "object" }) };
        properties.entry(first.to_owned()).or_insert(schema);
    }
    let required: Vec<_> = properties.keys().cloned().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Whether a model can call a tool by this name: what all providers accept.
pub fn is_tool_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// The problem with the URL of a request, if there is one. The host is constant, so that a person can allow it.
pub fn url_problem(url: &str) -> Option<String> {
    let url = url.trim();
    if url.is_empty() {
        return Some("The URL is missing.".to_owned());
    }
    if url.len() > MAX_URL_BYTES {
        return Some(format!("The URL is longer than {MAX_URL_BYTES} bytes."));
    }
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Some("The URL must begin with http:// or https://.".to_owned());
    };
    let parts = parse(rest);
    let Some(Part::Text(host)) = parts.first() else {
        return Some("The host of the URL can't be a placeholder.".to_owned());
    };
    let end = host.find(['/', '?', '#', '\\']);
    if end.is_none() && parts.len() > 1 {
        return Some("The host of the URL can't contain a placeholder.".to_owned());
    }
    let authority = &host[..end.unwrap_or(host.len())];
    if authority.is_empty() {
        return Some("The URL has no host.".to_owned());
    }
    if authority.contains('@') {
        return Some(
            "The URL must not contain a user name or password. Use a header with a secret.".to_owned(),
        );
    }
    None
}

pub fn is_header_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=100).contains(&name.len()) && name.bytes().all(is_token)
}

/// Headers that would change how the request is framed or routed.
pub fn is_forbidden_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("proxy-")
        || matches!(
            name.as_str(),
            "host"
                | "content-length"
                | "transfer-encoding"
                | "connection"
                | "upgrade"
                | "te"
                | "trailer"
                | "expect"
        )
}

#[cfg(test)]
mod tests;
