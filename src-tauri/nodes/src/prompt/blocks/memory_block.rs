//! The block with the workflow's memory: its summary, then the recent turns.

use plait_core::id::{MessageId, NodeId};
use plait_llm::context::{History, Role};
use plait_llm::memory::{MemoryTurn, WorkflowMemory};
use plait_llm::prompt_record::{Block, BlockItem, BlockKind, BlockSource};
use plait_llm::tokens;
use plait_llm::transcript::{CarriedMessages, PromptText};

/// The workflow's memory as a node sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryView {
    pub memory: WorkflowMemory,
    /// How many turns it sees at most.
    pub recent_turns: usize,
    pub reader: NodeId,
    /// The iteration of the innermost cycle around it, from 0; nothing outside of cycles.
    pub iteration: Option<u32>,
    /// The turn that is the user message of the call. It is not repeated in the block.
    pub partner: Option<MemoryTurn>,
}

impl MemoryView {
    /// The block for a call that carries these messages: a turn that is one of them is left out. Nothing if nothing is left.
    pub(super) fn build(&self, carried: CarriedMessages<'_>, model: &str) -> Option<Block> {
        let mut items = Vec::with_capacity(self.recent_turns.min(self.memory.turns.len()) + 1);
        if let Some(summary) = &self.memory.summary {
            items.push(BlockItem {
                text: PromptText::summary(&summary.text),
                source: BlockSource::Summary,
                origins: summary.origins.clone(),
                tokens: u64::from(summary.tokens) + SUMMARY_TOKENS,
                rank: 0,
            });
        }
        let recent = self.memory.recent(self.recent_turns);
        let mut rank = u32::try_from(recent.len()).unwrap_or(u32::MAX);
        let turns = self.memory.recent(self.recent_turns);
        let ids: Vec<&MessageId> = turns.filter_map(|turn| turn.message.as_ref()).collect();
        let mut known = carried.has_each(&ids).into_iter();
        for turn in recent {
            let is_carried = match &turn.message {
                Some(_) => known.next().unwrap_or_default(),
                None => is_recalled_by(carried.history, turn),
            };
            if !self.is_partner(turn) && !is_carried {
                items.push(self.item(turn, rank, model));
            }
            rank = rank.saturating_sub(1);
        }
        (!items.is_empty()).then(|| Block {
            kind: BlockKind::Memory,
            heading: self.heading(),
            separator: "\n",
            items,
        })
    }

    fn heading(&self) -> String {
        match self.iteration {
            Some(iteration) => format!("Memory of this workflow, in iteration {}:", u64::from(iteration) + 1),
            None => "Memory of this workflow:".to_owned(),
        }
    }

    fn is_partner(&self, turn: &MemoryTurn) -> bool {
        self.partner.as_ref() == Some(turn)
    }

    fn item(&self, turn: &MemoryTurn, rank: u32, model: &str) -> BlockItem {
        let label = turn.label_for(&self.reader);
        BlockItem {
            text: PromptText::turn(label, &turn.text),
            source: BlockSource::Turn { label: Some(label.to_owned()), node: turn.node.clone() },
            origins: turn.origins.clone(),
            tokens: u64::from(turn.tokens) + tokens::count_cached(model, label) + 1,
            rank,
        }
    }
}

/// The tokens of the words before a summary.
const SUMMARY_TOKENS: u64 = 8;

/// Whether the history has a turn of an earlier run of the conversation. It is not known by its message: it is the recalled
/// message with the same text.
fn is_recalled_by(history: &History, turn: &MemoryTurn) -> bool {
    history.iter().rev().any(|message| {
        message.role != Role::System && is_recalled(&message.id) && message.content.is_text(&turn.text)
    })
}

fn is_recalled(id: &MessageId) -> bool {
    id.as_str().starts_with(plait_llm::context::conversation::MESSAGE_ID_PREFIX)
}
