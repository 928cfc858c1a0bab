//! `catch`: continues with a fallback value if a node failed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::expression::template::Template;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{
    Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

use crate::codes;

pub(super) struct Catch;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The value to use after an error. Any JSON.
    #[schemars(extend("format" = "json"))]
    fallback: Value,
    /// A template for the fallback text, in place of a fixed value. Its variables are the error's `code`, `message`, `node` and
    /// `details`.
    template: Option<Template>,
}

/// The fields of an error: the variables of the template.
const ERROR_FIELDS: [&str; 4] = ["code", "message", "node", "details"];

impl NodeType for Catch {
    type Config = Config;

    const TYPE: &'static str = "catch";
    const TITLE: &'static str = "Catch";
    const SUMMARY: &'static str = "Continues with a fallback if a node failed";
    const DESCRIPTION: &'static str = "Connect a node's result to `value` and its `error` output to `error`. If the \
        node succeeded, its value is passed on as `result`. If it failed, `result` is the fallback, and `caught` is the \
        error: `{code, message, node, details}`.";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "life-buoy";
    const TERMS: &'static [&'static str] =
        &["error", "try", "fallback", "default", "recover", "failure", "exception"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .optional("value", PortKind::Data, PortType::Any, "The result, if the node succeeded")
            .optional("error", PortKind::Data, PortType::Object, "The error, if it failed")
            .output("result", PortKind::Data, PortType::Any, "The result, or the fallback")
            .output("caught", PortKind::Data, PortType::Object, "The error, if there was one")
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("template")]).line([CardPart::text("fallback")])
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let Some(template) = &config.template else { return Vec::new() };
        let pointer = || "/template".to_owned();
        if let Some(problem) = template.problem() {
            return vec![(pointer(), problem.to_string())];
        }
        let unknown =
            template.variables().iter().filter(|variable| !ERROR_FIELDS.contains(&variable.name.as_str()));
        unknown
            .map(|variable| {
                let message = format!(
                    "Unknown variable `{}`; an error has {}.",
                    variable.name,
                    ERROR_FIELDS.join(", ")
                );
                (pointer(), message)
            })
            .collect()
    }

    fn unused(config: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        if !around.feeds("error") {
            let unused = |setting: &str| {
                Unused::new(setting, "no edge leads to `error`", "connect the `error` output of a node")
            };
            return vec![unused("/fallback"), unused("/template")];
        }
        let reason = "`template` takes its place";
        let unused = config.template.is_some().then(|| Unused::new("/fallback", reason, "remove `template`"));
        unused.into_iter().collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("The node succeeded")
                .config(json!({ "fallback": "no answer" }))
                .input("value", json!("42"))
                .outputs(json!({ "result": "42" })),
            Example::new("The node failed: a text with its message")
                .config(json!({ "template": "{{node}} failed: {{message}}" }))
                .input(
                    "error",
                    json!({ "code": codes::PROVIDER_UNREACHABLE, "message": "No connection.", "node": "chat" }),
                )
                .outputs(json!({
                    "result": "chat failed: No connection.",
                    "caught": { "code": codes::PROVIDER_UNREACHABLE, "message": "No connection.", "node": "chat" },
                })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let Some(error) = inputs.datum("error") else {
            return Ok(NodeOutput::new().pass_through(&inputs, "value", "result"));
        };
        let result = match &config.template {
            Some(template) => Value::String(
                template.render(error_fields(&error.value), &*node_context.host.evaluator).await?,
            ),
            None => config.fallback.clone(),
        };
        Ok(NodeOutput::of("result", result).with_shared("caught", Arc::clone(&error.value)))
    }
}

/// All fields of an error; missing ones are null.
fn error_fields(error: &Value) -> Map<String, Value> {
    ERROR_FIELDS
        .into_iter()
        .map(|field| (field.to_owned(), error.get(field).cloned().unwrap_or_default()))
        .collect()
}
