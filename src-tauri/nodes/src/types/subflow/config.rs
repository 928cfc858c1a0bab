//! The settings of a sub-flow: which flow to run, and its input.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use plait_core::config::Unused;
use plait_core::flow;
use plait_core::flow::Flow;
use plait_core::id::{NodeId, PortName};
use plait_run::host::subflow::ChildFlow;

/// The message for a new node, which has no flow yet.
pub(super) const NO_FLOW: &str = "Set the file of the flow to run, or define one inside the node.";

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The flow's file, relative to the folder of this flow.
    #[schemars(extend("x-rank" = 0))]
    file: Option<String>,
    /// The flow itself, in place of a file.
    flow: Option<InnerFlow>,
    /// Where the child's input comes from.
    #[serde(alias = "input_source")]
    #[schemars(extend("x-rank" = 1))]
    pub(super) input_source: InputSource,
    /// With `nodeOutput`: the node whose output is the child's input. It needs no edge.
    #[serde(alias = "source_node_id")]
    #[schemars(extend("format" = "node", "x-rank" = 2, "x-shown-if" = { "inputSource": "nodeOutput" }))]
    pub(super) source_node_id: Option<NodeId>,
    /// The output of that node. If empty, its first data output.
    #[serde(alias = "source_output")]
    #[schemars(extend(
        "format" = "nodeOutput",
        "x-node-field" = "sourceNodeId",
        "x-rank" = 3,
        "x-shown-if" = { "inputSource": "nodeOutput" }
    ))]
    pub(super) source_output: Option<PortName>,
    /// With `mapping`: the inputs of this node and their targets in the child.
    #[schemars(extend("x-rank" = 2, "x-shown-if" = { "inputSource": "mapping" }))]
    pub(super) mapping: Vec<Mapped>,
}

/// Where the child's input comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum InputSource {
    /// The last output or message of the conversation.
    #[default]
    #[serde(alias = "last_message")]
    LastMessage,
    /// One value.
    #[serde(alias = "node_output")]
    NodeOutput,
    /// Several values, each with a target.
    Mapping,
}

/// One value for the child.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Mapped {
    /// An input of this node.
    pub(super) from: PortName,
    /// `NODE.PORT`, an input in the child that no edge feeds; or `input`, the child's text.
    pub(super) to: String,
}

/// The target of a mapped value.
pub(super) enum MappingTarget {
    Text,
    Port(NodeId, PortName),
}

impl Mapped {
    pub(super) fn target(&self) -> Option<MappingTarget> {
        if self.to == "input" {
            return Some(MappingTarget::Text);
        }
        // Port names have no dots; node ids may.
        let (node, port) = self.to.rsplit_once('.')?;
        (!node.is_empty() && !port.is_empty()).then(|| MappingTarget::Port(node.into(), port.into()))
    }
}

impl Config {
    /// The flow to run. The error is a pair of JSON pointer and message.
    pub(super) fn child(&self) -> Result<ChildFlow, (String, String)> {
        let invalid = |setting: &str, message: &str| Err((setting.to_owned(), message.to_owned()));
        match (self.file.as_deref().map(str::trim).filter(|file| !file.is_empty()), &self.flow) {
            (Some(_), Some(_)) => invalid("/file", "Set either `file` or `flow`, not both."),
            (None, None) => invalid("/file", NO_FLOW),
            (Some(file), None) if is_absolute(file) => invalid(
                "/file",
                "Use a path relative to this flow's folder, so that both files can be moved together.",
            ),
            (Some(file), None) => Ok(ChildFlow::File(file.to_owned())),
            (None, Some(inner)) => Ok(ChildFlow::Inner(Arc::clone(&inner.0))),
        }
    }

    /// Whether no flow is set yet.
    pub(super) fn is_empty(&self) -> bool {
        self.flow.is_none() && self.file.as_deref().is_none_or(|file| file.trim().is_empty())
    }

    /// The inputs of the child that the mapping gives values to.
    pub(super) fn given(&self) -> Vec<(NodeId, PortName)> {
        let mapped = self.mapping.iter().filter(|_| self.input_source == InputSource::Mapping);
        let port = |mapped: &Mapped| match mapped.target()? {
            MappingTarget::Port(node, port) => Some((node, port)),
            MappingTarget::Text => None,
        };
        mapped.filter_map(port).collect()
    }

    /// The mapped inputs, each once, in the order of the mapping.
    pub(super) fn sources(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for mapped in &self.mapping {
            if !names.contains(&mapped.from.as_str()) {
                names.push(mapped.from.as_str());
            }
        }
        names
    }

    /// The settings that have no effect beside the others, by all of their names.
    pub fn unused(&self) -> Vec<Unused> {
        let mut unused = Vec::new();
        let mut add = |names: &[&str], reason: &str, remedy: &str| {
            unused.extend(names.iter().map(|name| Unused::new(format!("/{name}"), reason, remedy)));
        };
        let (node, output) = (["sourceNodeId", "source_node_id"], ["sourceOutput", "source_output"]);
        if self.input_source != InputSource::NodeOutput {
            let (reason, remedy) =
                ("it counts for `inputSource: nodeOutput` only", "set `inputSource: nodeOutput`");
            add(&node, reason, remedy);
            add(&output, reason, remedy);
        } else if self.source_node_id.is_none() {
            add(&output, "`sourceNodeId` names no node", "set `sourceNodeId`");
        }
        if self.input_source != InputSource::Mapping {
            add(&["mapping"], "it counts for `inputSource: mapping` only", "set `inputSource: mapping`");
        }
        unused
    }

    pub fn check(&self) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        // A new node has no flow yet. That is valid, but it cannot run.
        problems.extend(self.child().err().filter(|_| !self.is_empty()));
        for (at, mapped) in self.mapping.iter().enumerate() {
            if mapped.target().is_none() {
                let message = format!(
                    "`{}` is not a target in the child. Use `NODE.PORT`, or `input` for its text.",
                    mapped.to
                );
                problems.push((format!("/mapping/{at}/to"), message));
            }
            if matches!(mapped.from.as_str(), "" | "context") {
                let message = "This must be the name of a data input of this node.".to_owned();
                problems.push((format!("/mapping/{at}/from"), message));
            }
        }
        problems
    }
}

/// Whether a path is absolute on any system: a flow file may come from another one.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path[1..].starts_with(':');
    path.starts_with(['/', '\\']) || drive
}

/// A flow inside a config, parsed like a file.
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
        json_schema!({ "type": "object", "format": "json", "description": "A flow, in the format of a flow file." })
    }
}
