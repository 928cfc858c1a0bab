//! The settings of a loop's conversation: keys of the loop's config, with the names of the pipeline format in every file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::transcript::HistoryTemplate;
use plait_core::config::Unused;
use plait_core::config::{DEFAULT_MAX_TOKENS, DEFAULT_MAX_TURNS, DEFAULT_SUMMARIZE_RATIO};
use plait_core::id::NodeId;

/// The entry of `user_turn_sources` that stands for all nodes that ask a person.
pub const HITL: &str = "hitl";
/// The entry of `user_turn_sources` that stands for the nodes in `named_steps`.
pub const NAMED_STEPS: &str = "named_steps";

/// How a history is kept within bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum HistoryStrategy {
    /// The newest turns that fit into `max_tokens`.
    #[default]
    TruncateTokens,
    /// The newest `max_turns` turns.
    TruncateTurns,
    /// The oldest turns are condensed into a summary where they exceed `max_tokens` (and `max_turns`, if set).
    Summarize,
}

/// How many turns are sent to models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryManagement {
    /// `truncate_tokens`, `truncate_turns` or `summarize`.
    pub strategy: HistoryStrategy,
    /// For `truncate_tokens` and `summarize`: the most tokens of turns that are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shown-if" = { "strategy": ["truncate_tokens", "summarize"] }))]
    pub max_tokens: Option<u32>,
    /// For `truncate_turns`, and for `summarize` if set: the most turns that are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shown-if" = { "strategy": ["truncate_turns", "summarize"] }))]
    pub max_turns: Option<u32>,
    /// For `summarize`: a `chat` node of the flow whose provider, model and prompt write the summaries. It does not run as a
    /// step unless it is connected. If empty, that of the settings, or the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "node", "x-node-type" = "chat", "x-shown-if" = { "strategy": "summarize" }))]
    pub summarizer_agent: Option<NodeId>,
    /// For `summarize`: the proportion of the turns that a summary condenses, oldest first. One that is not between 0 and 1 is
    /// not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shown-if" = { "strategy": "summarize" }))]
    pub summarize_ratio: Option<f64>,
}

impl HistoryManagement {
    /// The most tokens of turns that are sent, if tokens are bounded.
    pub fn token_bound(&self) -> Option<u32> {
        let bounds_tokens = self.strategy != HistoryStrategy::TruncateTurns;
        bounds_tokens.then(|| self.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS))
    }

    /// The most turns that are sent, if their number is bounded.
    pub fn turn_bound(&self) -> Option<u32> {
        match self.strategy {
            HistoryStrategy::TruncateTokens => None,
            HistoryStrategy::TruncateTurns => Some(self.max_turns.unwrap_or(DEFAULT_MAX_TURNS)),
            HistoryStrategy::Summarize => self.max_turns,
        }
    }

    /// The settings that a loop takes from wider layers if it does not set them.
    pub const INHERITED: [&str; 4] = ["strategy", "max_tokens", "max_turns", "summarize_ratio"];

    /// Whether the strategy uses a setting.
    pub fn reads(&self, name: &str) -> bool {
        match name {
            "strategy" => true,
            "max_tokens" => self.strategy != HistoryStrategy::TruncateTurns,
            "max_turns" => self.strategy != HistoryStrategy::TruncateTokens,
            _ => self.strategy == HistoryStrategy::Summarize,
        }
    }

    /// The settings that have no effect beside the others.
    fn unused(&self) -> Vec<Unused> {
        let strategy = match self.strategy {
            HistoryStrategy::TruncateTokens => "truncate_tokens",
            HistoryStrategy::TruncateTurns => "truncate_turns",
            HistoryStrategy::Summarize => "summarize",
        };
        let bounds = ["max_tokens", "max_turns", "summarizer_agent", "summarize_ratio"];
        let others = bounds.iter().filter(|name| !self.reads(name));
        let unused = |name: &&str| {
            let remedy = match *name {
                "max_turns" => "set `strategy` to `truncate_turns` or `summarize`",
                "max_tokens" => "set `strategy` to `truncate_tokens` or `summarize`",
                _ => "set `strategy: summarize`",
            };
            let reason = format!("the strategy `{strategy}` does not use it");
            Unused::new(format!("/history_management/{name}"), reason, remedy)
        };
        let mut found: Vec<_> = others.map(unused).collect();
        if let Some(ratio) = self
            .summarize_ratio
            .filter(|ratio| self.strategy == HistoryStrategy::Summarize && !is_ratio(*ratio))
        {
            let reason = format!("{ratio} is not between 0 and 1, so {DEFAULT_SUMMARIZE_RATIO} counts");
            let remedy = "write a number between 0 and 1";
            found.push(Unused::new("/history_management/summarize_ratio", reason, remedy));
        }
        found
    }

    /// The proportion of the turns that a summary condenses.
    pub fn ratio(&self) -> f64 {
        self.summarize_ratio.filter(|ratio| is_ratio(*ratio)).unwrap_or(DEFAULT_SUMMARIZE_RATIO)
    }
}

