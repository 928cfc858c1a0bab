//! The lens: exactly what each model call of a run was sent, what was left out and why, and what it led to; and the
//! trace of a run, with timings, tokens and costs.
//!
//! A pure fold of a journal. A prompt record refers to messages of a history by id and to tool rounds by their step;
//! here they become texts again. Decides nothing about prompts: that is up to the prompt pipeline of the node types. Reads no
//! store: the trace of a child run is built separately, from its own journal.

mod call;
mod histories;
mod loop_turns;
mod messages;
mod request;
mod search;
mod shares;
mod trace;

use std::collections::HashMap;

use plait_core::id::{Activation, Epoch, NodeId, ReplyKey};
use plait_journal::view::{EpochView, ModelCallView, PlacedNotice, RunView};
use plait_journal::{CallEvent, Entry, Event};
use plait_llm::context::SharedMessage;

pub use call::{LeftOut, LensCall, PromptBadge, ReplyView};
use histories::Histories;
pub use loop_turns::{LoopTurnView, LoopTurnsView};
use messages::rebuild;
pub use messages::{BlockText, MessagePart, SentMessage};
pub use request::RebuiltRequest;
pub use search::{LensHit, MAX_HITS};
pub(crate) use shares::shares;
pub use shares::{PromptShare, ShareKind};
pub use trace::{TraceKind, TraceSpan};

/// A run as the lens sees it.
#[derive(Default)]
pub struct Lens {
    view: RunView,
    histories: Histories,
    /// The model calls, in the order of their prompts.
    calls: Vec<CallPlace>,
    /// The keys of the requests that were answered.
    keys: HashMap<(Activation, usize), ReplyKey>,
}

/// Which model call of a run it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallPlace {
    /// Where its prompt is in the journal.
    seq: u64,
    activation: Activation,
    /// Which of the activation's calls, from 0.
    index: usize,
}

/// Which model calls of a run are wanted. All of them by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFilter {
    pub node: Option<NodeId>,
    pub epoch: Option<Epoch>,
    /// Only this call of each activation, from 0.
    pub index: Option<usize>,
}

impl CallFilter {
    fn matches(&self, place: &CallPlace) -> bool {
        self.matches_activation(&place.activation) && self.index.is_none_or(|index| index == place.index)
    }

    fn matches_activation(&self, at: &Activation) -> bool {
        self.node.as_ref().is_none_or(|node| *node == at.node)
            && self.epoch.as_ref().is_none_or(|epoch| *epoch == at.epoch)
    }
}

impl Lens {
    /// What a journal says of the run's model calls.
    pub fn of(journal: &[Entry]) -> Self {
        let mut lens = Self::default();
        for entry in journal {
            lens.apply(entry);
        }
        lens
    }

    /// Takes in one entry.
    pub fn apply(&mut self, entry: &Entry) {
        self.view.apply(entry);
        self.histories.apply(&entry.event);
        if let Event::Call(activation, event) = &entry.event {
            self.add_call(activation, event, entry.seq.unwrap_or_default());
        }
    }

    /// The run as people see it.
    pub fn view(&self) -> &RunView {
        &self.view
    }

    /// The wanted model calls of the run in the order in which they were made.
    pub fn calls(&self, wanted: &CallFilter) -> Vec<LensCall> {
        self.calls
            .iter()
            .filter(|place| wanted.matches(place))
            .filter_map(|place| self.call_at(place))
            .collect()
    }

    /// The notices of the wanted activations that called no model. Those of others are with their calls.
    pub fn notices_without_call(&self, wanted: &CallFilter) -> Vec<PlacedNotice> {
        let has_call = |at: &Activation| self.calls.iter().any(|place| place.activation == *at);
        self.view
            .notices()
            .filter(|found| wanted.matches_activation(&found.at) && !has_call(&found.at))
            .collect()
    }

    /// One of an activation's model calls, from 0.
    pub fn call(&self, activation: &Activation, index: usize) -> Option<LensCall> {
        let is_wanted = |place: &&CallPlace| place.activation == *activation && place.index == index;
        self.calls.iter().find(is_wanted).and_then(|place| self.call_at(place))
    }

    /// The messages of one of an activation's prompts as they were sent, each with the message of the history or the step that it is.
    /// `epoch` is the view of the activation: the lens itself needs to know the histories alone.
    pub(crate) fn sent_messages(
        &self,
        epoch: &EpochView,
        activation: &Activation,
        index: usize,
    ) -> Vec<(SentMessage, Option<SharedMessage>)> {
        let prompt = epoch.calls.get(index).and_then(|call| call.prompt.as_ref());
        let messages = prompt.map(|prompt| rebuild(prompt, (activation, index), epoch, &self.histories));
        messages.unwrap_or_default().into_iter().map(|message| (message.shown, message.message)).collect()
    }

    /// The model calls with a prompt, in their order, each with the number of its prompt in the journal.
    pub(crate) fn call_places(&self) -> impl Iterator<Item = (u64, &Activation, usize)> {
        self.calls.iter().map(|place| (place.seq, &place.activation, place.index))
    }

    fn add_call(&mut self, activation: &Activation, event: &CallEvent, seq: u64) {
        let Some(epoch) = epoch_view(&self.view, activation) else { return };
        match event {
            CallEvent::PromptRendered { .. } => {
                let (index, activation) = (epoch.calls.len().saturating_sub(1), activation.clone());
                self.calls.push(CallPlace { seq, activation, index });
            }
            CallEvent::ModelReplied { step, sampling, key: Some(key), .. } => {
                let is_answered = |call: &ModelCallView| {
                    call.step == *step && call.sampling == *sampling && call.reply.is_some()
                };
                if let Some(index) = epoch.calls.iter().rposition(is_answered) {
                    self.keys.insert((activation.clone(), index), key.clone());
                }
            }
            _ => {}
        }
    }

    fn epoch(&self, activation: &Activation) -> Option<&EpochView> {
        epoch_view(&self.view, activation)
    }

    fn model_call(&self, place: &CallPlace) -> Option<(&EpochView, &ModelCallView)> {
        let epoch = self.epoch(&place.activation)?;
        Some((epoch, epoch.calls.get(place.index)?))
    }
}

fn epoch_view<'v>(view: &'v RunView, activation: &Activation) -> Option<&'v EpochView> {
    view.nodes.get(&activation.node)?.at(&activation.epoch)
}

#[cfg(test)]
mod tests;
