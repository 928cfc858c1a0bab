//! What the latest user message is sent with: blocks of text before the question itself, in a fixed order.
//!
//! Blocks are for the model only and are never stored in a history. There is one kind today, the tools' instructions.

use std::sync::Arc;

use super::tokens;
use crate::context::{Content, Message, Part, SharedMessage};
use crate::tool::ToolSpec;

/// The question as it is sent: itself where there is nothing to add, else a message of the same id that begins with the
/// blocks.
pub(super) fn with_blocks(question: &SharedMessage, tools: &[ToolSpec], model: &str) -> SharedMessage {
    let Some(blocks) = tool_instructions(tools) else { return Arc::clone(question) };
    let added = u32::try_from(tokens::count_kept(model, &blocks)).unwrap_or(u32::MAX);
    let content = match &question.content {
        Content::Text(text) => Content::Text(format!("{blocks}\n\n{text}")),
        Content::Parts(parts) => Content::Parts(
            std::iter::once(Part::Text { text: blocks }).chain(parts.iter().cloned()).collect(),
        ),
    };
    Arc::new(Message { content, tokens: question.tokens.saturating_add(added), ..Message::clone(question) })
}

fn tool_instructions(tools: &[ToolSpec]) -> Option<String> {
    let told = tools
        .iter()
        .filter_map(|tool| Some(format!("- {}: {}", tool.name, tool.instructions.as_deref()?.trim())));
    let told: Vec<_> = told.collect();
    (!told.is_empty()).then(|| format!("How to use the tools:\n{}", told.join("\n")))
}
