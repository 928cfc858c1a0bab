//! `extract`: asks a model for a value that matches a JSON Schema, and validates it.
//!
//! A reply that does not match is rejected with the reasons, and the model asked again, a bounded number of times.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::num::NonZeroU32;

use crate::codes;
use crate::model_call::{
    CallOptions, Interruption, ReplySchema, SideQuery, SideQueryOptions, Turn, side_query_card,
    side_query_inputs,
};
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::expression::schema::check_schema;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::CallOverrides;
use plait_llm::needs::NodeNeed;
use plait_llm::provider::ModelReply;
use plait_llm::retriever::Knowledge;
use plait_run::node::{
    Behavior, CallLimit, Card, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

pub(super) struct Extract;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub(super) struct Config {
    /// JSON Schema of the value. Descriptions in it help the model.
    #[schemars(extend("format" = "json"))]
    schema: Value,
    /// Additional instructions for the model, for example how to handle missing information.
    #[schemars(extend("format" = "multiline"))]
    instructions: String,
    /// Whether the model also sees the conversation's history.
    with_history: bool,
    /// How often the model may correct a reply that does not match the schema.
    #[schemars(range(max = 10))]
    max_repairs: u32,
    /// The provider. If empty, the conversation's.
    #[schemars(extend("format" = "provider"))]
    override_provider: Option<String>,
    /// The model. If empty, the conversation's.
    #[schemars(extend("format" = "model"))]
    override_model: Option<String>,
    /// Maximum tokens of the reply. If empty, the provider's default.
    max_tokens: Option<NonZeroU32>,
    // The table of the configuration describes it.
    context_window: Option<NonZeroU32>,
    /// Whether the text and the reply enter the conversation's history.
    add_to_history: bool,
    /// Knowledge bases that are searched for the message; what fits stands before it.
    knowledge: Knowledge,
    /// In a loop with `conversation`: whether the model gets the history of the loop.
    #[serde(rename = "use_history")]
    #[schemars(extend("x-of-conversation" = true))]
    use_history: bool,
    /// In a loop with `conversation`: whether what this node says is always sent with the history, despite its bounds.
    #[schemars(extend("x-of-conversation" = true))]
    pinned: bool,
    /// Provider-specific options. For the offline simulator's model `script`, its replies.
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
            knowledge: Knowledge::default(),
            use_history: true,
            pinned: false,
            options: Map::new(),
        }
    }
}

const MAX_REPAIRS: u32 = 10;

impl NodeType for Extract {
    type Config = Config;

