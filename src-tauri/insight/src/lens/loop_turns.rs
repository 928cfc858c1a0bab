//! The turns of the loops with a conversation that are open in a run: what a person can pin.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::id::{Activation, Epoch, MessageId, NodeId};
use plait_run::context::{Role, SharedMessage};
use plait_run::journal::{Entry, Event, LoopEvent, NodeEvent};

/// A loop with a conversation, and what was said in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoopTurnsView {
    /// The loop.
    pub node: NodeId,
    /// Its iteration outside.
    pub epoch: Epoch,
    /// What was said, oldest first.
    pub turns: Vec<LoopTurnView>,
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
    /// The loops of a run that have turns and have not ended, in the order in which their conversations began.
    pub fn open_in(journal: &[Entry]) -> Vec<Self> {
        let mut open: Vec<Self> = Vec::new();
        for entry in journal {
            match &entry.event {
                Event::Loop(at, LoopEvent::HistoryAppended { turns, pinned }) => {
                    let turns = turns.iter().map(|turn| LoopTurnView::of(turn, pinned.contains(&turn.id)));
                    match open.iter_mut().find(|view| view.is_of(at)) {
                        Some(view) => view.turns.extend(turns),
                        None => open.push(Self {
                            node: at.node.clone(),
                            epoch: at.epoch.clone(),
                            turns: turns.collect(),
                        }),
                    }
                }
                Event::Loop(at, LoopEvent::HistoryPinned { turn, pinned }) => {
                    let view = open.iter_mut().find(|view| view.is_of(at));
                    let turn = view.and_then(|view| view.turns.iter_mut().rfind(|known| known.id == *turn));
                    if let Some(turn) = turn {
                        turn.pinned = *pinned;
                    }
                }
                Event::Node(
                    at,
                    NodeEvent::Finished { .. } | NodeEvent::Failed { .. } | NodeEvent::Skipped { .. },
                ) => open.retain(|view| !view.is_of(at)),
                event if event.is_terminal() => open.clear(),
                _ => {}
            }
        }
        open
    }

    fn is_of(&self, at: &Activation) -> bool {
        self.node == at.node && self.epoch == at.epoch
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
