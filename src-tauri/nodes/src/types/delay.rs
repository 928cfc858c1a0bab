//! `delay`: passes a value on after a fixed time.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType,
};

pub(super) struct Delay;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The delay in milliseconds, at most one day.
    #[schemars(range(max = MAX_DELAY_MS))]
    ms: u64,
}

/// One day, in milliseconds.
const MAX_DELAY_MS: u64 = 24 * 60 * 60 * 1000;

impl Default for Config {
    fn default() -> Self {
        Self { ms: 1000 }
    }
}

impl NodeType for Delay {
    type Config = Config;

    const TYPE: &'static str = "delay";
    const TITLE: &'static str = "Delay";
    const SUMMARY: &'static str = "Delays a value";
    const DESCRIPTION: &'static str = "Waits, then passes the value on unchanged. Other branches continue meanwhile, and \
        stopping the run ends the wait at once. After a restart, the wait starts over.";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "timer";
    const TERMS: &'static [&'static str] = &["wait", "sleep", "pause", "throttle", "time"];

    fn ports(_: &Config) -> Ports {
        Ports::new().input("in", PortKind::Data, PortType::Any, "The value").output(
            "out",
            PortKind::Data,
            PortType::Any,
            "The same value, later",
        )
    }

    fn card() -> Card {
        Card::new().line([CardPart::duration("ms")])
    }

    fn behavior(_: &Config) -> Behavior {
        Behavior { is_timer: true, ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let too_long = config.ms > MAX_DELAY_MS;
        too_long
            .then(|| ("/ms".to_owned(), format!("The longest delay is one day, {MAX_DELAY_MS} ms.")))
            .into_iter()
            .collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("Half a second later")
                .config(json!({ "ms": 500 }))
                .input("in", json!("tick"))
                .outputs(json!({ "out": "tick" })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        if node_context.earlier().is_some_and(|earlier| earlier.has_finished(&node_context.activation)) {
            return Ok(NodeOutput::new().pass_through(&inputs, "in", "out"));
        }
        // Canceling the run drops this future, which ends the wait.
        node_context.host.clock.sleep(Duration::from_millis(config.ms)).await;
        Ok(NodeOutput::new().pass_through(&inputs, "in", "out"))
    }
}
