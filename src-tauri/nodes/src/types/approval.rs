//! `approval`: asks a person to approve or reject.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::expression::schema::check_answer;
use plait_core::expression::template::Template;
use plait_core::origin::Origin;
use plait_core::port::{PortKind, PortType, Ports};
use plait_journal::Answer;
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Pause,
    Surroundings, template_inputs,
};

use crate::codes;

pub(super) struct Approval;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The question, in Markdown, as a template. `{{in}}` is the value on `in`; other variables become inputs.
    prompt: Template,
    /// In a loop with `conversation`: whether what this node says is always sent with the history, despite its bounds.
    #[schemars(extend("x-of-conversation" = true))]
    pinned: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { prompt: "Do you approve?{{#if in}}\n\n{{in}}{{/if}}".into(), pinned: false }
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
    const SUMMARY: &'static str = "Asks a person to approve or reject before the flow continues";
    const DESCRIPTION: &'static str = "Pauses and asks a person to approve or reject. If approved, `approved` \
        passes the input value on, and `context` the conversation. If rejected, only `rejected` is live, with the person's \
        comment, and nothing after `approved` or `context` runs.

To revise after a rejection, connect `rejected` back \
        to the node that made the draft.";
    const CATEGORY: Category = Category::People;
    const ICON: &'static str = "shield-check";
    const TERMS: &'static [&'static str] =
        &["approve", "reject", "confirm", "review", "gate", "human", "hitl", "pause"];

    fn ports(config: &Config) -> Ports {
        let ports = Ports::new()
            .when_fed("in", PortKind::Data, PortType::Any, "The value to approve")
            .when_fed("context", PortKind::Context, PortType::Any, "The conversation, passed on if approved");
        template_inputs::add_inputs(ports, &config.prompt)
            .output(
                "approved",
                PortKind::Data,
                PortType::Any,
                "The input value (true if there is none), if approved",
            )
            .output("rejected", PortKind::Data, PortType::Object, "`{comment}`, if rejected")
            .output("context", PortKind::Context, PortType::Any, "The conversation, if approved")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::quoted("prompt")])
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { pauses: true, pins_turns: config.pinned, ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        template_inputs::check(&config.prompt, "/prompt", &Self::ports(config))
    }

    fn unused(_: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        around.unused_loop_settings().into_iter().filter(|one| one.pointer == "/pinned").collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("Approved: the value is passed on")
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

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let schema = json!({
            "type": "object",
            "properties": {
                "approved": { "type": "boolean", "description": "Whether the flow may continue." },
                "comment": { "type": "string", "description": "Why, or what to change." },
            },
            "required": ["approved"],
            "additionalProperties": false,
        });
        let answer = match &node_context.answer {
            Some(Answer::Value(answer) | Answer::Attached { value: answer, .. }) => answer,
            Some(Answer::End) => return Ok(NodeOutput::new()),
            None => {
                let values = template_inputs::values(&config.prompt, &inputs, &node_context);
                let prompt = config.prompt.render(values, &*node_context.host.evaluator).await?;
                return Ok(NodeOutput::paused(Pause::new(prompt, schema)));
            }
        };
        check_answer(&schema, answer)?;
        node_context.add_origin(Origin::Person);
        let Decision { approved, comment } = Decision::deserialize(&**answer).map_err(|error| {
            Fault::new(codes::ANSWER_INVALID, format!("The answer is not a decision: {error}."))
        })?;
        if !approved {
            return Ok(NodeOutput::of("rejected", json!({ "comment": comment.unwrap_or_default() })));
        }
        let value = inputs.datum("in");
        let output = match value {
            Some(_) => NodeOutput::new().pass_through(&inputs, "in", "approved"),
            None => NodeOutput::of("approved", true),
        };
        Ok(match (inputs.context()?, value) {
            (Some(handle), Some(datum)) => {
                output.with_context(&handle.with_output(Value::clone(&datum.value), datum.message.clone()))
            }
            (Some(handle), None) => output.with_context(&handle),
            (None, _) => output,
        })
    }
}
