//! The entries of a turn in the workflow's memory: the input and reply of its node, and a new summary of older turns.

use super::Turn;
use super::memory_summary::MemorySummarizer;
use crate::model_call::{MemoryAccess, REPLY_INDEX};
use plait_run::memory::MemoryChange;
use plait_run::provider::ModelReply;

impl Turn<'_> {
    /// Adds what the node received and said to the memory, if it may. Summarizes the turns that are no longer recent; if that
    /// fails, the summary stays as it is.
    pub(crate) async fn remember(&mut self, memory: &MemoryAccess<'_>, reply: &ModelReply) {
        if !memory.mode().writes() {
            return;
        }
        let said = memory.turn(None, reply.text.clone(), Some(REPLY_INDEX), &self.model.model);
        let turns = memory.new_turn().into_iter().chain([said]).collect();
        let mut change = MemoryChange { turns, ..MemoryChange::default() };
        let mut current = self.node_context.memory();
        current.apply(&change);
        let kept = self.node_context.memory_settings.recent_turns();
        let overdue = current.overdue(kept);
        if overdue > 0 {
            let older: Vec<_> = current.turns.iter().take(overdue).cloned().collect();
            let known = current.summary.as_deref();
            let summary = match MemorySummarizer::of(memory.summarizer(), self) {
                Ok(summarizer) => summarizer.summarize(known, &older, self).await,
                Err(fault) => Err(fault),
            };
            match summary {
                Ok(summary) => {
                    change.summary = Some(summary);
                    change.dropped = u32::try_from(overdue).unwrap_or(u32::MAX);
                }
                Err(fault) => {
                    change.error = Some(fault);
                    change.dropped = u32::try_from(current.forgotten(kept)).unwrap_or(u32::MAX);
                }
            }
        }
        memory.change(change);
    }
}
