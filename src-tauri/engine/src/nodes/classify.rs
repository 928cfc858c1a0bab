//! `classify`: asks a model which of some classes a message belongs to, and sends it that way.
//!
//! The model gets instructions and the message, never a history: what is sent is bounded by itself, and nothing is trimmed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::fmt::Write as _;

use crate::error::{ErrorCode, Fault};
use crate::model_call::{self, Manner, Turn, Wanted, unfenced};
use crate::node::{Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{ERROR_PORT, PortKind, PortType, Ports};
use crate::prompt::Overrides;
use crate::provider::{ModelReply, StopReason};

pub(super) struct Classify;

/// The classes, and who tells them apart.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The classes. Each is an output; describe them so that they can be told apart.
    classes: Vec<Class>,
    /// Whether what belongs to none of them goes out on `other`. Otherwise the model must choose the nearest.
    other: bool,
    /// What the model is to know besides, for example what the messages are about.
    #[schemars(extend("format" = "multiline"))]
    instructions: String,
    /// Another provider than the conversation's; without a conversation, the one to ask.
    #[schemars(extend("format" = "provider"))]
    override_provider: Option<String>,
    /// Another model than the conversation's; a small one is often enough.
    #[schemars(extend("format" = "model"))]
    override_model: Option<String>,
    /// Whether message and answer enter the conversation's history.
    add_to_history: bool,
    /// Anything a particular provider understands. For the offline simulator's model `script` its answers.
    #[schemars(extend("format" = "json"))]
    options: Map<String, Value>,
}

/// One class.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Class {
    /// Its name: the output's, and what the model answers.
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
            options: Map::new(),
        }
    }
}

/// The output of what belongs to no class.
const OTHER: &str = "other";
/// Outputs that no class can have for its name.
const TAKEN: [&str; 4] = ["context", "class", "reason", ERROR_PORT];
/// How often a reply that can't be read is asked for again.
const AGAIN: u32 = 1;

impl NodeType for Classify {
    type Config = Config;

    const TYPE: &'static str = "classify";
    const TITLE: &'static str = "Classify";
    const SUMMARY: &'static str = "Sends a message one way of several, by what it is about";
    const DESCRIPTION: &'static str = "Asks a model which of its **classes** a message belongs to, and gives the message, \
        unchanged, to the output of that class. The branches behind the other outputs are skipped. `class` and `reason` \
        say what the model chose and why.\n\n\
        The message is the one on `message`, else what was last said on the context edge. The model sees the classes and \
        that message, never the conversation before it: the same message goes the same way wherever it is said, and the \
        call stays small. The conversation itself is handed on as it came.\n\n\
        A reply that names no class is asked for once more, then the node fails with `classify.unreadable`.";
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
        let ports = model_call::inputs("message", "What is to be classified").output(
            "context",
            PortKind::Context,
            PortType::Any,
            "The conversation, as it came",
        );
        let ports = config.classes.iter().fold(ports, |ports, class| {
            ports.output(
                &class.name,
                PortKind::Data,
                PortType::Any,
                "The message, when it belongs to this class",
            )
        });
        let ports = if config.other {
            ports.output(OTHER, PortKind::Data, PortType::Any, "The message, when it belongs to no class")
        } else {
            ports
        };
        ports
            .output("class", PortKind::Data, PortType::Text, "The name of the class")
            .output("reason", PortKind::Data, PortType::Text, "Why, in the model's words")
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
        let mut names: HashSet<&str> = HashSet::from(TAKEN);
        if config.other {
            names.insert(OTHER);
        }
        let mut problems = Vec::new();
        if config.classes.is_empty() {
            problems.push(("/classes".to_owned(), "There must be a class to choose.".to_owned()));
        }
        for (index, class) in config.classes.iter().enumerate() {
            let place = format!("/classes/{index}/name");
            if class.name.trim().is_empty() {
                problems.push((place, "A class needs a name.".to_owned()));
            } else if !names.insert(&class.name) {
                problems.push((place, format!("There is another output `{}`.", class.name)));
            }
        }
        problems
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
            Example::new("A message finds its way")
                .config(config("{\"class\": \"refund\", \"reason\": \"It asks for the money.\"}"))
                .input("context", json!({ "contextId": "main" }))
                .input("message", json!("I want my money back!"))
                .outputs(json!({
                    "context": { "contextId": "main" },
                    "refund": "I want my money back!",
                    "class": "refund",
                    "reason": "It asks for the money.",
                })),
            Example::new("None of the classes, and no conversation")
                .config(config("{\"class\": \"other\", \"reason\": \"It only greets.\"}"))
                .input("message", json!("Hello"))
                .outputs(json!({ "other": "Hello", "class": "other", "reason": "It only greets." })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let overrides = Overrides {
            provider: config.override_provider.as_deref(),
            model: config.override_model.as_deref(),
            ..Overrides::default()
        };
        let wanted = Wanted {
            input: "message",
            instructions: config.told(),
            with_history: false,
            written: config.add_to_history,
            overrides,
        };
        let aside = model_call::Aside::new(wanted, &inputs, &cx)?;
        let schema = config.schema();
        let manner = Manner {
            temperature: None,
            response_schema: Some(&schema),
            max_tool_rounds: 0,
            options: &config.options,
        };
        let mut turn = aside.turn(manner, &cx);
        match config.ask(&mut turn).await {
            Ok((reply, chosen)) => {
                let output = aside.finish(&turn, &reply).with_datum(&chosen.class, &aside.about);
                Ok(output.with("class", chosen.class).with("reason", chosen.reason))
            }
            Err(fault) => {
                turn.discard();
                Err(fault)
            }
        }
    }
}

