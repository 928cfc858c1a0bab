//! The description of all routes, made from the tables that they are dispatched by and the types that they read.

use plait_api::command::{Command, CommandVisitor};
use plait_api::hosts::{HostCommand, HostCommandVisitor, visit_host_commands};
use plait_api::visit_commands;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use ts_rs::{Config, TS};

use super::flows::NewRun;
use crate::access;
use crate::chat::ChatRequest;
use crate::roles::Role;

/// Where the document has the schemas of types.
const DEFINITIONS: &str = "/components/schemas";

/// The document, in `OpenAPI` 3.1. The types of the window's commands are those of TypeScript, as in its bindings.
pub(crate) fn document() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let mut schemas =
        settings.with(|settings| settings.definitions_path = DEFINITIONS.into()).into_generator();
    let mut paths = Map::new();
    let mut commands = CommandPaths { paths: &mut paths, config: Config::default().with_large_int("number") };
    visit_commands(&mut commands);
    visit_host_commands(&mut HostCommandPaths { paths: &mut paths, schemas: &mut schemas });
    for (path, method, operation) in routes(&mut schemas) {
        let of_path = paths.entry(path).or_insert_with(|| json!({}));
        of_path[method] = operation.0;
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Plait host", "version": env!("CARGO_PKG_VERSION") },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas.take_definitions(true),
            "responses": { "Error": error_response() },
        },
    })
}

fn routes(schemas: &mut SchemaGenerator) -> Vec<(&'static str, &'static str, Operation)> {
    let of_path = |name: &str| parameter(name, "path", &json!({ "type": "string" }));
    let number = || json!({ "type": "integer", "minimum": 0 });
    let state = || json!({ "type": "object", "description": "The run: `status`, `outputs` by node and port, `error`, `questions`, `tokens`, `cost`." });
    let events = |about: &str| json!({ "text/event-stream": { "schema": { "type": "string", "description": about } } });
    vec![
        ("/healthz", "get", operation("alive", "Whether the process answers.", None)),
        ("/readyz", "get", operation("ready", "Whether requests would be executed.", None)),
        ("/openapi.json", "get", operation("openapi", "This document.", None)),
        (
            "/flows/{name}/runs",
            "post",
            operation("runFlow", "Runs a published flow: 200 with its outputs when it has finished, 202 while it waits for a person. With `Accept: text/event-stream` its events, then `state`.", Some(Role::Runner))
                .with_parameters(vec![of_path("name")])
                .with_body(&schema::<NewRun>(schemas))
                .with_reply(state())
                .with_content(events("`run`, then an `entry` for each event, and `state` or `error`.")),
        ),
        (
            "/hooks/{token}",
            "post",
            operation("receiveHook", "Begins a run of the token's flow with the text of the body, and answers 202 at once. What is sent again with the same `webhook-id`, `x-github-delivery` or `idempotency-key` begins nothing.", None)
                .with_parameters(vec![of_path("token")])
                .with_reply(state()),
        ),
        (
            "/runs",
            "get",
            operation("listRuns", "The runs, newest first, with what they ask: `runs`.", Some(Role::Viewer))
                .with_parameters(vec![
                    parameter("status", "query", &json!({ "type": "string" })),
                    parameter("before", "query", &json!({ "type": "string" })),
                    parameter("limit", "query", &number()),
                ])
                .with_reply(json!({ "type": "object", "description": "`runs`: each as `runs.list` has it, with `questions` as `run.answer` takes them." })),
        ),
        (
            "/runs/changes",
            "get",
            operation("watchRuns", "Says when the list of runs may have changed.", Some(Role::Viewer))
                .with_content(events("An event `changed` at once, and then for each change, until `error`.")),
        ),
        (
            "/runs/{run}",
            "get",
            operation("showRun", "How a run stands.", Some(Role::Viewer))
                .with_parameters(vec![of_path("run"), parameter("wait", "query", &number())])
                .with_reply(state()),
        ),
        (
            "/runs/{run}/events",
            "get",
            operation("watchRun", "The events of a run as they happen, from `from` or after `Last-Event-ID`.", Some(Role::Viewer))
                .with_parameters(vec![
                    of_path("run"),
                    parameter("from", "query", &number()),
                    parameter("Last-Event-ID", "header", &number()),
                ])
                .with_content(events("An `entry` for each event, with its number as id, then `end` or `error`.")),
        ),
        ("/v1/models", "get", operation("listModels", "The published flows with a context `main`, as models.", Some(Role::Viewer))),
        (
            "/v1/models/{name}",
            "get",
            operation("getModel", "A published flow, as a model.", Some(Role::Viewer)).with_parameters(vec![of_path("name")]),
        ),
        (
            "/v1/chat/completions",
            "post",
            operation("complete", "Runs a published flow with a conversation, as the API of OpenAI has it.", Some(Role::Runner))
                .with_body(&schema::<ChatRequest>(schemas))
                .with_content(events("Chunks of the reply, if `stream` is set.")),
        ),
    ]
}

