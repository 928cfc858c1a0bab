//! The registry of node types, and the binding of a type and a config to a node that can run.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use plait_llm::tool::ToolSpec;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::recent_values::RecentValues;
use super::{
    Behavior, Card, Category, EditorTraits, Example, Inputs, NodeContext, NodeDescriptor, NodeOutput,
    Surroundings,
};
use crate::codes;
use plait_core::config::{Unused, node_schema};
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::error::Fault;
use plait_core::id::NodeId;
use plait_core::port::Ports;
use plait_core::similar_name::similar_name;

/// A node type. One implementation, one file.
pub trait NodeType: Send + Sync + 'static {
    /// Its config. The JSON Schema and the inspector's form come from this struct. `Default` is the config of a new node.
    type Config: DeserializeOwned + JsonSchema + Default + Send + Sync + 'static;

    /// Its name in flow files.
    const TYPE: &'static str;
    /// Alternative names in flow files.
    const ALIASES: &'static [&'static str] = &[];
    /// Its name in the UI.
    const TITLE: &'static str;
    /// One line for the palette.
    const SUMMARY: &'static str;
    /// What it does, in Markdown.
    const DESCRIPTION: &'static str;
    /// The palette's section.
    const CATEGORY: Category;
    /// Its lucide icon, in kebab case.
    const ICON: &'static str;
    /// More search terms.
    const TERMS: &'static [&'static str] = &[];

    /// Its ports with this config.
    fn ports(config: &Self::Config) -> Ports;

    /// What a card says about its config. Without lines, the card shows [`Self::SUMMARY`].
    fn card() -> Card {
        Card::new()
    }

    /// How the editor treats its nodes, beyond what their ports say.
    fn editor() -> EditorTraits {
        EditorTraits::default()
    }

    /// What planning needs to know.
    fn behavior(_config: &Self::Config) -> Behavior {
        Behavior::default()
    }

    /// Problems that the config's schema cannot express, such as a template that does not parse. Pairs of JSON pointer within
    /// the config, for example `/template`, and message.
    fn check(_config: &Self::Config) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The settings that have no effect with this config at this place, whether or not the flow sets them. A check reports
    /// those that it sets.
    fn unused(_config: &Self::Config, _around: &Surroundings<'_>) -> Vec<Unused> {
        Vec::new()
    }

    /// The JSON Schemas that the config sets for the values of outputs. What is pinned on such an output has to match, too.
    fn output_schemas(_config: &Self::Config) -> Vec<(&'static str, &Value)> {
        Vec::new()
    }

    /// Examples. Each one runs as a test.
    fn examples() -> Vec<Example>;

    /// Whether [`record_turn_of_pin`](Self::record_turn_of_pin) writes what a pinned node adds to the history of its context.
    const RECORDS_TURN_OF_PIN: bool = false;

    /// Writes to the history what the node would if it had been executed and had given `output`, which is pinned. Returns the output,
    /// with the messages that it is.
    fn record_turn_of_pin(
        _config: &Self::Config,
        _inputs: Inputs,
        _node_context: NodeContext,
        output: NodeOutput,
    ) -> impl Future<Output = Result<NodeOutput, Fault>> + Send {
        std::future::ready(Ok(output))
    }

    /// Executes a node. Cancellation drops the future.
    fn execute(
        config: &Self::Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> impl Future<Output = Result<NodeOutput, Fault>> + Send;
}

/// A node with its config parsed: can run any number of times.
pub trait BoundNode: Send + Sync {
    /// Its ports. Nodes with the same ports may share them.
    fn ports(&self) -> &Arc<Ports>;
    /// What planning needs to know.
    fn behavior(&self) -> &Behavior;
    /// The settings that have no effect at this place, whether or not the flow sets them.
    fn unused(&self, _around: &Surroundings<'_>) -> Vec<Unused> {
        Vec::new()
    }
    /// As [`NodeType::output_schemas`].
    fn output_schemas(&self) -> Vec<(&'static str, &Value)> {
        Vec::new()
    }
    /// As [`NodeType::RECORDS_TURN_OF_PIN`].
    fn records_turn_of_pin(&self) -> bool {
        false
    }
    /// As [`NodeType::record_turn_of_pin`].
    fn record_turn_of_pin(
        &self,
        _inputs: Inputs,
        _node_context: NodeContext,
        output: NodeOutput,
    ) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        Box::pin(std::future::ready(Ok(output)))
    }
    fn execute(&self, inputs: Inputs, node_context: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>>;
}

