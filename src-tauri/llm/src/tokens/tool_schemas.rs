//! The size of tool schemas in tokens.

use crate::tokens::{TOKENS_PER_MESSAGE, count_cached};
use crate::tool::ToolSpec;

/// Tokens that a provider adds around each tool.
const TOKENS_PER_TOOL: u64 = TOKENS_PER_MESSAGE;

/// The tokens of the tools' names, descriptions and schemas.
pub fn tool_tokens(model: &str, tools: &[ToolSpec]) -> u64 {
    tools
        .iter()
        .map(|tool| {
            TOKENS_PER_TOOL
                + count_cached(model, &tool.name)
                + count_cached(model, &tool.description)
                + count_cached(model, &tool.parameters.to_string())
        })
        .sum()
}

#[cfg(test)]
mod tests;
