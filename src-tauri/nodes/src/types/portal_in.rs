//! `portalIn`: the sending end of a portal.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Portal,
};

pub(super) struct PortalIn;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The name of the channel. The input comes out at every *Portal out* with the same channel.
    #[schemars(length(min = 1))]
    pub(super) channel: String,
    /// The kind of edge it carries. Must be the same at both ends.
    pub(super) kind: PortKind,
}

impl Default for Config {
    fn default() -> Self {
        Self { channel: "portal".to_owned(), kind: PortKind::Data }
    }
}

impl Config {
    pub(super) fn problems(&self) -> Vec<(String, String)> {
        let empty = self.channel.trim().is_empty();
        empty.then(|| ("/channel".to_owned(), "`channel` is empty.".to_owned())).into_iter().collect()
    }
}

impl NodeType for PortalIn {
    type Config = Config;

    const TYPE: &'static str = "portalIn";
    const TITLE: &'static str = "Portal in";
    const SUMMARY: &'static str = "Connects to every Portal out with the same channel";
    const DESCRIPTION: &'static str = "Keeps a crowded canvas readable: its input comes out at every *Portal out* with the same \
        channel, as if an edge connected them. It has no other effect.";
    const CATEGORY: Category = Category::Wiring;
    const ICON: &'static str = "log-in";
    const TERMS: &'static [&'static str] = &["tunnel", "wireless", "jump", "teleport", "channel", "connect"];

    fn ports(config: &Config) -> Ports {
        Ports::new().input("in", config.kind, PortType::Any, "The value to send")
    }

    fn card() -> Card {
        Card::new().line([CardPart::prefixed_text("to", "channel")])
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { portal: Some(Portal::In(config.channel.clone())), ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        config.problems()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("Send a value to a channel")
                .config(json!({ "channel": "report" }))
                .input("in", json!("text")),
        ]
    }

    /// Not called in a run: planning replaces portals with edges.
    async fn execute(_: &Config, _: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        Ok(NodeOutput::new())
    }
}
