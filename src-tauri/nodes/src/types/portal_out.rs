//! `portalOut`: the receiving end of a portal.

use serde_json::json;

use super::portal_in::Config;
use plait_core::error::Fault;
use plait_core::port::{PortType, Ports};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Portal,
};

pub(super) struct PortalOut;

impl NodeType for PortalOut {
    type Config = Config;

    const TYPE: &'static str = "portalOut";
    const TITLE: &'static str = "Portal out";
    const SUMMARY: &'static str = "Receives from the Portal in with the same channel";
    const DESCRIPTION: &'static str = "Outputs what goes into the *Portal in* with the same channel, as if an edge connected \
        them. It has no other effect.";
    const CATEGORY: Category = Category::Wiring;
    const ICON: &'static str = "log-out";
    const TERMS: &'static [&'static str] = &["tunnel", "wireless", "jump", "teleport", "channel", "connect"];

    fn ports(config: &Config) -> Ports {
        Ports::new().output("out", config.kind, PortType::Any, "The value from the other end")
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
        vec![Example::new("Receive from a channel").config(json!({ "channel": "report" }))]
    }

    /// Not called in a run: planning replaces portals with edges.
    async fn execute(_: &Config, _: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        Ok(NodeOutput::new())
    }
}
