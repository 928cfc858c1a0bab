//! Where activations begin to call a model or tools, found in the events of the calls.

use rustc_hash::FxHashMap;

use crate::breakpoint::Key;
use plait_journal::CallEvent;

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenCall {
    Model { step: u32 },
    ToolRound { step: u32 },
}

impl OpenCall {
    fn name(self) -> String {
        match self {
            Self::Model { step } => format!("model call {}", step + 1),
            Self::ToolRound { step } => format!("tool round {}", step + 1),
        }
    }
}

/// The last call that each open activation has begun.
#[derive(Default)]
pub(super) struct OpenCalls(FxHashMap<Key, OpenCall>);

impl OpenCalls {
    /// Notes an event of a call. Gives the name of the call if the event is the first of it. What a tool requests of a model is part of
    /// the tool's call.
    pub fn begin(&mut self, key: &Key, call: &CallEvent) -> Option<String> {
        let begun = match call {
            CallEvent::QuotaReserved { step, sampling: None, .. }
            | CallEvent::PromptRendered { step, sampling: None, .. } => OpenCall::Model { step: *step },
            CallEvent::ToolCalled { step, .. } => OpenCall::ToolRound { step: *step },
            CallEvent::ModelReplied { sampling: None, .. }
            | CallEvent::ModelFailed { sampling: None, .. } => {
                self.close(key);
                return None;
            }
            _ => return None,
        };
        if self.0.insert(key.clone(), begun) == Some(begun) {
            return None;
        }
        Some(begun.name())
    }

    /// The name of the call that an activation has open.
    pub fn open(&self, key: &Key) -> Option<String> {
        self.0.get(key).map(|call| call.name())
    }

    /// The activation starts, or starts again.
    pub fn close(&mut self, key: &Key) {
        if !self.0.is_empty() {
            self.0.remove(key);
        }
    }
}
