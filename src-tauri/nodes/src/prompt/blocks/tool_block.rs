//! The block with the instructions of tools.

use plait_core::origin::Origins;
use plait_llm::prompt_record::{Block, BlockItem, BlockKind, BlockSource};
use plait_llm::tokens;
use plait_llm::tool::ToolSpec;
use plait_llm::transcript::PromptText;

const HEADING: &str = "How to use the tools:";

/// The instructions of those tools that have some.
pub(super) fn build(tools: &[ToolSpec], model: &str) -> Option<Block> {
    let with_instructions = tools.iter().filter_map(|tool| Some((tool, tool.instructions.as_deref()?)));
    let items: Vec<_> = (0..)
        .zip(with_instructions)
        .map(|(rank, (tool, instructions))| {
            let text = PromptText::instructions(&tool.name, instructions.trim());
            let tokens = tokens::count_cached(model, &text) + 1;
            let source = BlockSource::Tool { name: tool.name.clone() };
            BlockItem { text, source, origins: Origins::NONE, tokens, rank }
        })
        .collect();
    (!items.is_empty()).then(|| Block {
        kind: BlockKind::Tools,
        heading: HEADING.to_owned(),
        separator: "\n",
        items,
    })
}
