//! `classify`: asks a model which class a message belongs to, and routes the message to that class's output.
//!
//! The model gets instructions and the message, never a history, so the call is small and nothing is trimmed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::fmt::Write as _;

use crate::codes;
use crate::model_call::{
    CallOptions, Interruption, SideQuery, SideQueryOptions, Turn, json_candidates, side_query_card,
    side_query_inputs,
};
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::id::PortName;
use plait_core::port::{ERROR_PORT, PortKind, PortType, Ports};
use plait_llm::context::CallOverrides;
use plait_llm::needs::NodeNeed;
use plait_llm::provider::ModelReply;
use plait_llm::retriever::Knowledge;
use plait_run::node::{
    Behavior, CallLimit, Card, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

pub(super) struct Classify;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub(super) struct Config {
    /// The classes. Each one is an output. Describe them so that the model can distinguish them.
    classes: Vec<Class>,
    /// Whether a message that fits no class goes to `other`. If off, the model must choose the closest class.
    other: bool,
    /// Additional instructions for the model, for example what the messages are about.
    #[schemars(extend("format" = "multiline"))]
    instructions: String,
    /// The provider. If empty, the conversation's.
    #[schemars(extend("format" = "provider"))]
    override_provider: Option<String>,
    /// The model. If empty, the conversation's. A small one is often enough.
    #[schemars(extend("format" = "model"))]
    override_model: Option<String>,
    /// Whether the message and the reply enter the conversation's history.
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

/// One class.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Class {
    /// The name of the class and of its output.
    #[schemars(length(min = 1))]
    name: String,
    /// What belongs to it.
    #[serde(default)]
    description: String,
}

impl Default for Config {
    fn default() -> Self {
        let class = |name: &str, description: &str| Class {
            name: name.to_owned(),
            description: description.to_owned(),
        };
        Self {
            classes: vec![
                class("question", "Asks for information"),
                class("request", "Wants something to be done"),
            ],
            other: true,
            instructions: String::new(),
            override_provider: None,
            override_model: None,
            add_to_history: false,
            knowledge: Knowledge::default(),
            use_history: true,
            pinned: false,
            options: Map::new(),
        }
    }
}

/// The output for messages that fit no class.
const OTHER: &str = "other";
/// Output names that no class can have.
const RESERVED_NAMES: [&str; 4] = ["context", "class", "reason", ERROR_PORT];
/// How often the model is asked again after an unreadable reply.
const MAX_RETRIES: u32 = 1;

impl NodeType for Classify {
    type Config = Config;

    const TYPE: &'static str = "classify";
    const TITLE: &'static str = "Classify";
    const SUMMARY: &'static str = "Routes a message by its content";
    const DESCRIPTION: &'static str = "Asks a model which of its **classes** a message belongs to, and passes the message, \
        unchanged, to the output of that class. Branches after the other outputs are skipped. `class` and `reason` are the \
        model's choice and its explanation.

\
        The message is the value on `message`; without one, the last output on the context edge. The model sees only the \
        classes and that message, not the conversation before it, so the same message is always routed the same way, and \
        the call stays small. The conversation is passed on unchanged.

\
        If a reply names no class, the model is asked once more. Then the node fails with `classify.unreadable`.";
    const CATEGORY: Category = Category::Models;
    const ICON: &'static str = "signpost";
    const TERMS: &'static [&'static str] = &[
        "intent",
        "route",
        "router",
        "categorize",
        "category",
        "categorizer",
        "label",
        "triage",
        "branch",
        "switch",
    ];

    fn ports(config: &Config) -> Ports {
        let ports = side_query_inputs("message", "The message to classify").output(
            "context",
            PortKind::Context,
            PortType::Any,
            "The conversation, unchanged",
        );
        let ports = config.classes.iter().fold(ports, |ports, class| {
            ports.output(
                &class.name,
                PortKind::Data,
                PortType::Any,
                "The message, if it belongs to this class",
            )
        });
        let ports = if config.other {
            ports.output(OTHER, PortKind::Data, PortType::Any, "The message, if it fits no class")
        } else {
            ports
        };
        ports
            .output("class", PortKind::Data, PortType::Text, "The name of the class")
            .output("reason", PortKind::Data, PortType::Text, "The model's explanation")
            .error()
    }

    fn card() -> Card {
        side_query_card()
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior {
            is_agent: true,
            ways: config.names().map(PortName::from).collect(),
            way_output: Some("class"),
            call_limit: CallLimit { repairs: MAX_RETRIES, ..CallLimit::default() },
            pins_turns: config.pinned,
            ignores_loop_history: !config.use_history,
            uses_context: true,
            needs: NodeNeed::of_documents(&config.knowledge.folder),
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut names: HashSet<&str> = HashSet::from(RESERVED_NAMES);
        if config.other {
            names.insert(OTHER);
        }
        let mut problems = Vec::new();
        if config.classes.is_empty() {
            problems.push(("/classes".to_owned(), "Add at least one class.".to_owned()));
        }
        for (index, class) in config.classes.iter().enumerate() {
            let pointer = format!("/classes/{index}/name");
            if class.name.trim().is_empty() {
                problems.push((pointer, "A class needs a name.".to_owned()));
            } else if !names.insert(&class.name) {
                problems.push((pointer, format!("Another output is already named `{}`.", class.name)));
            }
        }
        problems
    }

    fn unused(config: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        let mut unused = around.unused_loop_settings();
        unused.extend(config.knowledge.unused("/knowledge"));
        unused.extend(super::unused_without_context(&["/addToHistory"], around));
        unused
    }

    fn examples() -> Vec<Example> {
        let config = |reply: &str| {
            json!({
                "classes": [
                    { "name": "refund", "description": "Wants money back" },
                    { "name": "delivery", "description": "Asks where a parcel is" },
                ],
                "overrideModel": "script",
                "options": { "replies": [{ "text": reply }] },
            })
        };
        vec![
            Example::new("A message is routed to its class")
                .config(config("{\"class\": \"refund\", \"reason\": \"It asks for the money.\"}"))
                .input("context", json!({ "contextId": "main" }))
                .input("message", json!("I want my money back!"))
                .outputs(json!({
                    "context": { "contextId": "main" },
                    "refund": "I want my money back!",
                    "class": "refund",
                    "reason": "It asks for the money.",
                })),
            Example::new("No class fits; without a conversation")
                .config(config("{\"class\": \"other\", \"reason\": \"It only greets.\"}"))
                .input("message", json!("Hello"))
                .outputs(json!({ "other": "Hello", "class": "other", "reason": "It only greets." })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let overrides = CallOverrides {
            provider: config.override_provider.as_deref(),
            model: config.override_model.as_deref(),
            ..CallOverrides::default()
        };
        let query_options = SideQueryOptions {
            input: "message",
            instructions: config.system_prompt(),
            with_history: false,
            use_history: config.use_history,
            add_to_history: config.add_to_history,
            overrides,
        };
        let mut query = SideQuery::new(query_options, &inputs, &node_context)?;
        if let Err(interruption) = query.add_knowledge(&config.knowledge, &node_context).await {
            return interruption.into_output();
        }
        let schema = config.schema();
        let call_options = CallOptions {
            temperature: None,
            response_schema: Some(&schema),
            max_tool_rounds: 0,
            options: &config.options,
        };
        let turns = query.loop_turns(&node_context);
        let mut turn = query.begin(call_options, turns.as_ref(), &node_context);
        match config.ask(&mut turn).await {
            Ok((reply, choice)) => {
                let output = query.finish(&turn, &reply).with_datum(&choice.class, &query.subject);
                Ok(output.with("class", choice.class).with("reason", choice.reason))
            }
            Err(interruption) => turn.interrupt(interruption),
        }
    }
}

/// The model's choice.
struct Choice {
    class: String,
    reason: String,
}

impl Config {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().map(|class| class.name.as_str()).chain(self.other.then_some(OTHER))
    }

    /// The system instructions.
    fn system_prompt(&self) -> String {
        let mut prompt = String::new();
        if !self.instructions.trim().is_empty() {
            prompt.push_str(self.instructions.trim());
            prompt.push_str("\n\n");
        }
        prompt.push_str("Decide which one of these classes the user's message belongs to:\n");
        let other = self.other.then_some((OTHER, "Belongs to none of the above"));
        let classes = self.classes.iter().map(|class| (class.name.as_str(), class.description.trim()));
        for (name, description) in classes.chain(other) {
            let colon = if description.is_empty() { "" } else { ": " };
            // Writing to a string never fails.
            let _ = writeln!(prompt, "- {name}{colon}{description}");
        }
        prompt.push_str(
            "\nDo not answer the message. Reply with JSON only: {\"class\": the name of the class, \"reason\": why, in one \
             short sentence}.",
        );
        prompt
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "class": { "type": "string", "enum": self.names().collect::<Vec<_>>() },
                "reason": { "type": "string" },
            },
            "required": ["class", "reason"],
            "additionalProperties": false,
        })
    }

    /// Asks the model, and asks again if the reply names no class.
    async fn ask(&self, turn: &mut Turn<'_>) -> Result<(ModelReply, Choice), Interruption> {
        let mut retries = 0;
        loop {
            let reply = turn.run().await?;
            if let Some(choice) = self.parse_choice(&reply.text) {
                return Ok((reply, choice));
            }
            if retries == MAX_RETRIES {
                return Err(unreadable(&reply.text).into());
            }
            retries += 1;
            let names: Vec<_> = self.names().collect();
            let reason = format!(
                "That names none of the classes. Reply with JSON only, {{\"class\": …, \"reason\": …}}, where the class is one \
                 of: {}.",
                names.join(", ")
            );
            turn.reject_reply(reply, reason);
        }
    }

    /// The class that a reply names, either in its JSON or as its whole text.
    fn parse_choice(&self, text: &str) -> Option<Choice> {
        let text = json_candidates(text)[0];
        let value: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({ "class": text }));
        let name = value["class"].as_str().or(value.as_str())?.trim();
        let exact = self.names().find(|known| *known == name);
        let class =
            exact.or_else(|| self.names().find(|known| known.to_lowercase() == name.to_lowercase()))?;
        let reason = value["reason"].as_str().unwrap_or_default();
        Some(Choice { class: class.to_owned(), reason: reason.to_owned() })
    }
}

fn unreadable(reply: &str) -> Fault {
    Fault::new(codes::CLASSIFY_UNREADABLE, "The model named none of the classes, twice.")
        .hint("Describe the classes more clearly, turn `other` on, or use another model.")
        .details(json!({ "reply": reply }))
}

#[cfg(test)]
mod tests;
