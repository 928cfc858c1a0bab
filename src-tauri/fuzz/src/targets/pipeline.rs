//! Pipelines. A readable pipeline can be checked and saved: unchanged it is the same text, and rewritten the same flow.

use plait_formats::pipeline;
use plait_formats::pipeline::Pipeline;
use plait_run::node::Registry;
use plait_run::plan;

use super::Handler;

pub(super) const WORDS: &[&str] = &[
    "version: \"0.1\"\n",
    "steps:\n",
    "agents:\n",
    "- kind: step\n",
    "- kind: loop\n",
    "- kind: parallel\n",
    "- kind: conditional\n",
    "- kind: hitl\n",
    "  name: ",
    "  loop:\n",
    "  body:\n",
    "  branches:\n",
    "  agent: ",
    "  prompt: |\n",
    "conversation: true\n",
    "history_management:\n",
    "named_steps: [",
    "{{previous}}",
    "&a ",
    "*a",
    "!!str ",
    "---\n",
    "? ",
    "\t",
    "# ",
    ">-\n",
    "layout:\n",
];

pub(super) struct PipelineHandler(Registry);

impl PipelineHandler {
    pub(super) fn new() -> Self {
        Self(plait_nodes::registry())
    }
}

impl Handler for PipelineHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let text = String::from_utf8_lossy(input);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let read = match Pipeline::read(text) {
            Ok(read) => read,
            Err(errors) => {
                let mut codes: Vec<String> =
                    errors.iter().map(|error| error.diagnostic.code.to_string()).collect();
                codes.sort_unstable();
                codes.dedup();
                return Ok(format!("{codes:?}"));
            }
        };
        let found = plan::check(&read.flow, &self.0).diagnostics;
        for found in &found {
            let span = read.places.span(&found.pointer);
            assert!(text.get(span).is_some(), "the place of {} is in the text", found.pointer);
        }
        let saved = pipeline::save(Some(text), &read.flow).expect("what was read can be saved");
        assert_eq!(saved, text, "saving without a change keeps the text");
        let renamed = {
            let mut flow = read.flow.clone();
            flow.name.push_str(" fuzzed");
            flow
        };
        if let Ok(saved) = pipeline::save(Some(text), &renamed) {
            let again = Pipeline::read(&saved).expect("what was saved can be read");
            assert_eq!(again.flow, renamed, "what was saved reads as the same flow");
        }
        if let Ok(written) = pipeline::save(None, &read.flow) {
            let again = Pipeline::read(&written).expect("what was written can be read");
            assert_eq!(again.flow.nodes.len(), read.flow.nodes.len(), "what was written has the same nodes");
        }
        let mut codes: Vec<String> = found.iter().map(|found| found.code.to_string()).collect();
        codes.sort_unstable();
        codes.dedup();
        Ok(format!("flow {codes:?}"))
    }
}
