//! The settings of a loop. Their names are those of the pipeline format, in every file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use plait_core::config::Unused;
use plait_core::config::{DEFAULT_MAX_ITERATIONS, MAX_ITERATIONS};
use plait_core::expression::condition::IterationCondition;
use plait_core::id::NodeId;
use plait_llm::loop_history::{AiTurnSource, ConversationSettings, HITL, HistoryInit, HistoryManagement};
use plait_llm::transcript::HistoryTemplate;

/// More open iterations than this only take room: a run starts fewer nodes at once.
const MAX_CONCURRENCY: u32 = 1000;

#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::types) struct Config {
    /// When to repeat: `while` a condition holds, a number of `times`, or `forEach` item of a list.
    #[schemars(extend("x-rank" = 0))]
    pub kind: Kind,
    /// For `while`: a condition in CEL on `index`, `previous`, `input` and `hitl_history`, tested before each iteration. Without one, the
    /// loop ends by `exit` or the tool `finish`.
    #[schemars(extend("x-rank" = 1, "x-shown-if" = { "kind": "while" }))]
    pub condition: Option<IterationCondition>,
    /// For `times`: how many iterations.
    #[schemars(range(max = MAX_ITERATIONS), extend("x-rank" = 1, "x-shown-if" = { "kind": "times" }))]
    pub times: u32,
    /// For `forEach`: how many iterations may be open at once.
    #[schemars(range(min = 1, max = MAX_CONCURRENCY), extend("x-rank" = 1, "x-shown-if" = { "kind": "forEach" }))]
    pub concurrency: u32,
    /// For `forEach`: whether an iteration that fails ends the loop, or leaves its error in the results.
    #[schemars(extend("x-rank" = 1, "x-shown-if" = { "kind": "forEach" }))]
    pub on_error: OnError,
    // The table of the configuration describes it.
    #[schemars(extend("x-rank" = 2))]
    pub max_iterations: u32,
    /// Whether the model nodes inside share a history of what was said in the iterations. It belongs to this loop alone.
    #[schemars(extend("x-rank" = 3))]
    pub conversation: bool,
    /// How much of the history models get.
    #[schemars(extend("x-shown-if" = { "conversation": true }))]
    pub history_management: HistoryManagement,
    /// Which replies of model nodes become turns of the assistant: that of the `last` node of the body, those of `all_agents`, or
    /// those of `named_steps`.
    #[schemars(extend("x-shown-if" = { "conversation": true }))]
    pub ai_turn_source: AiTurnSource,
    /// The nodes that `named_steps` stands for.
    #[schemars(with = "Vec<String>", extend("x-shown-if" = { "conversation": true }))]
    pub named_steps: Vec<NodeId>,
    /// The nodes whose outputs become turns of the user: `hitl` for all that ask a person, `named_steps`, or ids of nodes.
    #[schemars(extend("x-shown-if" = { "conversation": true }))]
    pub user_turn_sources: Vec<String>,
    /// How turns are written for models that take a prompt only: a template over `history`, whose items have a `role` and a
    /// `content`. If empty, a line for each turn.
    #[schemars(extend("x-shown-if" = { "conversation": true }))]
    pub history_template: Option<HistoryTemplate>,
    /// How the history begins.
    #[schemars(extend("x-shown-if" = { "conversation": true }))]
    pub init: HistoryInit,
}

/// When a loop repeats.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::types) enum Kind {
    #[default]
    While,
    Times,
    ForEach,
}

/// What follows when an iteration fails.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::types) enum OnError {
    #[default]
    Stop,
    Continue,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            kind: Kind::default(),
            condition: None,
            times: 1,
            concurrency: 1,
            on_error: OnError::default(),
            max_iterations: DEFAULT_MAX_ITERATIONS,
            conversation: false,
            history_management: HistoryManagement::default(),
            ai_turn_source: AiTurnSource::default(),
            named_steps: Vec::new(),
            user_turn_sources: vec![HITL.to_owned()],
            history_template: None,
            init: HistoryInit::default(),
        }
    }
}

impl Config {
    /// The settings of the conversation, as the history knows them.
    pub fn conversation(&self) -> ConversationSettings {
        ConversationSettings {
            conversation: self.conversation,
            history_management: self.history_management.clone(),
            ai_turn_source: self.ai_turn_source,
            named_steps: self.named_steps.clone(),
            user_turn_sources: self.user_turn_sources.clone(),
            history_template: self.history_template.clone(),
            init: self.init.clone(),
        }
    }

    /// The settings that have no effect beside the others.
    pub fn unused(&self) -> Vec<Unused> {
        let others: &[(&str, &str)] = match self.kind {
            Kind::While => &[("times", "times"), ("concurrency", "forEach"), ("on_error", "forEach")],
            Kind::Times => &[("condition", "while"), ("concurrency", "forEach"), ("on_error", "forEach")],
            Kind::ForEach => &[("condition", "while"), ("times", "times")],
        };
        let of_kind = others.iter().map(|(name, kind)| {
            let reason = format!("it counts for `kind: {kind}` only");
            Unused::new(format!("/{name}"), reason, format!("set `kind: {kind}`"))
        });
        of_kind.chain(self.conversation().unused()).collect()
    }

    /// What the schema cannot express, as JSON pointer and message.
    pub fn problems(&self) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if let Some(problem) = self.condition.as_ref().and_then(|condition| condition.problem()) {
            problems.push(("/condition".to_owned(), problem.to_owned()));
        }
        let mut bound = |name: &str, value: u32, min: u32, max: u32| {
            if !(min..=max).contains(&value) {
                problems.push((format!("/{name}"), format!("`{name}` must be from {min} to {max}.")));
            }
        };
        bound("times", self.times, 0, MAX_ITERATIONS);
        bound("concurrency", self.concurrency, 1, MAX_CONCURRENCY);
        bound("max_iterations", self.max_iterations, 1, MAX_ITERATIONS);
        if self.conversation && self.kind == Kind::ForEach && self.concurrency > 1 {
            let message =
                "A loop with `conversation` runs one iteration after the other: `concurrency` must be 1.";
            problems.push(("/concurrency".to_owned(), message.to_owned()));
        }
        problems.extend(self.conversation().problems());
        problems
    }
}
