//! A node's part in the workflow's memory: what it sees before its call, and what is added when it has spoken.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::memory_summary::MemorySummarizer;
use super::{REPLY_INDEX, Turn, USER_MESSAGE_INDEX};
use crate::id::{MessageId, NodeId};
use crate::memory::{DEFAULT_LABEL, MemoryChange, MemoryMode, MemoryTurn, MemoryUse, SummarizerSettings};
use crate::node::NodeContext;
use crate::prompt::{MemoryView, Partner, tokens};
use crate::provider::ModelReply;
use crate::tool::ToolContext;

/// How a node uses the workflow's memory: a part of its config.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct NodeMemory {
    /// `off`, `read`, or `readWrite`: the message and the reply are added as well. If empty, as the flow's settings say; without
    /// those, `off`.
    mode: Option<MemoryMode>,
    /// The name under which others see what this node says. If empty, "Partner just said:".
    label: Option<String>,
    /// How many of the recent turns the model sees. If empty, all that the flow keeps, by default 12.
    recent_turns: Option<NonZeroU32>,
    /// The model that summarizes older turns. If empty, the one in the flow's settings.
    summarizer: SummarizerSettings,
}

impl NodeMemory {
    /// What planning needs to know.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.mode.map_or(MemoryUse::AsFlow, MemoryUse::As)
    }
}

/// What the user message of a node comes from: something that was said elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
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
    /// What the node heard, as a turn, and whether the memory has it already.
    heard: Option<(MemoryTurn, bool)>,
}

impl<'a> MemoryAccess<'a> {
    /// The access of a node that heard this. Nothing if it may not read the memory.
    pub(crate) fn new(
        config: &'a NodeMemory,
        node_context: &'a NodeContext,
        heard: Option<&Heard>,
        model: &str,
    ) -> Option<Self> {
        node_context.memory_mode.reads().then(|| {
            let heard = heard.map(|heard| known_or_new(heard, node_context, model));
            Self { config, node_context, heard }
        })
    }

    /// The memory as the model sees it.
    pub(crate) fn view(&self) -> MemoryView {
        MemoryView {
            memory: self.node_context.memory(),
            recent_turns: self.recent_turns(),
            reader: self.node_context.activation.node.clone(),
            iteration: self.node_context.iteration(),
            partner: self.heard.as_ref().map(|(turn, _)| turn.clone()),
        }
    }

    /// Who the user message is from. A prompt of the node's own has no label: its words say what it is.
    pub(crate) fn partner(&self, heard: Option<&Heard>) -> Partner {
        let Some((turn, _)) = &self.heard else { return Partner::default() };
        let is_plain = heard.is_some_and(|heard| !heard.in_template);
        let label = turn.label.as_deref().unwrap_or(DEFAULT_LABEL);
        Partner { label: is_plain.then(|| label.to_owned()), node: turn.node.clone() }
    }

    /// The message that the user message repeats, if it repeats one.
    pub(crate) fn heard_message(&self) -> Option<&MessageId> {
        self.heard.as_ref()?.0.message.as_ref()
    }

    /// What a tool that the node's model calls may know of the memory.
    pub(crate) fn tool_context(&self) -> ToolContext {
        let round = self.node_context.iteration().unwrap_or_default();
        let reader = &self.node_context.activation.node;
        self.node_context.memory().tool_context(reader, self.recent_turns(), round)
    }

    /// Adds what the node heard and said, if it may. Summarizes the turns that are no longer recent; if that fails, the
    /// summary stays as it is.
    pub(crate) async fn remember(&self, turn: &mut Turn<'_>, reply: &ModelReply) {
        if !self.node_context.memory_mode.writes() {
            return;
        }
        let heard = self.heard.iter().filter(|(_, is_known)| !is_known).map(|(turn, _)| turn.clone());
        let said = self.turn(None, reply.text.clone(), Some(REPLY_INDEX), &turn.model.model);
        let mut change = MemoryChange { turns: heard.chain([said]).collect(), ..MemoryChange::default() };
        let mut memory = self.node_context.memory();
        memory.apply(&change);
        let kept = self.node_context.memory_settings.recent_turns();
        let overdue = memory.overdue(kept);
        if overdue > 0 {
            let older: Vec<_> = memory.turns.iter().take(overdue).map(|turn| turn.render_for_all()).collect();
            let known = memory.summary.as_deref();
            let dropped = match MemorySummarizer::of(&self.config.summarizer, turn) {
                Ok(summarizer) => summarizer.summarize(known, &older, turn).await,
                Err(fault) => Err(fault),
            };
            match dropped {
                Ok(summary) => {
                    change.summary = Some(summary);
                    change.dropped = u32::try_from(overdue).unwrap_or(u32::MAX);
                }
                Err(fault) => {
                    change.error = Some(fault);
                    change.dropped = u32::try_from(memory.forgotten(kept)).unwrap_or(u32::MAX);
                }
            }
        }
        self.node_context.change_memory(change);
    }

    /// What the node may do.
    pub(super) fn mode(&self) -> MemoryMode {
        self.node_context.memory_mode
    }

    /// Changes the memory.
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
        }
    }

    fn recent_turns(&self) -> usize {
        let flow = self.node_context.memory_settings.recent_turns();
        self.config.recent_turns.map_or(flow, |turns| flow.min(turns.get() as usize))
    }
}

/// What was heard as a turn of the memory: the one that is there, or a new one.
fn known_or_new(heard: &Heard, node_context: &NodeContext, model: &str) -> (MemoryTurn, bool) {
    let memory = node_context.memory();
    if let Some(turn) = memory.find(heard.message.as_ref(), &heard.text) {
        return (MemoryTurn::clone(turn), true);
    }
    let node = heard.message.as_ref().and_then(author_of);
    // What is no message yet becomes one: the user message of this node.
    let message = heard.message.clone().or_else(|| Some(node_context.message_id(USER_MESSAGE_INDEX)));
    let tokens = tokens::count_u32(model, &heard.text);
    (MemoryTurn { label: None, text: heard.text.clone(), node, message, tokens }, false)
}

/// The node that wrote a message of this run: its id is the activation and a number.
fn author_of(message: &MessageId) -> Option<NodeId> {
    let (activation, _) = message.as_str().rsplit_once('/')?;
    let node = activation.rsplit_once('#').map_or(activation, |(node, _)| node);
    Some(node.into())
}
