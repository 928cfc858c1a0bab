//! The settings of a sub-flow: which flow, and what it is given.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::flow::{self, Flow};
use crate::host::subflow::ChildFlow;
use crate::id::{NodeId, PortName};

/// What a fresh node lacks.
pub(super) const NO_FLOW: &str = "Name the file of the flow to run, or draw one inside.";

/// Which flow, and what it is given.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The flow's file, relative to the folder of the flow this node is in.
    file: Option<String>,
    /// The flow itself, in place of a file.
    flow: Option<InnerFlow>,
    /// What the child is given.
    #[serde(alias = "input_source")]
    pub(super) input_source: InputSource,
    /// With `nodeOutput`: the node whose output the child is given. It needs no edge.
    #[serde(alias = "source_node_id")]
    pub(super) source_node_id: Option<NodeId>,
    /// Which of that node's outputs; the first data output, if none is named.
    #[serde(alias = "source_output")]
    pub(super) source_output: Option<PortName>,
    /// With `mapping`: which input of this node goes where in the child.
    pub(super) mapping: Vec<Mapped>,
}

/// Where the child's text comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum InputSource {
    /// What was said last in the conversation.
    #[default]
    #[serde(alias = "last_message")]
    LastMessage,
    /// One value.
    #[serde(alias = "node_output")]
    NodeOutput,
    /// Several values, each to its place.
    Mapping,
}

/// One value on its way into the child.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Mapped {
    /// An input of this node.
    pub(super) from: PortName,
    /// `NODE.PORT`, an input in the child that no edge feeds; or `input`, the child's text.
    pub(super) to: String,
}

/// Where a mapped value goes.
pub(super) enum Place {
    Text,
    Port(NodeId, PortName),
}

impl Mapped {
    pub(super) fn place(&self) -> Option<Place> {
        if self.to == "input" {
            return Some(Place::Text);
        }
        // Ports have no dots in their names, nodes may.
        let (node, port) = self.to.rsplit_once('.')?;
        (!node.is_empty() && !port.is_empty()).then(|| Place::Port(node.into(), port.into()))
    }
}

impl Config {
    /// The flow that is meant; else what is wrong, and below which setting.
    pub(super) fn child(&self) -> Result<ChildFlow, (String, String)> {
        let wrong = |setting: &str, message: &str| Err((setting.to_owned(), message.to_owned()));
        match (self.file.as_deref().map(str::trim).filter(|file| !file.is_empty()), &self.flow) {
            (Some(_), Some(_)) => wrong("/file", "Name a file or draw a flow inside; not both."),
            (None, None) => wrong("/file", NO_FLOW),
            (Some(file), None) if is_absolute(file) => wrong(
                "/file",
                "Name the file relative to this flow's folder, so that the two can move together.",
            ),
            (Some(file), None) => Ok(ChildFlow::File(file.to_owned())),
            (None, Some(inner)) => Ok(ChildFlow::Inner(Arc::clone(&inner.0))),
        }
    }

    /// Whether no flow is named yet.
    pub(super) fn is_empty(&self) -> bool {
        self.flow.is_none() && self.file.as_deref().is_none_or(|file| file.trim().is_empty())
    }

    /// The inputs that are mapped, each once, in the order of the mapping.
    pub(super) fn sources(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for mapped in &self.mapping {
            if !names.contains(&mapped.from.as_str()) {
                names.push(mapped.from.as_str());
            }
        }
        names
    }

    pub(super) fn check(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        // A fresh node names no flow yet; that is no mistake, but it can't run.
        found.extend(self.child().err().filter(|_| !self.is_empty()));
        for (at, mapped) in self.mapping.iter().enumerate() {
            if mapped.place().is_none() {
                let message = format!(
                    "`{}` is no place in the child: write `NODE.PORT`, or `input` for its text.",
                    mapped.to
                );
                found.push((format!("/mapping/{at}/to"), message));
            }
            if matches!(mapped.from.as_str(), "" | "context") {
                let message = "This is to be the name of a data input of this node.".to_owned();
                found.push((format!("/mapping/{at}/from"), message));
            }
        }
        found
    }
}

/// Whether a path says where it begins, on any system: a flow file may be made on another.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path[1..].starts_with(':');
    path.starts_with(['/', '\\']) || drive
}

/// A flow inside of a config, read as a file would be.
struct InnerFlow(Arc<Flow>);

impl<'de> Deserialize<'de> for InnerFlow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let flow = flow::read(&value.to_string()).map_err(serde::de::Error::custom)?;
        Ok(Self(Arc::new(flow)))
    }
}

impl JsonSchema for InnerFlow {
    fn schema_name() -> Cow<'static, str> {
        "InnerFlow".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "format": "json", "description": "A flow, as a flow file has it." })
    }
}
