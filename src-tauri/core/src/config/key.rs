//! A key of the configuration.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ts_rs::TS;

use crate::quota::Quota;

/// A value that can be set in more than one place.
#[derive(Clone, Copy, Debug)]
pub struct ConfigKey {
    /// The name, for example `history_management.max_tokens`.
    pub name: &'static str,
    pub kind: ValueKind,
    /// What holds if nothing is set.
    pub built_in: BuiltIn,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    pub(super) label: &'static str,
    /// The label in loops and nodes, where the form says what it is about.
    pub(super) short_label: Option<&'static str>,
    /// The unit of its numbers. Forms show it behind the label.
    pub(super) unit: Option<&'static str>,
    /// How forms edit a text: a `format` of JSON Schema, as in the configs of nodes. Without one, it is a line.
    pub(super) format: Option<&'static str>,
    /// What a text may look like.
    pub(super) example: Option<&'static str>,
    /// The section of the settings that it stands in.
    pub(super) section: Option<&'static str>,
    pub(super) settings: Option<Place>,
    pub(super) flow: Option<Place>,
    /// The place in a loop, as a JSON pointer.
    pub(super) in_loop: Option<&'static str>,
    pub(super) in_node: &'static [NodePlace],
    pub(super) rule: Rule,
    /// Whether active runs follow the settings. They read them where they are used; otherwise a run keeps those it started with.
    pub(super) is_live: bool,
}

/// A layer of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Layer {
    Settings,
    Flow,
    Loop,
    Node,
}

/// The type of a value, and its bounds.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    Integer {
        min: u64,
        max: u64,
    },
    /// A number in a range, ends included.
    Number {
        min: f64,
        max: f64,
    },
    /// A number between 0 and 1, ends excluded.
    Ratio,
    /// A text that is not empty.
    Text,
    /// One of a few words, each with its label for people.
    Choice(&'static [(&'static str, &'static str)]),
    Boolean,
    /// Tokens or money that model calls may use.
    Quota,
}

/// What holds if nothing is set.
#[derive(Clone, Copy, Debug)]
pub enum BuiltIn {
    Value(fn() -> Value),
    /// A value that depends on something else, described in words.
    Depends(&'static str),
}

/// Where the value stands in the settings of the application or of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In `config`, by its name.
    Config,
    /// At a JSON pointer.
    At(&'static str),
}

/// Where the value stands in nodes of some types.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodePlace {
    pub(super) types: &'static [&'static str],
    /// A JSON pointer in the node.
    pub(super) pointer: &'static str,
    /// Whether it is inherited only while no edge leads to the input `context`: what comes by that edge has one of its own.
    pub(super) without_context: bool,
}

/// How layers combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The narrowest layer that sets it holds.
    Narrowest,
    /// The same, but a narrower layer that sets the other key to something else ends what wider ones set: the model of one
    /// provider means nothing to another, and the
    /// instructions of one agent are not those of another.
    Follows(&'static str),
    /// The same, but a node can only lower what holds around it.
    NodeLowers,
}