/// Whether a proportion is one that a summary can condense.
fn is_ratio(ratio: f64) -> bool {
    ratio > 0.0 && ratio < 1.0
}

/// How much of a history may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryBounds {
    /// Tokens of all turns together, as they are counted for messages.
    pub max_tokens: Option<u64>,
    /// The number of turns; a summary counts as one.
    pub max_turns: Option<usize>,
    /// The tokens that the model's window has left for turns.
    pub window_room: Option<u64>,
}

/// Which outputs of model nodes become turns of the assistant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AiTurnSource {
    /// That of the last node of the body, if it is a model node.
    #[default]
    Last,
    /// Those of all model nodes of the body.
    AllAgents,
    /// Those of the nodes in `named_steps`.
    NamedSteps,
}

/// How a history begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryInit {
    /// What the conversation begins with.
    pub history: HistoryStart,
}

/// What a conversation begins with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryStart {
    /// The first turn.
    pub start_with: StartWith,
}

/// The first turn of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StartWith {
    /// Whether the loop's input is the first turn, said by the user, unless it is empty.
    pub from_initial_input: bool,
    /// What stands before that turn for models that take a prompt only.
    pub prefix: String,
}

impl Default for StartWith {
    fn default() -> Self {
        Self { from_initial_input: true, prefix: String::new() }
    }
}

/// The conversation of a loop. A config that lists these fields itself, instead of flattening this struct, gets errors that say
/// at which of them they are.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConversationSettings {
    /// Whether the model nodes in the loop share a history of what was said in its iterations.
    pub conversation: bool,
    /// How the history is kept within bounds.
    pub history_management: HistoryManagement,
    /// Which outputs of model nodes become turns of the assistant: `last`, `all_agents` or `named_steps`.
    pub ai_turn_source: AiTurnSource,
    /// The nodes that `named_steps` stands for.
    pub named_steps: Vec<NodeId>,
    /// The nodes whose outputs become turns of the user: `hitl` for all that ask a person, `named_steps`, or the ids of
    /// nodes.
    pub user_turn_sources: Vec<String>,
    /// How turns are written for models that take a prompt only, as a template over `history`, whose items have a `role` and
    /// a `content`.
    pub history_template: Option<HistoryTemplate>,
    /// How the history begins.
    pub init: HistoryInit,
}

