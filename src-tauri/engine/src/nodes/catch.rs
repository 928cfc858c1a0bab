//! `catch`: goes on with something else when a node has failed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

use crate::error::{ErrorCode, Fault};
use crate::expression::template::Template;
use crate::node::{Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct Catch;

/// What to go on with.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The value to go on with after an error: any JSON.
    #[schemars(extend("format" = "json"))]
    fallback: Value,
    /// Instead of a fixed value, a text from a template over the error's `code`, `message`, `node` and `details`.
    template: Option<Template>,
}

/// What a template may speak of.
const PARTS: [&str; 4] = ["code", "message", "node", "details"];

impl NodeType for Catch {
    type Config = Config;

    const TYPE: &'static str = "catch";
    const TITLE: &'static str = "Catch";
    const SUMMARY: &'static str = "Goes on with a fallback when a node has failed";
    const DESCRIPTION: &'static str = "Lead a node's result to `value` and its `error` output to `error`. When the node \
        succeeded, its value goes on as `result`. When it failed, the fallback goes on instead, and the error on \
        `caught`: `{code, message, node, details}`.";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "life-buoy";
    const TERMS: &'static [&'static str] =
        &["error", "try", "fallback", "default", "recover", "failure", "exception"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .optional("value", PortKind::Data, PortType::Any, "The result, when all went well")
            .optional("error", PortKind::Data, PortType::Object, "The error, when it did not")
            .output("result", PortKind::Data, PortType::Any, "The result, or the fallback")
            .output("caught", PortKind::Data, PortType::Object, "The error, when there was one")
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("template")]).line([CardPart::text("fallback")])
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let Some(template) = &config.template else { return Vec::new() };
        let place = || "/template".to_owned();
        if let Some(problem) = template.problem() {
            return vec![(place(), problem.to_string())];
        }
        let unknown = template.variables().iter().filter(|variable| !PARTS.contains(&variable.name.as_str()));
        unknown
            .map(|variable| {
                let message = format!("An error has no `{}`; it has {}.", variable.name, PARTS.join(", "));
                (place(), message)
            })
            .collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("All went well")
                .config(json!({ "fallback": "no answer" }))
                .input("value", json!("42"))
                .outputs(json!({ "result": "42" })),
            Example::new("It failed; say so")
                .config(json!({ "template": "{{node}} failed: {{message}}" }))
                .input(
                    "error",
                    json!({ "code": ErrorCode::ProviderUnreachable, "message": "No connection.", "node": "chat" }),
                )
                .outputs(json!({
                    "result": "chat failed: No connection.",
                    "caught": { "code": ErrorCode::ProviderUnreachable, "message": "No connection.", "node": "chat" },
                })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        let Some(error) = inputs.datum("error") else {
            return Ok(super::pass_on(&inputs, "value", NodeOutput::new(), "result"));
        };
        let result = match &config.template {
            Some(template) => Value::String(template.render(parts(&error.value))?),
            None => config.fallback.clone(),
        };
        Ok(NodeOutput::of("result", result).with_shared("caught", Arc::clone(&error.value)))
    }
}

/// An error's parts, all of them: what it has nothing to say about is null.
fn parts(error: &Value) -> Map<String, Value> {
    PARTS.into_iter().map(|part| (part.to_owned(), error.get(part).cloned().unwrap_or_default())).collect()
}