    const TYPE: &'static str = "extract";
    const TITLE: &'static str = "Extract";
    const SUMMARY: &'static str = "Turns text into data that matches a schema";
    const DESCRIPTION: &'static str = "Asks a model to extract a value that matches a JSON Schema from a text, validates it, and \
        outputs it on `value`.

\
        The text is the value on `text`; without one, the last output on the context edge. With **with history** the model \
        also sees the conversation's history. The conversation is passed on unchanged.

\
        If a reply is not JSON or does not match the schema, the model gets the errors and is asked again, up to **max \
        repairs** times. Then the node fails with `extract.invalid`.";
    const CATEGORY: Category = Category::Models;
    const ICON: &'static str = "scan-text";
    const TERMS: &'static [&'static str] =
        &["structured", "output", "json", "schema", "parse", "fields", "entities", "data", "form"];

    fn ports(_: &Config) -> Ports {
        side_query_inputs("text", "The text to extract the value from")
            .output("context", PortKind::Context, PortType::Any, "The conversation, unchanged")
            .output("value", PortKind::Data, PortType::Any, "The value")
            .error()
    }

    fn card() -> Card {
        side_query_card()
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior {
            is_agent: true,
            call_limit: CallLimit { repairs: config.max_repairs, ..CallLimit::default() },
            pins_turns: config.pinned,
            ignores_loop_history: !config.use_history,
            uses_context: true,
            needs: NodeNeed::of_documents(&config.knowledge.folder),
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if let Some(problem) = check_schema(&config.schema) {
            problems.push(("/schema".to_owned(), problem));
        }
        if config.max_repairs > MAX_REPAIRS {
            problems.push((
                "/maxRepairs".to_owned(),
                format!("`maxRepairs` is a number from 0 to {MAX_REPAIRS}."),
            ));
        }
        problems
    }

    fn unused(config: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        let mut unused = around.unused_loop_settings();
        unused.extend(config.knowledge.unused("/knowledge"));
        unused.extend(super::unused_without_context(&["/addToHistory", "/withHistory"], around));
        unused
    }

    fn output_schemas(config: &Config) -> Vec<(&'static str, &Value)> {
        vec![("value", &config.schema)]
    }

    fn examples() -> Vec<Example> {
        let script = |replies: &[&str]| {
            let replies: Vec<_> = replies.iter().map(|text| json!({ "text": text })).collect();
            json!({ "replies": replies })
        };
        vec![
            Example::new("The fields of an order, from the last message")
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

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let schema = ReplySchema::new(&config.schema);
        let overrides = CallOverrides {
            provider: config.override_provider.as_deref(),
            model: config.override_model.as_deref(),
            max_tokens: config.max_tokens.map(NonZeroU32::get),
            window: config.context_window.map(|window| window.get().into()),
        };
        let query_options = SideQueryOptions {
            input: "text",
            instructions: config.system_prompt(&schema),
            with_history: config.with_history,
            use_history: config.use_history,
            add_to_history: config.add_to_history,
            overrides,
        };
        let mut query = SideQuery::new(query_options, &inputs, &node_context)?;
        if let Err(interruption) = query.add_knowledge(&config.knowledge, &node_context).await {
            return interruption.into_output();
        }
        let call_options = CallOptions {
            temperature: None,
            response_schema: Some(schema.requested()),
            max_tool_rounds: 0,
            options: &config.options,
        };
        let turns = query.loop_turns(&node_context);
        let mut turn = query.begin(call_options, turns.as_ref(), &node_context);
        match config.ask(&schema, &mut turn).await {
            Ok((reply, value)) => Ok(query.finish(&turn, &reply).with("value", value)),
            Err(interruption) => turn.interrupt(interruption),
        }
    }
}

impl Config {
    /// The system instructions. They include the schema, since not every provider enforces it.
    fn system_prompt(&self, schema: &ReplySchema<'_>) -> String {
        let before = self.instructions.trim();
        let gap = if before.is_empty() { "" } else { "\n\n" };
        format!(
            "{before}{gap}Make a value from the user's message. Take from it only what it says, and do not answer it. Reply \
             with JSON only, which follows this JSON Schema:\n{}",
            schema.requested()
        )
    }

    /// Asks the model until its reply matches the schema or there are no repairs left.
    async fn ask(
        &self,
        schema: &ReplySchema<'_>,
        turn: &mut Turn<'_>,
    ) -> Result<(ModelReply, Value), Interruption> {
        let mut repairs = 0;
        loop {
            let reply = turn.run().await?;
            let errors = match schema.parse_reply(&reply.text) {
                Ok(value) => return Ok((reply, value)),
                Err(errors) => errors,
            };
            if repairs == self.max_repairs {
                return Err(invalid(&reply, &errors, repairs).into());
            }
            repairs += 1;
            let reason = format!(
                "That does not match the schema: {errors}. Reply with the whole value again, as JSON only."
            );
            turn.reject_reply(reply, reason);
        }
    }
}

fn invalid(reply: &ModelReply, errors: &str, repairs: u32) -> Fault {
    let attempts = match repairs {
        0 => String::new(),
        1 => ", even after one repair".to_owned(),
        more => format!(", even after {more} repairs"),
    };
    Fault::new(
        codes::EXTRACT_INVALID,
        format!("The model's reply does not match the schema{attempts}: {errors}."),
    )
    .hint("Describe the fields in the schema, allow more repairs, or use another model.")
    .details(json!({ "reply": reply.text }))
}

#[cfg(test)]
mod tests;
