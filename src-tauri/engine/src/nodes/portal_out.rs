//! `portalOut`: where an edge comes back.

use serde_json::json;

use super::portal_in::Config;
use crate::error::Fault;
use crate::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Portal,
};
use crate::port::{PortType, Ports};

pub(super) struct PortalOut;

impl NodeType for PortalOut {
    type Config = Config;

    const TYPE: &'static str = "portalOut";
    const TITLE: &'static str = "Portal out";
    const SUMMARY: &'static str = "Where what was led into the portal of the same channel comes out";
    const DESCRIPTION: &'static str = "Gives what is led into the *Portal in* of the same channel, as if there were an \
        edge between them. It does nothing else and takes no part in a run.";
    const CATEGORY: Category = Category::Wiring;
    const ICON: &'static str = "log-out";
    const TERMS: &'static [&'static str] = &["tunnel", "wireless", "jump", "teleport", "channel", "connect"];

    fn ports(config: &Config) -> Ports {
        Ports::new().output("out", config.kind, PortType::Any, "What went in at the other end")
    }

    fn card() -> Card {
        Card::new().line([CardPart::prefixed_text("from", "channel")])
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { portal: Some(Portal::Out(config.channel.clone())), ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        config.problems()
    }

    fn examples() -> Vec<Example> {
        vec![Example::new("Out of a channel").config(json!({ "channel": "report" }))]
    }

    /// Planning joins the two ends, so that a run never comes here; by itself a portal gives nothing.
    async fn execute(_: &Config, _: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        Ok(NodeOutput::new())
    }
}
