//! The node types of these tests. Each output depends on all inputs, so that an error in any value shows in the end.
//!
//! [`semantics`] has what they compute, which the reference interpreter uses as well. [`execution`] has how they run: naps,
//! attempts, pauses, effects and turns.

mod execution;
mod ports;
pub mod semantics;

use std::sync::LazyLock;

use plait_core::Value;
use plait_core::error::Fault;
use plait_core::port::Ports;
use plait_run::node::{Behavior, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Registry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use ports::{KINDS, LOOP_KINDS, behavior, ports, ports_with};

/// The config of every test node type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// Makes its values differ from those of other nodes.
    pub salt: u32,
    /// The maximum number of attempts that fail in an epoch.
    pub fails: u32,
    /// Whether its failures are not retryable.
    pub hard: bool,
    /// How many calls it makes to the outside.
    pub steps: u32,
    /// How many answers it rejects before it takes one.
    pub again: u32,
    /// The channel of a portal.
    pub channel: String,
    /// What it does with the workflow's memory: nothing, `read` or `write`.
    pub memory: String,
    /// The context a guest works in; if empty, its input names it.
    pub names: String,
}

impl Settings {
    /// As a node's config.
    pub fn config(&self) -> serde_json::Map<String, Value> {
        match serde_json::to_value(self).unwrap() {
            Value::Object(map) => map,
            other => unreachable!("settings are an object, not {other}"),
        }
    }
}

macro_rules! node_types {
    ($($name:ident $kind:literal,)*) => {
        $(struct $name;

        impl NodeType for $name {
            type Config = Settings;
            const TYPE: &'static str = $kind;
            const TITLE: &'static str = $kind;
            const SUMMARY: &'static str = "For tests";
            const DESCRIPTION: &'static str = "For tests.";
            const CATEGORY: Category = Category::Data;
            const ICON: &'static str = "box";

            fn ports(settings: &Settings) -> Ports {
                ports_with($kind, settings)
            }

            fn behavior(settings: &Settings) -> Behavior {
                behavior($kind, settings)
            }

            fn examples() -> Vec<Example> {
                Vec::new()
            }

            async fn execute(settings: &Settings, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
                execution::execute($kind, settings, inputs, cx).await
            }
        })*

        /// All of them, and the engine's own: flows of these tests have loops.
        pub fn registry() -> &'static Registry {
            static ALL: LazyLock<Registry> = LazyLock::new(|| plait_nodes::registry()$(.with::<$name>())*);
            &ALL
        }
    };
}

node_types! {
    Source "source",
    Mix "mix",
    Maybe "maybe",
    Gated "gated",
    Collect "collect",
    Route "route",
    Flaky "flaky",
    Effect "effect",
    Ask "ask",
    Context "context",
    Turn "turn",
    Relay "relay",
    Guest "guest",
    Pass "pass",
    List "list",
    Sign "sign",
    Finish "finish",
    Result_ "result",
    PortalIn "portalIn",
    PortalOut "portalOut",
    Comment "comment",
    Broken "broken",
}
