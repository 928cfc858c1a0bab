//! Parts of a pipeline without effect that its flow does not show: agents that nothing names, keys that lowering does not use, and
//! positions of steps that do not exist. What the flow shows, the check of flows reports.

use std::collections::BTreeSet;

use plait_core::diagnostic::Diagnostic;
use plait_core::flow::Flow;

use super::document::{AgentRef, LoopKind};
use super::order;
use super::steps::{Pipeline, Step, StepKind};
use super::yaml::below;
use plait_core::config::no_effect;

/// Warnings, with pointers into the document.
pub(super) fn find(pipeline: &Pipeline, flow: &Flow) -> Vec<Diagnostic> {
    let mut finder = Finder::default();
    finder.steps(&pipeline.steps);
    for (name, agent) in &pipeline.agents {
        let place = below("/agents", name);
        let is_step = finder.of_steps.contains(name.as_str());
        if !is_step && !finder.summarizers.contains(name.as_str()) {
            finder.warn(&place, name, "no step and no loop names it", "name it as the `agent` of a step");
        } else if !is_step {
            let tools = [
                ("tools", agent.tools.is_some()),
                ("mcp_servers", agent.mcp_servers.is_some()),
                ("http_tools", agent.http_tools.is_some()),
            ];
            for (key, _) in tools.into_iter().filter(|(_, is_set)| *is_set) {
                finder.warn(&below(&place, key), key, "the agent only writes summaries", "");
            }
        }
    }
    for name in pipeline.document.layout.keys().filter(|name| !flow.nodes.contains_key(name.as_str())) {
        finder.warn(&below("/layout", name), name, "there is no step of this name", "");
    }
    for (id, frame) in &pipeline.document.frames {
        let place = below("/frames", id.as_str());
        for name in frame.nodes.iter().chain(&frame.main).filter(|name| !flow.nodes.contains_key(*name)) {
            finder.warn(&place, name.as_str(), "no step becomes a node of this name", "");
        }
    }
    for (name, place) in order::without_effect(&pipeline.steps) {
        finder.warn(&place, &name, "the step comes before this one anyway", "");
    }
    finder.warnings
}

#[derive(Default)]
struct Finder<'p> {
    of_steps: BTreeSet<&'p str>,
    summarizers: BTreeSet<&'p str>,
    warnings: Vec<Diagnostic>,
}

impl<'p> Finder<'p> {
    fn steps(&mut self, steps: &'p [Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Agent(own) => {
                    if let Some(AgentRef::Name(agent)) = &own.agent {
                        self.of_steps.insert(agent);
                    }
                    let keys = [
                        ("prompt", own.prompt.is_some()),
                        ("use_history", own.use_history.is_some()),
                        ("pinned", own.pinned.is_some()),
                    ];
                    for (key, _) in
                        keys.into_iter().filter(|(key, is_set)| *is_set && own.config.contains_key(*key))
                    {
                        let place = below(&below(&step.pointer, "config"), key);
                        let reason = format!("`{key}` of the step takes its place");
                        self.warn(&place, key, &reason, "");
                    }
                }
                StepKind::Loop { settings, body, .. } => {
                    let summarizer = &settings.history_management.summarizer_agent;
                    self.summarizers.extend(summarizer.iter().map(plait_core::id::NodeId::as_str));
                    if settings.items.is_some() && settings.kind != LoopKind::ForEach {
                        let place = below(&below(&step.pointer, "loop"), "items");
                        let reason = "it counts for `kind: forEach` only";
                        self.warn(&place, "items", reason, "set `kind: forEach`");
                    }
                    self.steps(body);
                }
                StepKind::Parallel(_, branches) | StepKind::Conditional(_, branches) => {
                    for branch in branches {
                        self.steps(&branch.steps);
                    }
                }
                StepKind::Hitl(_) => {}
            }
        }
    }

    fn warn(&mut self, place: &str, name: &str, reason: &str, remedy: &str) {
        self.warnings.push(no_effect(place, name, reason, remedy));
    }
}

#[cfg(test)]
mod tests;