/// What the model chose.
struct Chosen {
    class: String,
    reason: String,
}

impl Config {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().map(|class| class.name.as_str()).chain(self.other.then_some(OTHER))
    }

    /// The instructions.
    fn told(&self) -> String {
        let mut told = String::new();
        if !self.instructions.trim().is_empty() {
            told.push_str(self.instructions.trim());
            told.push_str("\n\n");
        }
        told.push_str("Decide which one of these classes the user's message belongs to:\n");
        let other = self.other.then_some((OTHER, "Belongs to none of the above"));
        let classes = self.classes.iter().map(|class| (class.name.as_str(), class.description.trim()));
        for (name, description) in classes.chain(other) {
            let colon = if description.is_empty() { "" } else { ": " };
            // Writing to a string never fails.
            let _ = writeln!(told, "- {name}{colon}{description}");
        }
        told.push_str(
            "\nDo not answer the message. Reply with JSON only: {\"class\": the name of the class, \"reason\": why, in one \
             short sentence}.",
        );
        told
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

    /// Asks, and once more where the reply can't be read.
    async fn ask(&self, turn: &mut Turn<'_>) -> Result<(ModelReply, Chosen), Fault> {
        let mut again = 0;
        loop {
            let reply = turn.answer().await?;
            if reply.stop_reason == StopReason::ContentFilter {
                model_call::is_answer(&reply)?;
            }
            if let Some(chosen) = self.read(&reply.text) {
                return Ok((reply, chosen));
            }
            if again == AGAIN {
                return Err(unreadable(&reply.text));
            }
            again += 1;
            let names: Vec<_> = self.names().collect();
            let why = format!(
                "That names none of the classes. Reply with JSON only, {{\"class\": …, \"reason\": …}}, where the class is one \
                 of: {}.",
                names.join(", ")
            );
            turn.object(reply, why);
        }
    }

    /// The class a reply names: in its JSON, or as all it says.
    fn read(&self, text: &str) -> Option<Chosen> {
        let text = unfenced(text);
        let value: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({ "class": text }));
        let named = value["class"].as_str().or(value.as_str())?.trim();
        let exact = self.names().find(|name| *name == named);
        let class =
            exact.or_else(|| self.names().find(|name| name.to_lowercase() == named.to_lowercase()))?;
        let reason = value["reason"].as_str().unwrap_or_default();
        Some(Chosen { class: class.to_owned(), reason: reason.to_owned() })
    }
}

fn unreadable(reply: &str) -> Fault {
    Fault::new(ErrorCode::ClassifyUnreadable, "The model named none of the classes, twice.")
        .hint("Describe the classes more plainly, turn `other` on, or ask another model.")
        .details(json!({ "reply": reply }))
}

#[cfg(test)]
mod tests;
