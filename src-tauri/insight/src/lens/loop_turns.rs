//! The turns of the loops of a run that have a conversation. A person can pin turns of a loop that has not ended.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::id::{Activation, Epoch, MessageId, NodeId};
use plait_journal::{Entry, Event, LoopEvent, NodeEvent};
use plait_llm::context::{Role, SharedMessage};

/// A loop with a conversation, and what was said in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoopTurnsView {
    pub node: NodeId,
    /// Its iteration outside.
    pub epoch: Epoch,
    /// What was said, oldest first.
    pub turns: Vec<LoopTurnView>,
    /// Whether neither the loop nor the run has ended.
    pub is_open: bool,
}

/// A turn of a loop's conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoopTurnView {
    pub id: MessageId,
    pub role: Role,
    /// The node that said it.
    pub node: NodeId,
    /// Its iteration.
    pub epoch: Epoch,
    pub text: String,
    pub tokens: u32,
    /// Whether no bound leaves it out.
    pub pinned: bool,
}

impl LoopTurnsView {
    /// The loops of a run that have turns, in the order in which their conversations began.
    pub fn all_in(journal: &[Entry]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for entry in journal {
            match &entry.event {
                Event::Loop(at, LoopEvent::HistoryAppended { turns, pinned }) => {
                    let turns = turns.iter().map(|turn| LoopTurnView::of(turn, pinned.contains(&turn.id)));
                    match all.iter_mut().find(|view| view.is_open_of(at)) {
                        Some(view) => view.turns.extend(turns),
                        None => all.push(Self {
                            node: at.node.clone(),
                            epoch: at.epoch.clone(),
                            turns: turns.collect(),
                            is_open: true,
                        }),
                    }
                }
                Event::Loop(at, LoopEvent::HistoryPinned { turn, pinned }) => {
                    let view = all.iter_mut().find(|view| view.is_open_of(at));
                    let turn = view.and_then(|view| view.turns.iter_mut().rfind(|known| known.id == *turn));
                    if let Some(turn) = turn {
                        turn.pinned = *pinned;
                    }
                }
                Event::Node(
                    at,
                    NodeEvent::Finished { .. } | NodeEvent::Failed { .. } | NodeEvent::Skipped { .. },
                ) => all.iter_mut().filter(|view| view.is_open_of(at)).for_each(|view| view.is_open = false),
                event if event.is_terminal() => all.iter_mut().for_each(|view| view.is_open = false),
                _ => {}
            }
        }
        all
    }

    fn is_open_of(&self, at: &Activation) -> bool {
        self.is_open && self.node == at.node && self.epoch == at.epoch
    }
}

impl LoopTurnView {
    fn of(turn: &SharedMessage, pinned: bool) -> Self {
        Self {
            id: turn.id.clone(),
            role: turn.role,
            node: turn.author.node.clone(),
            epoch: turn.author.epoch.clone(),
            text: turn.content.labeled_text(),
            tokens: turn.tokens,
            pinned,
        }
    }
}
