//! A pipeline that was read: its agents and steps, with the place of each.

use serde_json::{Map, Value};

use super::document::{Agent, AgentStep, ConditionalStep, Document, HitlStep, Loop, LoopStep, ParallelStep};

/// A pipeline that was read.
pub(super) struct Pipeline {
    pub(super) document: Document,
    /// The agents by name, in the order of the text.
    pub(super) agents: Vec<(String, Agent)>,
    pub(super) steps: Vec<Step>,
}

impl Pipeline {
    /// The agent with a name.
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
