//! A pipeline that was read: its agents and steps, with the place of each.

use serde_json::{Map, Value};

use super::document::{
    Agent, AgentStep, ConditionalStep, Document, HitlStep, Loop, LoopStep, ParallelStep, StepNames,
};
use super::yaml::below;

/// A pipeline that was read.
pub(super) struct Pipeline {
    pub(super) document: Document,
    /// The agents by name, in the order of the text.
    pub(super) agents: Vec<(String, Agent)>,
    pub(super) steps: Vec<Step>,
}

impl Pipeline {
    pub(super) fn agent(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().find(|(known, _)| known == name).map(|(_, agent)| agent)
    }
}

/// A step and its place.
pub(super) struct Step {
    pub(super) name: String,
    /// Its place in the document, as a JSON pointer.
    pub(super) pointer: String,
    pub(super) kind: StepKind,
}

impl Step {
    /// The steps that it comes after without taking their outputs, each with the place of its name.
    pub(super) fn after(&self) -> Vec<(&str, String)> {
        let names: &StepNames = match &self.kind {
            StepKind::Agent(step) => &step.after,
            StepKind::Hitl(step) => &step.after,
            StepKind::Loop { step, .. } => &step.after,
            StepKind::Parallel(step, _) => &step.after,
            StepKind::Conditional(step, _) => &step.after,
        };
        names.with_places(&below(&self.pointer, "after"))
    }

    /// The lists of steps in it: its body, or those of its branches.
    pub(super) fn inner(&self) -> Vec<&[Self]> {
        match &self.kind {
            StepKind::Agent(_) | StepKind::Hitl(_) => Vec::new(),
            StepKind::Loop { body, .. } => vec![body],
            StepKind::Parallel(_, branches) | StepKind::Conditional(_, branches) => {
                branches.iter().map(|branch| branch.steps.as_slice()).collect()
            }
        }
    }

    /// The nodes that start it, by the names of their steps: those of its branches if they start at once.
    pub(super) fn first_nodes(&self) -> Vec<&str> {
        match &self.kind {
            StepKind::Parallel(_, branches) => branches
                .iter()
                .filter_map(|branch| branch.steps.first())
                .flat_map(Self::first_nodes)
                .collect(),
            _ => vec![&self.name],
        }
    }
}

/// What a step does.
pub(super) enum StepKind {
    Agent(AgentStep),
    Hitl(HitlStep),
    Loop { step: LoopStep, settings: Box<Loop>, config: Map<String, Value>, body: Vec<Step> },
    Parallel(ParallelStep, Vec<Branch>),
    Conditional(ConditionalStep, Vec<Branch>),
}

/// A named branch of a step.
pub(super) struct Branch {
    pub(super) name: String,
    pub(super) steps: Vec<Step>,
}
