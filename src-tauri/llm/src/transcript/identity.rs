//! Which message a text is, and whether a request carries a message already.

use crate::context::History;
use plait_core::id::{Epoch, MessageId, NodeId, PortName};

/// The id of what a node said on an output, if the output is no message. Two nodes that get the value in one iteration know it by
/// the same id. In a later iteration of its reader, in which the value is held, it is said once more.
pub fn said_id(node: &NodeId, epoch: &Epoch, port: &PortName, reader: &Epoch) -> MessageId {
    if epoch.depth() < reader.depth() {
        return format!("{node}{epoch}/{port}{reader}").into();
    }
    format!("{node}{epoch}/{port}").into()
}

/// The messages that a request carries in full, so that no block repeats them.
#[derive(Clone, Copy, Debug)]
pub struct CarriedMessages<'a> {
    /// The messages of the context.
    pub history: &'a History,
    /// The turns of the loop around the node.
    pub turns: Option<&'a History>,
}

impl CarriedMessages<'_> {
    /// For each id, whether one of the messages has it, or repeats the message that has it.
    pub fn has_each(&self, ids: &[&MessageId]) -> Vec<bool> {
        let mut found = self.history.has_each(ids);
        if let Some(turns) = self.turns {
            found.iter_mut().zip(turns.has_each(ids)).for_each(|(found, in_turns)| *found |= in_turns);
        }
        found
    }
}
