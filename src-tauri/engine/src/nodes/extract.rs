//! `extract`: asks a model for a value that follows a JSON Schema, and holds it to that.
//!
//! A reply that does not follow the schema is told what is wrong with it and tried again, a bounded number of times.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::num::NonZeroU32;

use crate::error::{ErrorCode, Fault};
use crate::expression::schema::check_schema;
use crate::model_call::{self, Manner, Schema, Turn, Wanted};
use crate::node::{Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};
use crate::prompt::Overrides;
use crate::provider::{ModelReply, StopReason};

pub(super) struct Extract;

/// What is wanted, and of whom.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// JSON Schema of the value. Descriptions in it help the model.
    #[schemars(extend("format" = "json"))]
    schema: Value,
    /// What the model is to know besides, for example what to do with what is missing.
    #[schemars(extend("format" = "multiline"))]
    instructions: String,
    /// Whether the model also sees what was said in the conversation before.
    with_history: bool,
    /// How often a reply that does not follow the schema is sent back with what is wrong with it.
    #[schemars(range(max = 10))]
    max_repairs: u32,
    /// Another provider than the conversation's; without a conversation, the one to ask.
    #[schemars(extend("format" = "provider"))]
    override_provider: Option<String>,
    /// Another model than the conversation's.
    #[schemars(extend("format" = "model"))]
    override_model: Option<String>,
    /// The most tokens of reply. Left out: as the provider sees fit.
    max_tokens: Option<NonZeroU32>,
    /// The model's window in tokens, where Plait does not know it or less of it is to be used.
    context_window: Option<NonZeroU32>,
    /// Whether text and answer enter the conversation's history.
    add_to_history: bool,
    /// Anything a particular provider understands. For the offline simulator's model `script` its answers.
    #[schemars(extend("format" = "json"))]
    options: Map<String, Value>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            schema: json!({ "type": "object", "properties": { "summary": { "type": "string" } }, "required": ["summary"] }),
            instructions: String::new(),
            with_history: false,
            max_repairs: 2,
            override_provider: None,
            override_model: None,
            max_tokens: None,
            context_window: None,
            add_to_history: false,
            options: Map::new(),
        }
    }
}

/// More repairs than that help nobody.
const MOST_REPAIRS: u32 = 10;

impl NodeType for Extract {
    type Config = Config;

