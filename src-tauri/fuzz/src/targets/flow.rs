//! Flow files. A readable flow can be checked, planned and written, and its text reads as the same flow.

use plait_core::flow;
use plait_journal::InputOverrides;
use plait_run::node::Registry;
use plait_run::plan;

use super::{Handler, magnitude};

pub(super) const WORDS: &[&str] = &[
    "\"version\": 1",
    "\"nodes\"",
    "\"edges\"",
    "\"layout\"",
    "\"settings\"",
    "\"type\"",
    "\"config\"",
    "\"source\"",
    "\"sourceOutput\"",
    "\"target\"",
    "\"targetInput\"",
    "\"limits\"",
    "\"maxEpochs\"",
    "\"retry\"",
    "\"attempts\"",
    "\"chat\"",
    "\"switch\"",
    "\"subflow\"",
    "\"userInput\"",
    "\"portalIn\"",
    "\"portalOut\"",
    "\"contextStart\"",
    "\"newContext\"",
    "\"template\"",
    "\"schema\"",
];

pub(super) struct FlowHandler(Registry);

impl FlowHandler {
    pub(super) fn new() -> Self {
        Self(plait_nodes::registry())
    }
}

impl Handler for FlowHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let text = String::from_utf8_lossy(input);
        let flow = match flow::read(&text) {
            Ok(flow) => flow,
            Err(error) => return Ok(error.diagnostic.code.to_string()),
        };
        let found = plan::check(&flow, &self.0).diagnostics;
        let planned = plan::plan(&flow, &self.0, None, &InputOverrides::new());
        if let Ok(written) = flow::write(&flow) {
            let again = flow::read(&written).expect("what was written can be read");
            assert_eq!(again, flow, "what was written reads as the same flow");
        }
        let mut codes: Vec<String> = found.iter().map(|found| found.code.to_string()).collect();
        codes.sort_unstable();
        codes.dedup();
        let cycles = planned.as_ref().map_or(0, |plan| plan.cycles.len());
        Ok(format!("{} {} {codes:?}", planned.is_ok(), magnitude(cycles)))
    }
}
