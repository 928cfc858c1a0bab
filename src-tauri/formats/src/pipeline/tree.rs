//! The content of a pipeline without its text: what a flow raises to, and what [`super::patch`] compares.

use serde_json::Value;

/// A part of a pipeline. Mappings keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    /// A text, a number, a list, …: what changes as a whole.
    Leaf(Value),
    Map(Vec<(String, Tree)>),
    /// Steps, each a mapping with a `name`.
    Steps(Vec<Tree>),
}

impl Tree {
    /// A value of JSON. Objects become mappings, so that a change in one changes only a line.
    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::Object(map) if !map.is_empty() => {
                Self::Map(map.into_iter().map(|(key, value)| (key, Self::of(value))).collect())
            }
            other => Self::Leaf(other),
        }
    }

    /// The entries of a mapping; none of anything else.
    pub(super) fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The same as JSON.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Leaf(value) => value.clone(),
            Self::Map(entries) => {
                Value::Object(entries.iter().map(|(key, value)| (key.clone(), value.to_json())).collect())
            }
            Self::Steps(steps) => steps.iter().map(Self::to_json).collect(),
        }
    }

    /// The name of a step.
    pub(super) fn name(&self) -> Option<&str> {
        match self.get("name") {
            Some(Self::Leaf(Value::String(name))) => Some(name),
            _ => None,
        }
    }
}

/// A mapping that is written key by key; keys without a value are left out.
#[derive(Default)]
pub(super) struct MapBuilder(Vec<(String, Tree)>);

impl MapBuilder {
    pub(super) fn put(&mut self, key: &str, value: Tree) {
        self.0.push((key.to_owned(), value));
    }

    pub(super) fn value(&mut self, key: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.put(key, Tree::of(value));
        }
    }

    pub(super) fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.put(key, Tree::Leaf(text.into()));
        }
    }

    /// The mapping, unless it is empty.
    pub(super) fn non_empty(self) -> Option<Tree> {
        (!self.0.is_empty()).then_some(Tree::Map(self.0))
    }

    pub(super) fn build(self) -> Tree {
        Tree::Map(self.0)
    }
}
