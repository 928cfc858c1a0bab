//! The blocks of the latest user message: retrieval, tool instructions, workflow memory and the partner's message.
//!
//! A block is a heading and items; each item says what it is and where it comes from. The node sets the order of the blocks and how many
//! tokens each may take. What a cap leaves out is recorded. Blocks are only sent, never stored in a history. This is the
//! only place that puts them together.

mod cap;
mod memory_block;
mod tool_block;

use std::sync::Arc;

use plait_core::id::NodeId;
use plait_core::origin::Origins;
use plait_llm::context::{Content, Message, Part, SharedMessage};
use plait_llm::prompt_record::{Block, BlockCut, BlockItem, BlockKind, BlockSettings, BlockSource};
use plait_llm::tokens;
use plait_llm::tool::ToolSpec;
use plait_llm::transcript::{CarriedMessages, PromptText};

pub use memory_block::MemoryView;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct SentBlock {
    pub(super) kind: BlockKind,
    pub(super) text: String,
    pub(super) tokens: u64,
    pub(super) sources: Vec<BlockSource>,
    pub(super) origins: Origins,
    pub(super) cut: Option<BlockCut>,
}

/// The partner's message: the user message of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partner {
    /// The label that it stands under. Without one it is sent as it is.
    pub label: Option<String>,
    /// The node that said it, if that is known.
    pub node: Option<NodeId>,
}

/// What the blocks of a call are built from, besides the user message and the tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockInputs<'a> {
    /// Order and caps.
    pub settings: Option<&'a BlockSettings>,
    /// What was retrieved for this call.
    pub retrieval: Option<&'a Block>,
    /// The workflow's memory, if the node reads it.
    pub memory: Option<&'a MemoryView>,
    /// Who the user message is from.
    pub partner: Option<&'a Partner>,
}

/// The user message as it is sent, and the blocks that it consists of: none if it is sent unchanged.
pub(super) fn add_blocks(
    question: &SharedMessage,
    tools: &[ToolSpec],
    inputs: BlockInputs<'_>,
    carried: CarriedMessages<'_>,
    model: &str,
) -> (SharedMessage, Vec<SentBlock>) {
    let defaults = BlockSettings::default();
    let settings = inputs.settings.unwrap_or(&defaults);
    let label = inputs.partner.and_then(|partner| partner.label.as_deref());
    let mut blocks = Vec::new();
    let mut is_unchanged = label.is_none();
    for &kind in settings.order() {
        let block = match kind {
            BlockKind::Retrieval => inputs.retrieval.cloned(),
            BlockKind::Tools => tool_block::build(tools, model),
            BlockKind::Memory => inputs.memory.and_then(|memory| memory.build(carried, model)),
            BlockKind::Partner => Some(partner_block(question, inputs.partner, model)),
        };
        let Some(block) = block.filter(|block| !block.items.is_empty()) else { continue };
        let block = cap::apply(block, settings.caps.of(kind), model);
        is_unchanged &= kind == BlockKind::Partner && block.cut.is_none();
        blocks.push(block);
    }
    if label.is_none() && blocks.iter().any(|block| block.kind != BlockKind::Partner) {
        for block in blocks.iter_mut().filter(|block| block.kind == BlockKind::Partner) {
            block.keep_apart(model);
        }
    }
    if is_unchanged {
        return (Arc::clone(question), Vec::new());
    }
    (Arc::new(join_blocks(question, &blocks, model)), blocks)
}

fn partner_block(question: &Message, partner: Option<&Partner>, model: &str) -> Block {
    let text = question.content.text();
    // A cap is for text; attachments are always sent.
    let own_tokens = u64::from(question.tokens).saturating_sub(attachment_tokens(question, model));
    let label = partner.and_then(|partner| partner.label.clone());
    let (text, tokens) = match &label {
        Some(label) => (PromptText::turn(label, &text), own_tokens + tokens::count_cached(model, label) + 1),
        None => (PromptText::message(text), own_tokens),
    };
    let source = BlockSource::Turn { label, node: partner.and_then(|partner| partner.node.clone()) };
    Block {
        kind: BlockKind::Partner,
        heading: String::new(),
        separator: "\n",
        items: vec![BlockItem { text, source, origins: question.origins.clone(), tokens, rank: 0 }],
    }
}

pub(super) fn attachment_tokens(message: &Message, model: &str) -> u64 {
    tokens::count_attachments(model, message.content.attachments())
}

/// The user message with these blocks as its text. Attachments follow the text that they came with.
fn join_blocks(question: &Message, blocks: &[SentBlock], model: &str) -> Message {
    let tokens: u64 = blocks.iter().map(|block| block.tokens).sum();
    let tokens = tokens.saturating_add(attachment_tokens(question, model));
    let content = match &question.content {
        Content::Text(_) => {
            let texts: Vec<_> = blocks.iter().map(|block| block.text.as_str()).collect();
            Content::Text(texts.join("\n\n"))
        }
        Content::Parts(parts) => Content::Parts(blocks.iter().flat_map(|block| block.parts(parts)).collect()),
    };
    Message { content, tokens: u32::try_from(tokens).unwrap_or(u32::MAX), ..question.clone() }
}

impl SentBlock {
    /// Indents the lines after the first, which could look like turns of the memory, passages or instructions of tools.
    fn keep_apart(&mut self, model: &str) {
        let text = PromptText::beside_others(&self.text).into_string();
        if text != self.text {
            let added = tokens::count(model, &text).saturating_sub(tokens::count(model, &self.text));
            self.tokens += added;
            self.text = text;
        }
    }

    /// The block as parts of a message that consisted of `parts`.
    fn parts(&self, parts: &[Part]) -> Vec<Part> {
        let text = Part::Text { text: self.text.clone() };
        let attachments = parts.iter().filter(|part| matches!(part, Part::Attachment(_))).cloned();
        match self.kind {
            BlockKind::Partner => std::iter::once(text).chain(attachments).collect(),
            _ => vec![text],
        }
    }
}
