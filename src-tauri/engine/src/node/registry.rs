//! The table of node types, and the step from a type and its config to a node that can run.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Behavior, Category, Cx, Example, Inputs, NodeDescriptor, NodeOutput};
use crate::diagnostic::Diagnostic;
use crate::error::Fault;
use crate::id::NodeId;
use crate::port::Ports;

/// A node type. One implementation, one file.
pub trait NodeType: Send + Sync + 'static {
    /// Its configuration; the schema and the inspector's form come from this struct. `Default` is a fresh node's.
    type Config: DeserializeOwned + JsonSchema + Default + Send + Sync + 'static;

    /// Its name in files.
    const TYPE: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// One line for the palette.
    const SUMMARY: &'static str;
    /// What it does, in Markdown.
    const DESCRIPTION: &'static str;
    /// The palette's section.
    const CATEGORY: Category;
    /// Its lucide icon.
    const ICON: &'static str;
    /// More words under which it is found.
    const TERMS: &'static [&'static str] = &[];

    /// Its ports with this config.
    fn ports(config: &Self::Config) -> Ports;

    /// What planning needs to know.
    fn behavior(_config: &Self::Config) -> Behavior {
        Behavior::default()
    }

    /// What is wrong with a config that its schema can't say (a template that does not parse). Pairs of JSON pointer
    /// below the config, for example `/template`, and message.
    fn check(_config: &Self::Config) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Examples; each runs as a test.
    fn examples() -> Vec<Example>;

    /// Runs it. Cancellation drops the future.
    fn execute<'a>(
        config: &'a Self::Config,
        inputs: Inputs,
        cx: Cx,
    ) -> impl Future<Output = Result<NodeOutput, Fault>> + Send + 'a;
}

/// A node with its config read: ready to run, any number of times.
pub trait BoundNode: Send + Sync {
    /// Its ports.
    fn ports(&self) -> &Ports;
    /// What planning needs to know.
    fn behavior(&self) -> &Behavior;
    /// Runs it.
    fn execute(&self, inputs: Inputs, cx: Cx) -> BoxFuture<'_, Result<NodeOutput, Fault>>;
}

struct Bound<T: NodeType> {
    config: T::Config,
    ports: Ports,
    behavior: Behavior,
}

impl<T: NodeType> BoundNode for Bound<T> {
    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    fn execute(&self, inputs: Inputs, cx: Cx) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        Box::pin(T::execute(&self.config, inputs, cx))
    }
}

type Bind = fn(&NodeId, &Map<String, Value>) -> Result<Arc<dyn BoundNode>, Vec<Diagnostic>>;

struct Registered {
    descriptor: NodeDescriptor,
    bind: Bind,
}

/// The node types there are, by name.
#[derive(Default)]
pub struct Registry(BTreeMap<&'static str, Registered>);

impl Registry {
    /// Adds a node type.
    #[must_use]
    pub fn with<T: NodeType>(mut self) -> Self {
        let descriptor = NodeDescriptor {
            node_type: T::TYPE.to_owned(),
            title: T::TITLE.to_owned(),
            summary: T::SUMMARY.to_owned(),
            description: T::DESCRIPTION.to_owned(),
            category: T::CATEGORY,
            icon: T::ICON.to_owned(),
            terms: T::TERMS.iter().map(|&term| term.to_owned()).collect(),
            config_schema: schemars::schema_for!(T::Config).to_value(),
            ports: T::ports(&T::Config::default()),
            examples: T::examples(),
        };
        self.0.insert(T::TYPE, Registered { descriptor, bind: bind::<T> });
        self
    }

    /// The node types, by category and title.
    pub fn descriptors(&self) -> Vec<&NodeDescriptor> {
        let mut all: Vec<_> = self.0.values().map(|registered| &registered.descriptor).collect();
        all.sort_by(|a, b| (a.category, &a.title).cmp(&(b.category, &b.title)));
        all
    }

    /// The description of one.
    pub fn descriptor(&self, node_type: &str) -> Option<&NodeDescriptor> {
        self.0.get(node_type).map(|registered| &registered.descriptor)
    }

    /// Reads a node's config. `None` where there is no such node type; diagnostics where the config is wrong.
    pub fn bind(
        &self,
        id: &NodeId,
        node_type: &str,
        config: &Map<String, Value>,
    ) -> Option<Result<Arc<dyn BoundNode>, Vec<Diagnostic>>> {
        self.0.get(node_type).map(|registered| (registered.bind)(id, config))
    }
}

fn bind<T: NodeType>(
    id: &NodeId,
    config: &Map<String, Value>,
) -> Result<Arc<dyn BoundNode>, Vec<Diagnostic>> {
    let config = T::Config::deserialize(config).map_err(|error| {
        vec![
            Diagnostic::on_node(
                "config.invalid",
                id,
                format!("The config of this `{}` node is wrong: {error}.", T::TYPE),
            )
            .below("/config")
            .hint(format!("`plait nodes {}` shows what it takes.", T::TYPE)),
        ]
    })?;
    let problems = T::check(&config);
    if !problems.is_empty() {
        return Err(problems
            .into_iter()
            .map(|(pointer, message)| {
                Diagnostic::on_node("config.invalid", id, message).below("/config").below(&pointer)
            })
            .collect());
    }
    let (ports, behavior) = (T::ports(&config), T::behavior(&config));
    Ok(Arc::new(Bound::<T> { config, ports, behavior }))
}
