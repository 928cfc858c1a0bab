//! Checks the names that a loop refers to: `named_steps` and `user_turn_sources` are steps of its body, and none is both a
//! turn of the assistant and one of the user. Agents that summarize have names of their own.

use std::collections::HashSet;

use super::document::Loop;
use super::problem::{Problem, suggest};
use super::steps::{Pipeline, Step, StepKind};
use super::yaml::{Yaml, below, shorten};
use crate::codes;
use plait_core::error::ErrorCode;
use plait_llm::loop_history::{AiTurnSource, HITL, NAMED_STEPS};

/// The problems of all loops.
pub fn check(root: &Yaml, pipeline: &Pipeline) -> Vec<Problem> {
    let mut checker = Checker { root, problems: Vec::new(), summarizers: Vec::new(), names: HashSet::new() };
    checker.steps(&pipeline.steps);
    for (agent, place) in std::mem::take(&mut checker.summarizers) {
        if checker.names.contains(agent.as_str()) {
            let message = format!("`{agent}` is the name of a step and of the agent that summarizes here.");
            checker.report(
                codes::PIPELINE_DUPLICATE_NAME,
                &place,
                message,
                "Rename one of the two.".to_owned(),
            );
        }
    }
    checker.problems
}

struct Checker<'y> {
    root: &'y Yaml,
    problems: Vec<Problem>,
    /// The agents that summarize, with the place of each.
    summarizers: Vec<(String, String)>,
    names: HashSet<String>,
}

impl Checker<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.names.insert(step.name.clone());
            match &step.kind {
                StepKind::Loop { settings, body, .. } => {
                    self.turn_sources(settings, body, &below(&step.pointer, "loop"));
                    self.steps(body);
                }
                StepKind::Parallel(_, branches) | StepKind::Conditional(_, branches) => {
                    for branch in branches {
                        self.steps(&branch.steps);
                    }
                }
                StepKind::Agent(_) | StepKind::Hitl(_) => {}
            }
        }
    }

    fn turn_sources(&mut self, settings: &Loop, body: &[Step], pointer: &str) {
        if let Some(agent) = &settings.history_management.summarizer_agent {
            self.summarizers
                .push((agent.as_str().to_owned(), format!("{pointer}/history_management/summarizer_agent")));
        }
        if settings.named_steps.is_empty() && settings.user_turn_sources.is_empty() {
            return;
        }
        let mut names = Vec::new();
        collect_names(body, &mut names);
        let known: HashSet<&str> = names.iter().copied().collect();
        let unknown = |name: &str| !known.contains(name);
        for (index, name) in settings.named_steps.iter().enumerate().filter(|(_, name)| unknown(name)) {
            self.unknown_step(name, &names, &format!("{pointer}/named_steps/{index}"));
        }
        let of_user = &settings.user_turn_sources;
        for (index, name) in of_user.iter().enumerate().filter(|(_, name)| unknown(name)) {
            if name != HITL && name != NAMED_STEPS {
                self.unknown_step(name, &names, &format!("{pointer}/user_turn_sources/{index}"));
            }
        }
        if settings.ai_turn_source != AiTurnSource::NamedSteps {
            return;
        }
        for (index, name) in of_user.iter().enumerate() {
            let both = name == NAMED_STEPS || settings.named_steps.contains(name);
            if both {
                let message = format!("`{}` gives turns of the user and of the assistant.", shorten(name));
                let place = format!("{pointer}/user_turn_sources/{index}");
                let hint = "Remove it from `user_turn_sources` or from `named_steps`.".to_owned();
                self.report(codes::PIPELINE_STEP_IN_BOTH_SOURCES, &place, message, hint);
            }
        }
    }

    fn unknown_step(&mut self, name: &str, names: &[&str], place: &str) {
        let message = format!("The body of this loop has no step `{}`.", shorten(name));
        let hint = suggest(name, "steps of the body", names.iter().copied());
        self.report(codes::PIPELINE_UNKNOWN_STEP, place, message, hint);
    }

    fn report(&mut self, code: ErrorCode, pointer: &str, message: String, hint: String) {
        let range = self.root.place(pointer);
        self.problems.push(Problem::new(code, range, message).hint(hint).pointer(pointer));
    }
}

fn collect_names<'s>(steps: &'s [Step], names: &mut Vec<&'s str>) {
    for step in steps {
        names.push(&step.name);
        match &step.kind {
            StepKind::Loop { body, .. } => collect_names(body, names),
            StepKind::Parallel(_, branches) | StepKind::Conditional(_, branches) => {
                for branch in branches {
                    collect_names(&branch.steps, names);
                }
            }
            StepKind::Agent(_) | StepKind::Hitl(_) => {}
        }
    }
}
