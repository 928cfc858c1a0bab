//! A node's part in the workflow's memory: what it sees of it, and what it may change.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::USER_MESSAGE_INDEX;
use crate::prompt::{MemoryView, Partner};
use plait_core::config::Unused;
use plait_core::flow::{MemoryMode, MemorySettings, MemoryUse, SummarizerSettings};
use plait_core::id::{MessageId, NodeId};
use plait_llm::memory::{DEFAULT_LABEL, MemoryChange, MemoryTurn};
use plait_llm::tokens;
use plait_llm::tool::ToolContext;
use plait_llm::transcript::PromptText;
use plait_run::node::NodeContext;

/// How a node uses the workflow's memory: a part of its config. The table of the configuration describes the fields that flows set, too.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct NodeMemory {
    mode: Option<MemoryMode>,
    /// The name under which others see what this node says. If empty, "Partner just said:".
    label: Option<String>,
    recent_turns: Option<NonZeroU32>,
    /// The model that summarizes older turns. If empty, the one in the flow's settings.
    summarizer: SummarizerSettings,
}

impl NodeMemory {
    /// What planning needs to know.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.mode.map_or(MemoryUse::AsFlow, MemoryUse::As)
    }

    /// The settings that have no effect in this mode.
    pub(crate) fn unused(&self, mode: MemoryMode, flow: &MemorySettings) -> Vec<Unused> {
        let unused =
            |name: &str, reason: &str, remedy: &str| Unused::new(format!("/memory/{name}"), reason, remedy);
        let mut found = Vec::new();
        if !mode.writes() {
            let reason = if mode.reads() {
                "with `mode: read` the node adds nothing to the memory"
            } else {
                "the node's `memory.mode` is `off`"
            };
            found.extend(
                ["label", "summarizer"].map(|name| unused(name, reason, "set `memory.mode: readWrite`")),
            );
        }
        let recent = flow.recent_turns();
        if !mode.reads() {
            let remedy = "set `memory.mode` to `read` or `readWrite`";
            found.push(unused("recentTurns", "the node's `memory.mode` is `off`", remedy));
        } else if self.recent_turns.is_some_and(|own| own.get() as usize > recent) {
            let reason = format!("the flow keeps {recent} turns, and a node sees no more of them");
            found.push(unused("recentTurns", &reason, "raise `recentTurns` of the flow"));
        }
        found
    }
}

/// What the user message of a node comes from: something that was said elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    /// The input that it came in by.
    pub(crate) port: &'static str,
    pub(crate) text: String,
    /// The message that it is, if it is one.
    pub(crate) message: Option<MessageId>,
    /// Whether the user message is a prompt of the node that contains it, and not the text alone.
    pub(crate) in_template: bool,
}

/// The memory as one activation uses it.
pub(crate) struct MemoryAccess<'a> {
    config: &'a NodeMemory,
    node_context: &'a NodeContext,
    /// What the node receives, as a turn, and whether the memory has it already.
    incoming: Option<(MemoryTurn, bool)>,
}

impl<'a> MemoryAccess<'a> {
    /// The access of a node that receives this. Nothing if it may not read the memory.
    pub(crate) fn new(
        config: &'a NodeMemory,
        node_context: &'a NodeContext,
        incoming: Option<&Incoming>,
        model: &str,
    ) -> Option<Self> {
        node_context.memory_mode.reads().then(|| {
            let incoming = incoming.map(|incoming| known_or_new(incoming, node_context, model));
            Self { config, node_context, incoming }
        })
    }

    /// The memory as the model sees it.
    pub(crate) fn view(&self) -> MemoryView {
        MemoryView {
            memory: self.node_context.memory(),
            recent_turns: self.recent_turns(),
            reader: self.node_context.activation.node.clone(),
            iteration: self.node_context.iteration(),
            partner: self.incoming.as_ref().map(|(turn, _)| turn.clone()),
        }
    }

    /// Who the user message is from. A prompt of the node's own has no label: its words say what it is.
    pub(crate) fn partner(&self, incoming: Option<&Incoming>) -> Partner {
        let Some((turn, _)) = &self.incoming else { return Partner::default() };
        let is_plain = incoming.is_some_and(|incoming| !incoming.in_template);
        let label = turn.label.as_deref().unwrap_or(DEFAULT_LABEL);
        Partner { label: is_plain.then(|| label.to_owned()), node: turn.node.clone() }
    }

    /// The message that the user message repeats, if it repeats one.
    pub(crate) fn incoming_message(&self) -> Option<&MessageId> {
        self.incoming.as_ref()?.0.message.as_ref()
    }

    /// What a tool that the node's model calls may know of the memory.
    pub(crate) fn tool_context(&self) -> ToolContext {
        let (memory, reader) = (self.node_context.memory(), &self.node_context.activation.node);
        ToolContext {
            workflow_summary: memory.summary.as_ref().map(|summary| summary.text.clone()),
            recent_turns: memory
                .recent(self.recent_turns())
                .map(|turn| PromptText::turn(turn.label_for(reader), &turn.text).into_string())
                .collect(),
            round: self.node_context.iteration().unwrap_or_default(),
        }
    }

    /// What the node received, if the memory does not have it yet.
    pub(super) fn new_turn(&self) -> Option<MemoryTurn> {
        self.incoming.as_ref().filter(|(_, is_known)| !is_known).map(|(turn, _)| turn.clone())
    }

    /// The node's own summarizer.
    pub(super) fn summarizer(&self) -> &SummarizerSettings {
        &self.config.summarizer
    }

    /// What the node may do.
    pub(super) fn mode(&self) -> MemoryMode {
        self.node_context.memory_mode
    }

    pub(super) fn change(&self, change: MemoryChange) {
        self.node_context.change_memory(change);
    }

    /// A turn of this node.
    pub(super) fn turn(
        &self,
        label: Option<String>,
        text: String,
        message: Option<usize>,
        model: &str,
    ) -> MemoryTurn {
        let label = label.or_else(|| self.config.label.clone()).filter(|label| !label.trim().is_empty());
        MemoryTurn {
            label,
            tokens: tokens::count_u32(model, &text),
            text,
            node: Some(self.node_context.activation.node.clone()),
            message: message.map(|index| self.node_context.message_id(index)),
            origins: self.node_context.origins(),
        }
    }

    fn recent_turns(&self) -> usize {
        let flow = self.node_context.run.memory_settings.recent_turns();
        self.config.recent_turns.map_or(flow, |turns| flow.min(turns.get() as usize))
    }
}

/// What was received as a turn of the memory: the one that is there, or a new one.
fn known_or_new(incoming: &Incoming, node_context: &NodeContext, model: &str) -> (MemoryTurn, bool) {
    let memory = node_context.memory();
    if let Some(turn) = memory.find(incoming.message.as_ref(), &incoming.text) {
        return (MemoryTurn::clone(turn), true);
    }
    let node = incoming.message.as_ref().and_then(author_of);
    // A value without a message becomes one: the user message of this node.
    let message = incoming.message.clone().or_else(|| Some(node_context.message_id(USER_MESSAGE_INDEX)));
    let tokens = tokens::count_u32(model, &incoming.text);
    let (text, origins) = (incoming.text.clone(), node_context.input_origins.clone());
    (MemoryTurn { label: None, text, node, message, origins, tokens }, false)
}

/// The node that wrote a message of this run: its id is the activation and a number.
fn author_of(message: &MessageId) -> Option<NodeId> {
    let (activation, _) = message.as_str().rsplit_once('/')?;
    let node = activation.rsplit_once('#').map_or(activation, |(node, _)| node);
    Some(node.into())
}