impl Default for ConversationSettings {
    fn default() -> Self {
        Self {
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

impl ConversationSettings {
    /// Whether what this model node outputs becomes a turn of the assistant. `last` is the last node of the body.
    pub fn is_ai_source(&self, node: &NodeId, last: Option<&NodeId>) -> bool {
        match self.ai_turn_source {
            AiTurnSource::Last => last == Some(node),
            AiTurnSource::AllAgents => true,
            AiTurnSource::NamedSteps => self.named_steps.contains(node),
        }
    }

    /// Whether what this node outputs becomes a turn of the user. `asks_person` says whether it asks a person.
    pub fn is_user_source(&self, node: &NodeId, asks_person: bool) -> bool {
        self.user_turn_sources.iter().any(|source| match source.as_str() {
            HITL => asks_person,
            NAMED_STEPS => self.named_steps.contains(node),
            id => id == node.as_str(),
        })
    }

    /// All nodes that the settings name, with the place of each as a JSON pointer within the config.
    pub fn named_nodes(&self) -> impl Iterator<Item = (String, &str)> {
        let steps = self.named_steps.iter().enumerate();
        let steps = steps.map(|(at, id)| (format!("/named_steps/{at}"), id.as_str()));
        let sources = self.user_turn_sources.iter().enumerate();
        let sources = sources
            .filter(|(_, source)| !matches!(source.as_str(), HITL | NAMED_STEPS))
            .map(|(at, id)| (format!("/user_turn_sources/{at}"), id.as_str()));
        let summarizer = self.history_management.summarizer_agent.iter();
        let summarizer =
            summarizer.map(|id| ("/history_management/summarizer_agent".to_owned(), id.as_str()));
        steps.chain(sources).chain(summarizer)
    }

    /// The settings that have no effect beside the others.
    pub fn unused(&self) -> Vec<Unused> {
        if !self.conversation {
            const OF_CONVERSATIONS: [&str; 6] = [
                "/history_management",
                "/ai_turn_source",
                "/named_steps",
                "/user_turn_sources",
                "/history_template",
                "/init",
            ];
            let unused = |name| Unused::new(name, "the loop has no conversation", "set `conversation: true`");
            return OF_CONVERSATIONS.into_iter().map(unused).collect();
        }
        let mut unused = self.history_management.unused();
        let uses_names = self.ai_turn_source == AiTurnSource::NamedSteps
            || self.user_turn_sources.iter().any(|source| source == NAMED_STEPS);
        if !uses_names {
            let reason = "neither `ai_turn_source` nor `user_turn_sources` is `named_steps`";
            unused.push(Unused::new("/named_steps", reason, "set `ai_turn_source: named_steps`"));
        }
        if !self.init.history.start_with.from_initial_input {
            let reason = "with `from_initial_input: false` the history does not begin with the input";
            unused.push(Unused::new("/init/history/start_with/prefix", reason, ""));
        }
        unused
    }

    /// What the schema of the config cannot express, as JSON pointer within the config and message.
    pub fn problems(&self) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        let mut add = |pointer: &str, message: &str| problems.push((pointer.to_owned(), message.to_owned()));
        let HistoryManagement { max_tokens, max_turns, .. } = self.history_management;
        for (name, bound) in [("max_tokens", max_tokens), ("max_turns", max_turns)] {
            if bound == Some(0) {
                add(
                    &format!("/history_management/{name}"),
                    &format!(
                        "`{name}` must be at least 1. With `use_history: false` a node gets no history."
                    ),
                );
            }
        }
        let uses_names = self.user_turn_sources.iter().any(|source| source == NAMED_STEPS);
        if self.named_steps.is_empty() {
            if self.ai_turn_source == AiTurnSource::NamedSteps {
                add("/named_steps", "`ai_turn_source` is `named_steps`, but `named_steps` lists no node.");
            } else if uses_names {
                add(
                    "/named_steps",
                    "`user_turn_sources` has `named_steps`, but `named_steps` lists no node.",
                );
            }
        }
        if self.ai_turn_source == AiTurnSource::NamedSteps {
            if uses_names && !self.named_steps.is_empty() {
                add(
                    "/user_turn_sources",
                    "What the nodes in `named_steps` say cannot be turns of the user and of the assistant at once.",
                );
            }
            for (at, source) in self.user_turn_sources.iter().enumerate() {
                if self.named_steps.iter().any(|step| step.as_str() == source) {
                    add(
                        &format!("/user_turn_sources/{at}"),
                        &format!(
                            "What `{source}` says cannot be a turn of the user and of the assistant at once: it is in `named_steps`, too."
                        ),
                    );
                }
            }
        }
        if let Some(problem) = self.history_template.as_ref().and_then(HistoryTemplate::problem) {
            add("/history_template", problem);
        }
        problems
    }
}

#[cfg(test)]
mod tests;