impl ConfigKey {
    /// A key that no layer sets yet.
    pub(super) const fn new(
        name: &'static str,
        label: &'static str,
        kind: ValueKind,
        built_in: BuiltIn,
        help: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            built_in,
            help,
            label,
            short_label: None,
            unit: None,
            format: None,
            example: None,
            section: None,
            settings: None,
            flow: None,
            in_loop: None,
            in_node: &[],
            rule: Rule::Narrowest,
            is_live: false,
        }
    }

    pub(super) const fn short_label(self, label: &'static str) -> Self {
        Self { short_label: Some(label), ..self }
    }

    pub(super) const fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    pub(super) const fn format(self, format: &'static str) -> Self {
        Self { format: Some(format), ..self }
    }

    pub(super) const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    /// In `config` of the settings and of flows.
    pub(super) const fn everywhere(self, section: &'static str) -> Self {
        Self { flow: Some(Place::Config), ..self.settings(section) }
    }

    pub(super) const fn settings(self, section: &'static str) -> Self {
        Self { settings: Some(Place::Config), section: Some(section), ..self }
    }

    pub(super) const fn settings_at(self, section: &'static str, pointer: &'static str) -> Self {
        Self { settings: Some(Place::At(pointer)), section: Some(section), ..self }
    }

    pub(super) const fn flow_at(self, pointer: &'static str) -> Self {
        Self { flow: Some(Place::At(pointer)), ..self }
    }

    pub(super) const fn in_loop(self, pointer: &'static str) -> Self {
        Self { in_loop: Some(pointer), ..self }
    }

    pub(super) const fn in_node(self, places: &'static [NodePlace]) -> Self {
        Self { in_node: places, ..self }
    }

    pub(super) const fn rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    pub(super) const fn live(self) -> Self {
        Self { is_live: true, ..self }
    }

    /// The layers that can set it, widest first.
    pub fn layers(&self) -> Vec<Layer> {
        let layers = [
            (Layer::Settings, self.settings.is_some()),
            (Layer::Flow, self.flow.is_some()),
            (Layer::Loop, self.in_loop.is_some()),
            (Layer::Node, !self.in_node.is_empty()),
        ];
        layers.into_iter().filter(|(_, can_set)| *can_set).map(|(layer, _)| layer).collect()
    }

    /// Where it stands in the settings of the application, as a JSON pointer.
    pub fn settings_pointer(&self) -> Option<String> {
        self.settings.map(|place| place.pointer(self.name))
    }

    /// Where it stands in the settings of a flow, as a JSON pointer.
    pub fn flow_pointer(&self) -> Option<String> {
        self.flow.map(|place| place.pointer(self.name))
    }

    /// Whether flows set it in `settings.config`.
    pub fn is_in_flow_config(&self) -> bool {
        matches!(self.flow, Some(Place::Config))
    }

    /// Whether a run keeps the value of the settings that it started with.
    pub(super) fn is_kept_by_runs(&self) -> bool {
        !self.is_live && (self.flow.is_some() || self.in_loop.is_some() || !self.in_node.is_empty())
    }

    /// The types of the nodes that can set it.
    pub fn node_types(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let of_nodes =
            self.in_node.iter().flat_map(|place| place.types.iter().map(|name| (*name, place.pointer)));
        self.in_loop.map(|pointer| ("loop", pointer)).into_iter().chain(of_nodes)
    }
}

impl Place {
    fn pointer(self, name: &str) -> String {
        match self {
            Self::Config => format!("/config/{name}"),
            Self::At(pointer) => pointer.to_owned(),
        }
    }
}

impl BuiltIn {
    /// The value, if it does not depend on something else.
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value()),
            Self::Depends(_) => None,
        }
    }
}

impl ValueKind {
    /// Whether a value is of this kind and within its bounds.
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            Self::Integer { min, max } => {
                value.as_u64().is_some_and(|number| (*min..=*max).contains(&number))
            }
            Self::Number { min, max } => value.as_f64().is_some_and(|number| (*min..=*max).contains(&number)),
            Self::Ratio => value.as_f64().is_some_and(|number| number > 0.0 && number < 1.0),
            Self::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            Self::Choice(choices) => {
                value.as_str().is_some_and(|word| choices.iter().any(|(choice, _)| *choice == word))
            }
            Self::Boolean => value.is_boolean(),
            Self::Quota => Quota::deserialize(value).is_ok_and(|quota| quota.problem().is_none()),
        }
    }

    /// The accepted values, for people: "a whole number from 1 to 100".
    pub fn describe(&self) -> String {
        match self {
            Self::Integer { min, max } if is_all(*max) => format!("a whole number from {min}"),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Ratio => "a number between 0 and 1".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Choice(choices) => {
                let words: Vec<_> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Boolean => "`true` or `false`".to_owned(),
            Self::Quota => "a quota as JSON, like `{\"tokens\": 100000, \"usd\": 2}`".to_owned(),
        }
    }

    /// The value that a text stands for, as a person types it. `None` if it is not of this kind.
    pub fn parse(&self, text: &str) -> Option<Value> {
        let value = match self {
            Self::Text | Self::Choice(_) => Value::from(text),
            Self::Integer { .. } => Value::from(text.trim().parse::<u64>().ok()?),
            Self::Number { .. } | Self::Ratio => json!(text.trim().parse::<f64>().ok()?),
            Self::Boolean => Value::Bool(text.trim().parse().ok()?),
            Self::Quota => serde_json::from_str(text).ok()?,
        };
        self.accepts(&value).then_some(value)
    }

    pub fn schema(&self) -> Value {
        match self {
            Self::Integer { min, max } if is_all(*max) => json!({ "type": "integer", "minimum": min }),
            Self::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
            Self::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
            Self::Ratio => json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 }),
            Self::Text => json!({ "type": "string", "minLength": 1 }),
            Self::Choice(choices) => {
                let choices = choices.iter().map(|(word, label)| json!({ "const": word, "title": label }));
                json!({ "type": "string", "oneOf": choices.collect::<Vec<_>>() })
            }
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Quota => schemars::schema_for!(Quota).to_value(),
        }
    }
}

/// Whether a bound is all that a number can hold. It tells people nothing.
fn is_all(max: u64) -> bool {
    max >= u64::from(u32::MAX)
}
