//! What people and the editor are told of a node type.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use ts_rs::TS;

use super::{Card, EditorTraits};
use crate::host::subflow::ChildFlow;
use crate::id::{NodeId, PortName};
use crate::port::Ports;

/// The palette's sections, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Conversations.
    Contexts,
    /// Pauses for a person.
    People,
    /// Model calls.
    Models,
    /// What a model may call.
    Tools,
    /// Values.
    Data,
    /// Which way, when, and whether.
    Control,
    /// Order on the canvas.
    Wiring,
}

/// An example of a node type that runs as a test: with this config and these inputs it gives these outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Example {
    /// What it shows.
    pub title: String,
    /// The node's config.
    #[ts(type = "Record<string, unknown>")]
    pub config: Value,
    /// Values on its inputs.
    #[ts(as = "BTreeMap<PortName, Value>")]
    pub inputs: BTreeMap<PortName, Value>,
    /// The person's answer, where it pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub answer: Option<Value>,
    /// The live outputs it gives; those not named here are dead. Null where they depend on the world (a clock).
    #[ts(type = "Record<string, unknown> | null")]
    pub outputs: Value,
}

impl Example {
    /// An example with an empty config, no inputs and no live outputs; the start of a chain of the calls below.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            config: Value::Object(Map::new()),
            inputs: BTreeMap::new(),
            answer: None,
            outputs: Value::Object(Map::new()),
        }
    }

    /// The same with this config.
    #[must_use]
    pub fn config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// The same with this value on an input. On a `many` port the value is the list of what its edges bring.
    #[must_use]
    pub fn input(mut self, port: &str, value: Value) -> Self {
        self.inputs.insert(port.into(), value);
        self
    }

    /// The same with this answer to its question.
    #[must_use]
    pub fn answer(mut self, answer: Value) -> Self {
        self.answer = Some(answer);
        self
    }

    /// The same with these live outputs; null where they depend on the world.
    #[must_use]
    pub fn outputs(mut self, outputs: Value) -> Self {
        self.outputs = outputs;
        self
    }
}

/// A node type, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeDescriptor {
    /// Its name in files, for example `userInput`.
    #[serde(rename = "type")]
    pub node_type: String,
    /// Other names under which files may know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub aliases: Vec<String>,
    /// Its name for people.
    pub title: String,
    /// One line for the palette.
    pub summary: String,
    /// What it does, in Markdown, for the in-app help.
    pub description: String,
    /// The palette's section.
    pub category: Category,
    /// The lucide icon that stands for it, in kebab case.
    pub icon: String,
    /// The one-line summary on a node's card.
    pub card: Card,
    /// How the editor treats its nodes, beyond what their ports say.
    pub editor: EditorTraits,
    /// More words under which it is found.
    pub terms: Vec<String>,
    /// JSON Schema of its config; the inspector's form is drawn from it.
    #[ts(type = "Record<string, unknown>")]
    pub config_schema: Value,
    /// Its ports with its default config.
    pub ports: Ports,
    /// Runnable examples.
    pub examples: Vec<Example>,
}

/// What planning needs to know of a node, given its config.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent yes or no that a node type says of itself"
)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behavior {
    /// It pauses for a person, and so bounds every cycle it stands in.
    pub pauses: bool,
    /// It reads or writes the history of the context on its `context` input, and so takes its turn there.
    pub uses_context: bool,
    /// Like `uses_context`, but of a context named in its config.
    pub uses_context_id: Option<String>,
    /// Like `uses_context`, but of a context it is told at run time on this data input.
    pub uses_context_from: Option<&'static str>,
    /// It makes the context that its `context` output carries.
    pub makes_context: bool,
    /// The id of the context it makes, where that is not the node's own id (with its epoch inside a cycle).
    pub context_id: Option<String>,
    /// It never runs: a comment on the canvas.
    pub inert: bool,
    /// Its live outputs are the flow's.
    pub is_output: bool,
    /// It is one end of a portal: planning joins the two ends of each channel.
    pub portal: Option<Portal>,
    /// It takes a value from a node named in its config: planning adds the edge.
    pub reads: Option<Reads>,
    /// What it does has tries of its own: it is tried again only where its node says so.
    pub tries_inside: bool,
    /// It runs this flow.
    pub calls: Option<ChildFlow>,
    /// It does nothing while it runs but let time pass, and so holds no place that another node could run in.
    pub rests: bool,
    /// It is a node like any other on the canvas, but a flow with it can't run yet: the setting that is to be made, as a
    /// JSON pointer, and what to say of it.
    pub lacks: Option<(&'static str, &'static str)>,
}

/// An edge that a config names instead of the canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    /// The node it comes from.
    pub node: NodeId,
    /// Which of its outputs; the first data output, if none is named.
    pub output: Option<PortName>,
    /// The input it feeds.
    pub input: &'static str,
    /// Where in the config it is named, as a JSON pointer.
    pub setting: &'static str,
}

/// One end of a portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Portal {
    /// What comes in here comes out at every `Out` of the same channel.
    In(String),
    /// See `In`.
    Out(String),
}