fn parameter(name: &str, place: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": place, "required": place == "path", "schema": schema })
}

/// A reference to the schema of a type, which it adds to the document.
fn schema<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Value {
    schemas.subschema_for::<T>().to_value()
}

struct Operation(Value);

/// An operation that a token of a role may execute, or that needs none.
fn operation(id: &str, about: &str, role: Option<Role>) -> Operation {
    let mut operation = json!({
        "operationId": id,
        "summary": about,
        "responses": {
            "200": { "description": "Done.", "content": { "application/json": { "schema": {} } } },
            "default": { "$ref": "#/components/responses/Error" },
        },
    });
    match role {
        Some(role) => operation["x-least-role"] = json!(role),
        None => operation["security"] = json!([]),
    }
    Operation(operation)
}

impl Operation {
    fn with_parameters(mut self, parameters: Vec<Value>) -> Self {
        self.0["parameters"] = Value::Array(parameters);
        self
    }

    fn with_body(mut self, schema: &Value) -> Self {
        self.0["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        self
    }

    fn with_reply(mut self, schema: Value) -> Self {
        self.0["responses"]["200"]["content"]["application/json"]["schema"] = schema;
        self
    }

    /// Other content of the response.
    fn with_content(mut self, content: Value) -> Self {
        if let (Value::Object(all), Value::Object(more)) =
            (&mut self.0["responses"]["200"]["content"], content)
        {
            all.extend(more);
        }
        self
    }
}

fn error_response() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "description": "Why the request failed.",
        "content": { "application/json": { "schema": {
            "type": "object",
            "required": ["error"],
            "properties": { "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": { "code": text, "message": text, "hint": text, "details": {}, "cause": {} },
            } },
        } } },
    })
}

struct CommandPaths<'a> {
    paths: &'a mut Map<String, Value>,
    config: Config,
}

impl CommandVisitor for CommandPaths<'_> {
    fn visit<C: Command>(&mut self) {
        let row = access::COMMANDS.iter().find(|(name, _)| *name == C::NAME);
        let Some((name, Some(role))) = row else { return };
        let (args, reply) = (C::inline(&self.config), C::Reply::name(&self.config));
        let about = summary_of::<C>(name);
        let described =
            |text: String| json!({ "type": "object", "description": format!("TypeScript: {text}") });
        let operation = operation(name, &about, Some(*role)).with_body(&described(args));
        let operation = operation.with_reply(json!({ "description": format!("TypeScript: {reply}") }));
        self.paths.insert(format!("/commands/{name}"), json!({ "post": operation.0 }));
    }
}

struct HostCommandPaths<'a> {
    paths: &'a mut Map<String, Value>,
    schemas: &'a mut SchemaGenerator,
}

impl HostCommandVisitor for HostCommandPaths<'_> {
    fn visit<C: HostCommand>(&mut self) {
        let Some((name, role)) = access::HOST_COMMANDS.iter().find(|(name, _)| *name == C::NAME) else {
            return;
        };
        let operation = operation(name, &summary_of::<C>(name), Some(*role));
        let operation =
            operation.with_body(&schema::<C>(self.schemas)).with_reply(schema::<C::Reply>(self.schemas));
        self.paths.insert(format!("/commands/{name}"), json!({ "post": operation.0 }));
    }
}

/// What the documentation of the arguments of a command says.
fn summary_of<C: TS>(name: &str) -> String {
    let about = C::docs().unwrap_or_default().replace(['*', '/'], " ");
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    if about.is_empty() { format!("Executes `{name}`.") } else { about }
}

#[cfg(test)]
mod tests;
