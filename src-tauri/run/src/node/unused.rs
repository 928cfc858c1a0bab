//! Settings without effect: what a node type says about its config at its place in the flow. What sets them is known only to
//! the check, which reports those that the flow itself sets.

use rustc_hash::FxHashSet;

use plait_core::config::Unused;
use plait_core::flow::{MemoryMode, MemorySettings, MemoryUse};

/// The part that a node has in the conversation of the loop around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopPart {
    /// There is no conversational loop around it.
    #[default]
    Outside,
    /// There is one, and what the node says is no turn of its conversation.
    Silent,
    /// There is one, and what the node says is a turn of it.
    Speaking,
}

/// What is around a node, as far as the effect of its settings depends on it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings<'a> {
    /// The inputs that an edge leads to.
    pub fed: FxHashSet<&'a str>,
    pub loop_part: LoopPart,
    /// What the flow sets for the workflow's memory.
    pub memory: MemorySettings,
}

impl Surroundings<'_> {
    /// Whether an edge leads to an input.
    pub fn feeds(&self, input: &str) -> bool {
        self.fed.contains(input)
    }

    /// What a node may do with the workflow's memory.
    pub fn memory_mode(&self, own: MemoryUse) -> MemoryMode {
        own.mode(&self.memory)
    }

    /// The settings of a node's part in a conversation of a loop: `use_history` and `pinned`.
    pub fn unused_loop_settings(&self) -> Vec<Unused> {
        let outside = |setting: &str| {
            let reason = "the node is in no loop with `conversation: true`";
            Unused::new(setting, reason, "put the node into such a loop")
        };
        match self.loop_part {
            LoopPart::Outside => vec![outside("/use_history"), outside("/pinned")],
            LoopPart::Silent => vec![Unused::new(
                "/pinned",
                "what the node says is no turn of the loop's conversation",
                "make it one with `ai_turn_source` or `user_turn_sources` of the loop",
            )],
            LoopPart::Speaking => Vec::new(),
        }
    }
}