struct Bound<T: NodeType> {
    config: T::Config,
    ports: Arc<Ports>,
    behavior: Arc<Behavior>,
}

impl<T: NodeType> BoundNode for Bound<T> {
    fn ports(&self) -> &Arc<Ports> {
        &self.ports
    }

    fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    fn unused(&self, around: &Surroundings<'_>) -> Vec<Unused> {
        T::unused(&self.config, around)
    }

    fn output_schemas(&self) -> Vec<(&'static str, &Value)> {
        T::output_schemas(&self.config)
    }

    fn records_turn_of_pin(&self) -> bool {
        T::RECORDS_TURN_OF_PIN
    }

    fn record_turn_of_pin(
        &self,
        inputs: Inputs,
        node_context: NodeContext,
        output: NodeOutput,
    ) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        Box::pin(T::record_turn_of_pin(&self.config, inputs, node_context, output))
    }

    fn execute(&self, inputs: Inputs, node_context: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        Box::pin(T::execute(&self.config, inputs, node_context))
    }
}

type Bind = fn(&NodeId, &Map<String, Value>, &Shared) -> Result<Arc<dyn BoundNode>, Vec<Diagnostic>>;

struct Registered {
    descriptor: NodeDescriptor,
    shared: Shared,
    bind: Bind,
}

/// What nodes of a type share although their configs differ: most nodes of a flow have one of a few.
#[derive(Default)]
struct Shared {
    ports: RecentValues<Ports>,
    behaviors: RecentValues<Behavior>,
}

/// The known node types, by name.
#[derive(Default)]
pub struct Registry {
    types: BTreeMap<&'static str, Registered>,
    aliases: BTreeMap<&'static str, &'static str>,
    tools: Vec<ToolSpec>,
}

impl Registry {
    #[must_use]
    pub fn with<T: NodeType>(mut self) -> Self {
        let descriptor = NodeDescriptor {
            node_type: T::TYPE.to_owned(),
            aliases: T::ALIASES.iter().map(|&alias| alias.to_owned()).collect(),
            title: T::TITLE.to_owned(),
            summary: T::SUMMARY.to_owned(),
            description: T::DESCRIPTION.to_owned(),
            category: T::CATEGORY,
            icon: T::ICON.to_owned(),
            card: T::card(),
            editor: T::editor(),
            terms: T::TERMS.iter().map(|&term| term.to_owned()).collect(),
            config_schema: node_schema::<T::Config>(T::TYPE),
            ports: T::ports(&T::Config::default()),
            examples: T::examples(),
        };
        let shared = Shared::default();
        self.types.insert(T::TYPE, Registered { descriptor, shared, bind: bind::<T> });
        self.aliases.extend(T::ALIASES.iter().map(|&alias| (alias, T::TYPE)));
        self
    }

    /// With these tools, which the node types answer themselves. No host lists them, and `auto` does not offer them: a node gets them
    /// by name.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// The tools that the node types answer themselves.
    pub fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// The node types, by category and title.
    pub fn descriptors(&self) -> Vec<&NodeDescriptor> {
        let mut all: Vec<_> = self.types.values().map(|registered| &registered.descriptor).collect();
        all.sort_by(|a, b| (a.category, &a.title).cmp(&(b.category, &b.title)));
        all
    }

    /// The descriptor of a type, by name or alias.
    pub fn descriptor(&self, node_type: &str) -> Option<&NodeDescriptor> {
        self.find(node_type).map(|registered| &registered.descriptor)
    }

    /// Parses a node's config. `None` if the type is unknown; diagnostics if the config is invalid.
    pub fn bind(
        &self,
        id: &NodeId,
        node_type: &str,
        config: &Map<String, Value>,
    ) -> Option<Result<Arc<dyn BoundNode>, Vec<Diagnostic>>> {
        self.find(node_type).map(|registered| (registered.bind)(id, config, &registered.shared))
    }

