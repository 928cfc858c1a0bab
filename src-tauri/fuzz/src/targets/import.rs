//! Files of other tools. An imported flow can be written and checked, and its report accounts for each node.

use plait_core::flow;
use plait_formats::foreign::{Format, ImportOutcome, Imported};
use plait_import::import;
use plait_run::node::Registry;
use plait_run::plan;

use super::{Handler, magnitude};

/// The folders with files to begin with.
pub(super) const SEEDS: &[&str] = &[
    "tests/fixtures/import/dify",
    "tests/fixtures/import/flowise",
    "tests/fixtures/import/langflow",
    "tests/fixtures/import/n8n",
    "tests/fixtures/import/promptflow",
    "tests/fixtures/import/rivet",
];

pub(super) const WORDS: &[&str] = &[
    "\"nodes\"",
    "\"edges\"",
    "\"connections\"",
    "\"parameters\"",
    "\"type\"",
    "\"data\"",
    "\"inputs\"",
    "\"source\"",
    "\"target\"",
    "\"disabled\": true",
    "\"parentId\"",
    "={{ $json.a }}",
    "{{ $('b').item.json[\"c d\"] }}",
    "{{#start.text#}}",
    "{{#context#}}",
    "{% for a in b %}",
    "{{name}}",
    "{name}",
    "{{",
    "}}",
    "\\\\{{",
    "https://a.test/{{a}}?key=b",
    "Bearer sk-0123456789abcdef",
    "n8n-nodes-base.splitInBatches",
    "n8n-nodes-base.httpRequest",
    "\"main\"",
    "iteration",
    "subGraph",
    "LoopComponent",
    "loopAgentflow",
];

pub(super) struct ImportHandler(Registry);

impl ImportHandler {
    pub(super) fn new() -> Self {
        Self(plait_nodes::registry())
    }

    /// What an import led to.
    fn outcome(&self, imported: &Imported) -> String {
        let Imported { flow, report } = imported;
        for node in &report.nodes {
            let is_lost = node.outcome == ImportOutcome::Lost;
            assert_eq!(node.nodes.is_empty(), is_lost, "what is in the flow is not lost: {node:?}");
            assert!(!is_lost || !node.lost.is_empty(), "what is lost has a reason: {node:?}");
        }
        // Ids come from the file, and may be too long for a flow.
        if let Ok(written) = flow::write(flow)
            && let Ok(again) = flow::read(&written)
        {
            assert_eq!(again, *flow, "what was written reads as the same flow");
        }
        let found = plan::check(flow, &self.0).diagnostics;
        let mut codes: Vec<String> = found.iter().map(|found| found.code.to_string()).collect();
        codes.sort_unstable();
        codes.dedup();
        let counts: Vec<u32> = report.node_counts().values().map(|&count| magnitude(count)).collect();
        format!("{:?} {counts:?} {} {codes:?}", report.format, magnitude(report.lost_edges().count()))
    }
}

impl Handler for ImportHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let text = String::from_utf8_lossy(input);
        let first = match import(&text, None, "a") {
            Ok(imported) => return Ok(self.outcome(&imported)),
            Err(fault) => fault.code.to_string(),
        };
        // A file that is not recognized can be imported by name.
        for format in Format::ALL {
            if let Ok(imported) = import(&text, Some(format), "a") {
                return Ok(self.outcome(&imported));
            }
        }
        Ok(first)
    }
}
