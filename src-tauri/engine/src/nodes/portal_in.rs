//! `portalIn`: where an edge leaves the canvas.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::error::Fault;
use crate::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Portal,
};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct PortalIn;

/// Which channel, and what travels on it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The channel's name. What goes in comes out at every *Portal out* of the same name.
    #[schemars(length(min = 1))]
    pub(super) channel: String,
    /// Which strand it carries; the same at both ends.
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
    const SUMMARY: &'static str = "Sends an edge to every portal out of the same channel";
    const DESCRIPTION: &'static str = "Keeps a crowded canvas readable: what is led in here comes out at every *Portal \
        out* of the same channel, as if there were an edge between them. It does nothing else and takes no part in a run.";
    const CATEGORY: Category = Category::Wiring;
    const ICON: &'static str = "log-in";
    const TERMS: &'static [&'static str] = &["tunnel", "wireless", "jump", "teleport", "channel", "connect"];

    fn ports(config: &Config) -> Ports {
        Ports::new().input("in", config.kind, PortType::Any, "Comes out at the other end")
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
            Example::new("Into a channel; the value comes out at the portal out of that name")
                .config(json!({ "channel": "report" }))
                .input("in", json!("text")),
        ]
    }

    /// Planning joins the two ends, so that a run never comes here; by itself a portal gives nothing.
    async fn execute(_: &Config, _: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        Ok(NodeOutput::new())
    }
}