    const TYPE: &'static str = "extract";
    const TITLE: &'static str = "Extract";
    const SUMMARY: &'static str = "Turns text into data that follows a schema";
    const DESCRIPTION: &'static str = "Asks a model for a value that follows a JSON Schema, made from a text, and gives it on \
        `value`: checked, never merely hoped for.\n\n\
        The text is the one on `text`, else what was last said on the context edge; with **with history** the model also \
        sees what was said before. The conversation itself is handed on as it came.\n\n\
        A reply that is not JSON or does not follow the schema is sent back to the model with what is wrong with it, up to \
        **max repairs** times; then the node fails with `extract.invalid`.";
    const CATEGORY: Category = Category::Models;
    const ICON: &'static str = "scan-text";
    const TERMS: &'static [&'static str] =
        &["structured", "output", "json", "schema", "parse", "fields", "entities", "data", "form"];

    fn ports(_: &Config) -> Ports {
        model_call::inputs("text", "What the value is made from")
            .output("context", PortKind::Context, PortType::Any, "The conversation, as it came")
            .output("value", PortKind::Data, PortType::Any, "The value")
            .error()
    }

    fn card() -> Card {
        Card::new()
            .line([CardPart::text("overrideProvider"), CardPart::text("overrideModel")])
            .line([CardPart::text("instructions")])
            .line([CardPart::ContextMaker])
    }

    fn behavior(_: &Config) -> Behavior {
        Behavior { uses_context: true, ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if let Some(problem) = check_schema(&config.schema) {
            problems.push(("/schema".to_owned(), problem));
        }
        if config.max_repairs > MOST_REPAIRS {
            problems.push((
                "/maxRepairs".to_owned(),
                format!("`maxRepairs` is a number from 0 to {MOST_REPAIRS}."),
            ));
        }
        problems
    }

    fn examples() -> Vec<Example> {
        let script = |replies: &[&str]| {
            let replies: Vec<_> = replies.iter().map(|text| json!({ "text": text })).collect();
            json!({ "replies": replies })
        };
        vec![
            Example::new("The fields of an order, from what was said last")
                .config(json!({
                    "schema": {
                        "type": "object",
                        "properties": { "item": { "type": "string" }, "count": { "type": "integer" } },
                        "required": ["item", "count"],
                    },
                    "overrideModel": "script",
                    "options": script(&["{\"item\": \"tea\", \"count\": 2}"]),
                }))
                .input("context", json!({ "contextId": "main", "currentOutput": "Two bags of tea, please." }))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "Two bags of tea, please." },
                    "value": { "item": "tea", "count": 2 },
                })),
            Example::new("A list of words, without a conversation")
                .config(json!({
                    "schema": { "type": "array", "items": { "type": "string" } },
                    "overrideModel": "script",
                    "options": script(&["{\"value\": [\"Ada\", \"Grace\"]}"]),
                }))
                .input("text", json!("Ada met Grace."))
                .outputs(json!({ "value": ["Ada", "Grace"] })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let schema = Schema::new(&config.schema);
        let overrides = Overrides {
            provider: config.override_provider.as_deref(),
            model: config.override_model.as_deref(),
            max_tokens: config.max_tokens.map(NonZeroU32::get),
            window: config.context_window.map(|window| window.get().into()),
        };
        let wanted = Wanted {
            input: "text",
            instructions: config.told(&schema),
            with_history: config.with_history,
            written: config.add_to_history,
            overrides,
        };
        let aside = model_call::Aside::new(wanted, &inputs, &cx)?;
        let manner = Manner {
            temperature: None,
            response_schema: Some(schema.asked()),
            max_tool_rounds: 0,
            options: &config.options,
        };
        let mut turn = aside.turn(manner, &cx);
        match config.ask(&schema, &mut turn).await {
            Ok((reply, value)) => Ok(aside.finish(&turn, &reply).with("value", value)),
            Err(fault) => {
                turn.discard();
                Err(fault)
            }
        }
    }
}

impl Config {
    /// The instructions. The schema stands in them too: not every provider holds its models to one.
    fn told(&self, schema: &Schema<'_>) -> String {
        let before = self.instructions.trim();
        let gap = if before.is_empty() { "" } else { "\n\n" };
        format!(
            "{before}{gap}Make a value from the user's message. Take from it only what it says, and do not answer it. Reply \
             with JSON only, which follows this JSON Schema:\n{}",
            schema.asked()
        )
    }

    /// Asks until the reply follows the schema, as often as is allowed.
    async fn ask(&self, schema: &Schema<'_>, turn: &mut Turn<'_>) -> Result<(ModelReply, Value), Fault> {
        let mut repairs = 0;
        loop {
            let reply = turn.answer().await?;
            if reply.stop_reason == StopReason::ContentFilter {
                model_call::is_answer(&reply)?;
            }
            let wrong = match schema.read(&reply.text) {
                Ok(value) => return Ok((reply, value)),
                Err(wrong) => wrong,
            };
            if repairs == self.max_repairs {
                return Err(invalid(&reply, &wrong, repairs));
            }
            repairs += 1;
            let why = format!(
                "That does not follow the schema: {wrong}. Reply with the whole value again, as JSON only."
            );
            turn.object(reply, why);
        }
    }
}

fn invalid(reply: &ModelReply, wrong: &str, repairs: u32) -> Fault {
    let tried = match repairs {
        0 => String::new(),
        1 => ", even after one repair".to_owned(),
        more => format!(", even after {more} repairs"),
    };
    let hint = if reply.stop_reason == StopReason::MaxTokens {
        "The reply was cut short: raise `maxTokens`."
    } else {
        "Describe the fields in the schema, allow more repairs, or ask another model."
    };
    Fault::new(
        ErrorCode::ExtractInvalid,
        format!("The model gave no value that follows the schema{tried}: {wrong}."),
    )
    .hint(hint)
    .details(json!({ "reply": reply.text }))
}

#[cfg(test)]
mod tests;
