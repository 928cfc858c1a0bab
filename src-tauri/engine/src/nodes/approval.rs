//! `approval`: a gate that a person opens.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{ErrorCode, Fault};
use crate::expression::schema::check_answer;
use crate::expression::template::Template;
use crate::journal::Answer;
use crate::node::template_inputs;
use crate::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Pause,
};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct Approval;

/// What is to be decided.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// What the person is to decide, in Markdown, as a template. `{{in}}` is what comes in on `in`; other variables become
    /// inputs.
    prompt: Template,
}

impl Default for Config {
    fn default() -> Self {
        Self { prompt: "Do you approve?{{#if in}}\n\n{{in}}{{/if}}".into() }
    }
}

/// A person's decision.
#[derive(Deserialize)]
struct Decision {
    approved: bool,
    comment: Option<String>,
}

impl NodeType for Approval {
    type Config = Config;

    const TYPE: &'static str = "approval";
    const TITLE: &'static str = "Approval";
    const SUMMARY: &'static str = "Lets a person approve or reject before the flow goes on";
    const DESCRIPTION: &'static str = "Pauses and asks a person to approve or reject. Approved, the value goes on as it \
        came on `approved`, and the conversation on `context`. Rejected, only `rejected` is live, with the person's \
        comment: nothing behind `approved` or `context` runs.\n\nTo try again after a rejection, lead `rejected` back to \
        the node that made the draft.";
    const CATEGORY: Category = Category::People;
    const ICON: &'static str = "shield-check";
    const TERMS: &'static [&'static str] =
        &["approve", "reject", "confirm", "review", "gate", "human", "hitl", "pause"];

    fn ports(config: &Config) -> Ports {
        let ports =
            Ports::new().when_fed("in", PortKind::Data, PortType::Any, "What is to be approved").when_fed(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation that goes on when approved",
            );
        template_inputs::add_inputs(ports, &config.prompt)
            .output(
                "approved",
                PortKind::Data,
                PortType::Any,
                "The value as it came in (true without one), when approved",
            )
            .output("rejected", PortKind::Data, PortType::Object, "`{comment}`, when rejected")
            .output("context", PortKind::Context, PortType::Any, "The conversation, when approved")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::quoted("prompt")])
    }

    fn behavior(_: &Config) -> Behavior {
        Behavior { pauses: true, ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        template_inputs::check(&config.prompt, "/prompt", &Self::ports(config))
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("Approved: the value goes on")
                .input("in", json!("Dear Ada, …"))
                .answer(json!({ "approved": true }))
                .outputs(json!({ "approved": "Dear Ada, …" })),
            Example::new("Rejected, with a comment")
                .input("in", json!("Dear Ada, …"))
                .input("context", json!({ "contextId": "main" }))
                .answer(json!({ "approved": false, "comment": "Too formal." }))
                .outputs(json!({ "rejected": { "comment": "Too formal." } })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let schema = json!({
            "type": "object",
            "properties": {
                "approved": { "type": "boolean", "description": "Whether it may go on." },
                "comment": { "type": "string", "description": "Why, or what to change." },
            },
            "required": ["approved"],
            "additionalProperties": false,
        });
        let answer = match &cx.answer {
            Some(Answer::Value(answer)) => answer,
            Some(Answer::End) => return Ok(NodeOutput::new()),
            None => {
                let prompt = config.prompt.render(template_inputs::values(&config.prompt, &inputs))?;
                return Ok(NodeOutput::paused(Pause { prompt, schema }));
            }
        };
        check_answer(&schema, answer)?;
        let Decision { approved, comment } = Decision::deserialize(&**answer).map_err(|error| {
            Fault::new(ErrorCode::AnswerInvalid, format!("This is no decision: {error}."))
        })?;
        if !approved {
            return Ok(NodeOutput::of("rejected", json!({ "comment": comment.unwrap_or_default() })));
        }
        let value = inputs.datum("in");
        let output = match value {
            Some(_) => super::pass_on(&inputs, "in", NodeOutput::new(), "approved"),
            None => NodeOutput::of("approved", true),
        };
        Ok(match (inputs.context()?, value) {
            (Some(handle), Some(datum)) => {
                output.hand_on(&handle.saying(Value::clone(&datum.value), datum.message.clone()))
            }
            (Some(handle), None) => output.hand_on(&handle),
            (None, _) => output,
        })
    }
}
