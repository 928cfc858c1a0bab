//! The size of tool schemas in tokens.

use super::tokens::{PER_MESSAGE, count_kept};
use crate::tool::ToolSpec;

/// Tokens that a provider adds around each tool.
const PER_TOOL: u64 = PER_MESSAGE;

/// The tokens of the tools' names, descriptions and schemas.
pub fn tool_tokens(model: &str, tools: &[ToolSpec]) -> u64 {
    tools
        .iter()
        .map(|tool| {
            PER_TOOL
                + count_kept(model, &tool.name)
                + count_kept(model, &tool.description)
                + count_kept(model, &tool.parameters.to_string())
        })
        .sum()
}

#[cfg(test)]
mod tests;
