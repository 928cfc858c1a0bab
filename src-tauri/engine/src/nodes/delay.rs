//! `delay`: hands a value on after a while.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

use crate::error::Fault;
use crate::node::{Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct Delay;

/// How long.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// Milliseconds to wait, at most a day.
    #[schemars(range(max = MOST))]
    ms: u64,
}

/// A day, in milliseconds.
const MOST: u64 = 24 * 60 * 60 * 1000;

impl Default for Config {
    fn default() -> Self {
        Self { ms: 1000 }
    }
}

impl NodeType for Delay {
    type Config = Config;

    const TYPE: &'static str = "delay";
    const TITLE: &'static str = "Delay";
    const SUMMARY: &'static str = "Hands a value on after a while";
    const DESCRIPTION: &'static str = "Waits, then gives the value as it came. Other branches go on meanwhile, and \
        stopping the run ends the wait at once. After a restart it waits again from the beginning.";
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
        Behavior { rests: true, ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let too_long = config.ms > MOST;
        too_long
            .then(|| ("/ms".to_owned(), format!("The longest delay is a day, {MOST} ms.")))
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

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        // When the run is cancelled this future is dropped, and the wait with it.
        cx.host.clock.sleep(Duration::from_millis(config.ms)).await;
        Ok(super::pass_on(&inputs, "in", NodeOutput::new(), "out"))
    }
}
