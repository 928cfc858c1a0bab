//! The variables of prompts: edges from what ran before, by its name.

use std::collections::BTreeSet;

use super::{Lowering, Source};
use crate::codes;
use crate::pipeline::problem::{Problem, suggest};
use crate::pipeline::steps::Step;
use crate::pipeline::yaml::{below, shorten};
use plait_core::expression::HITL_HISTORY;
use plait_core::expression::template::Template;
use plait_core::port::AFTER_PORT;

impl Lowering<'_> {
    /// Connects the variables of a prompt, except the one that gets the previous output anyway.
    pub(super) fn variables(&mut self, step: &Step, template: &Template, previous: &Source, own: &str) {
        self.refuse_variable_after(step, template);
        let fed = |name: &str| name != own && name != HITL_HISTORY;
        for variable in template.variables().iter().filter(|variable| fed(&variable.name)) {
            let name = variable.name.as_str();
            let source = if name == "previous" {
                Some(previous.clone())
            } else {
                self.scopes.iter().rev().find_map(|scope| scope.get(name)).cloned()
            };
            match source {
                Some(source) => {
                    self.edge(source.node.as_str(), &source.value, &step.name, name);
                }
                None if variable.optional => {}
                None => self.unknown_variable(step, name),
            }
        }
    }

    /// A step with a variable `after` has an input of that name already.
    fn refuse_variable_after(&mut self, step: &Step, template: &Template) {
        let uses_name = template.variables().iter().any(|variable| variable.name == AFTER_PORT);
        if uses_name && !step.after().is_empty() {
            let place = below(&step.pointer, "prompt");
            let message = "A step with the key `after` cannot have a variable `after` in its prompt.";
            let problem = Problem::new(codes::PIPELINE_INVALID_NAME, self.root.place(&place), message);
            self.problems.push(problem.pointer(&place).hint("Rename the step that the variable names."));
        }
    }

    fn unknown_variable(&mut self, step: &Step, name: &str) {
        let place = below(&step.pointer, "prompt");
        let known: Vec<&str> = self
            .scopes
            .iter()
            .flat_map(|scope| scope.keys().map(String::as_str))
            .chain(["previous"])
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let message =
            format!("The prompt has the variable `{}`, which is nothing that ran before.", shorten(name));
        let range = self.root.place(&place);
        let problem = Problem::new(codes::PIPELINE_UNKNOWN_VARIABLE, range, message).pointer(&place);
        self.problems.push(problem.hint(suggest(name, "variables here", known.iter().copied())));
    }
}
