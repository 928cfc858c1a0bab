//! What the schemas of the offered tools take of the window.

use super::tokens::{PER_MESSAGE, count_kept};
use crate::tool::ToolSpec;

/// What a tool takes beside its own text: the frame a provider puts around it.
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
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_part_of_a_tool_counts() {
        let tool = ToolSpec {
            name: "calculator".into(),
            description: "Adds numbers.".into(),
            parameters: json!({ "type": "object", "properties": { "expression": { "type": "string" } } }),
            source: "native".into(),
            instructions: None,
        };
        let one = tool_tokens("gpt-4o", std::slice::from_ref(&tool));
        assert!(one > 15, "{one}");
        assert_eq!(tool_tokens("gpt-4o", &[tool.clone(), tool.clone()]), 2 * one);
        let wordy = ToolSpec { description: "Adds numbers, and then some more numbers.".into(), ..tool };
        assert!(tool_tokens("gpt-4o", &[wordy]) > one);
        assert_eq!(tool_tokens("gpt-4o", &[]), 0);
    }
}