    fn find(&self, node_type: &str) -> Option<&Registered> {
        self.types.get(self.aliases.get(node_type).copied().unwrap_or(node_type))
    }
}

fn bind<T: NodeType>(
    id: &NodeId,
    config: &Map<String, Value>,
    shared: &Shared,
) -> Result<Arc<dyn BoundNode>, Vec<Diagnostic>> {
    let config: T::Config = serde_path_to_error::deserialize(config).map_err(|error| {
        let path = pointer(error.path());
        let place = if path.is_empty() { String::new() } else { format!(" at `{}`", &path[1..]) };
        let message = format!("The config of this `{}` node is invalid{place}: {}.", T::TYPE, error.inner());
        let diagnostic =
            Diagnostic::on_node(codes::CONFIG_INVALID, id, message).below("/config").below(&path);
        let inner = error.inner().to_string();
        let suggestion = match (suggestion(&inner), type_hint(&inner)) {
            (Some(name), _) => format!("Did you mean `{name}`? "),
            (None, Some(hint)) => format!("{hint} "),
            (None, None) => String::new(),
        };
        vec![diagnostic.hint(format!("{suggestion}`plait nodes {}` lists its settings.", T::TYPE))]
    })?;
    let problems = T::check(&config);
    if !problems.is_empty() {
        return Err(problems
            .into_iter()
            .map(|(pointer, message)| {
                Diagnostic::on_node(codes::CONFIG_INVALID, id, message).below("/config").below(&pointer)
            })
            .collect());
    }
    let (ports, behavior) = (ports_of::<T>(&config), T::behavior(&config));
    let ports = shared.ports.share(ports);
    // Flows inside of configs are large, and hardly ever equal.
    let behavior =
        if behavior.calls.is_some() { Arc::new(behavior) } else { shared.behaviors.share(behavior) };
    Ok(Arc::new(Bound::<T> { config, ports, behavior }))
}

/// The ports of a node with this config: those of its type and, if it runs, the input that only orders it.
fn ports_of<T: NodeType>(config: &T::Config) -> Ports {
    let behavior = T::behavior(config);
    let ports = T::ports(config);
    if behavior.inert || behavior.portal.is_some() { ports } else { ports.after() }
}

/// What to write in place of a value of another type than a setting takes, from the message of serde: `true` for `yes`, a number
/// without its quotes.
pub fn type_hint(message: &str) -> Option<String> {
    let (found, expected) = message.strip_prefix("invalid type: ")?.split_once(", expected ")?;
    let text = found.strip_prefix("string \"").and_then(|text| text.strip_suffix('"'));
    if expected.starts_with("a boolean") {
        return match text?.to_lowercase().as_str() {
            "yes" | "y" | "on" | "true" => Some("Write `true`.".to_owned()),
            "no" | "n" | "off" | "false" => Some("Write `false`.".to_owned()),
            _ => Some("Write `true` or `false`.".to_owned()),
        };
    }
    let is_number = ["u8", "u16", "u32", "u64", "usize", "i64", "f64", "a nonzero"];
    if let Some(text) = text {
        let wants_number = is_number.iter().any(|name| expected.starts_with(name));
        return (wants_number && text.parse::<f64>().is_ok())
            .then(|| format!("Write {text} without quotes."));
    }
    let value = found.split('`').nth(1)?;
    expected.starts_with("a string").then(|| format!("Put it in quotes: `\"{value}\"`."))
}

/// The known name that an unknown one in serde's message is probably meant to be.
fn suggestion(message: &str) -> Option<String> {
    let unknown =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))?;
    let (name, expected) = unknown.split_once("`, expected ")?;
    similar_name(name, expected.split('`').skip(1).step_by(2)).map(str::to_owned)
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let step = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(format!("/{index}")),
        Segment::Map { key } => Some(format!("/{}", escape(key))),
        Segment::Enum { .. } | Segment::Unknown => None,
    };
    path.iter().filter_map(step).collect()
}
