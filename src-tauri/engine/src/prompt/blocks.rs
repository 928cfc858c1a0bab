//! Blocks of text that precede the latest user message, in a fixed order.
//!
//! Blocks are only sent, never stored in a history. The only kind today are the tools' instructions.

use std::sync::Arc;

use super::tokens;
use crate::context::{Content, Message, Part, SharedMessage};
use crate::tool::ToolSpec;

/// The user message as it is sent: unchanged without blocks, or a message with the same id that begins with them.
pub(super) fn with_blocks(question: &SharedMessage, tools: &[ToolSpec], model: &str) -> SharedMessage {
    let Some(blocks) = tool_instructions(tools) else { return Arc::clone(question) };
    let added = u32::try_from(tokens::count_cached(model, &blocks)).unwrap_or(u32::MAX);
    let content = match &question.content {
        Content::Text(text) => Content::Text(format!("{blocks}\n\n{text}")),
        Content::Parts(parts) => Content::Parts(
            std::iter::once(Part::Text { text: blocks }).chain(parts.iter().cloned()).collect(),
        ),
    };
    Arc::new(Message { content, tokens: question.tokens.saturating_add(added), ..Message::clone(question) })
}

fn tool_instructions(tools: &[ToolSpec]) -> Option<String> {
    let instructions = tools
        .iter()
        .filter_map(|tool| Some(format!("- {}: {}", tool.name, tool.instructions.as_deref()?.trim())));
    let instructions: Vec<_> = instructions.collect();
    (!instructions.is_empty()).then(|| format!("How to use the tools:\n{}", instructions.join("\n")))
}
