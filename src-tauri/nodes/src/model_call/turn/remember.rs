//! The entries of a turn in the workflow's memory: the input and reply of its node, and a new summary of older turns.

use super::Turn;
use super::memory_summary::MemorySummarizer;
use crate::model_call::{MemoryAccess, REPLY_INDEX};
use plait_llm::memory::MemoryChange;
use plait_llm::provider::ModelReply;

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
        let overdue_before = current.overdue(self.node_context.run.memory_settings.recent_turns());
        current.apply(&change);
        let kept = self.node_context.run.memory_settings.recent_turns();
        if self.node_context.memory_is_read_later
            && is_summary_due(kept, overdue_before, current.overdue(kept))
        {
            // Half of the recent turns at once, so that a summary is bought once in a while and not for each turn.
            let folded = current.overdue(kept - kept / 2);
            let older: Vec<_> = current.turns.iter().take(folded).cloned().collect();
            let known = current.summary.as_deref();
            let summary = match MemorySummarizer::of(memory.summarizer(), self) {
                Ok(summarizer) => summarizer.summarize(known, &older, self).await,
                Err(fault) => Err(fault),
            };
            match summary {
                Ok(summary) => {
                    change.summary = Some(summary);
                    change.dropped = u32::try_from(folded).unwrap_or(u32::MAX);
                }
                Err(fault) => {
                    self.node_context.notice(fault.clone());
                    change.error = Some(fault);
                    change.dropped = u32::try_from(current.forgotten(kept)).unwrap_or(u32::MAX);
                }
            }
        }
        memory.change(change);
    }
}

/// Whether a summary is due, with so many turns that have left the recent ones before and after a change. After one that failed, the
/// next waits for as many turns as one summary folds.
fn is_summary_due(kept: usize, before: usize, after: usize) -> bool {
    let attempts = |overdue: usize| overdue.div_ceil((kept / 2).max(1));
    attempts(after) > attempts(before)
}

#[cfg(test)]
mod tests {
    use super::is_summary_due;

    #[test]
    fn summary_is_due_once_for_as_many_turns_as_it_folds() {
        let due = |overdue: std::ops::RangeInclusive<usize>| {
            overdue.filter(|at| is_summary_due(12, at - 1, *at)).collect::<Vec<_>>()
        };
        assert_eq!(due(1..=20), [1, 7, 13, 19]);
        assert!(is_summary_due(12, 5, 7), "a step may add several turns");
        assert!(!is_summary_due(12, 0, 0));
        assert!(is_summary_due(1, 1, 2));
    }
}
