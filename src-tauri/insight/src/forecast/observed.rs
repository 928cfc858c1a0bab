//! What a dry run shows: each prompt with its size, what did not fit, and what only a run can tell.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Deserialize;

use super::measured::{MeasuredSizes, SizeEstimate};
use crate::lens::{PromptShare, shares};
use plait_core::error::Fault;
use plait_core::id::{Activation, NodeId};
use plait_core::origin::{OriginKind, Origins};
use plait_journal::{CallEvent, Entry, Event, LoopEvent};
use plait_llm::prompt_record::{OmissionReason, PromptPurpose, PromptRecord};
use plait_run::plan::NodeIx;

/// A loop or a cycle: its node or entry, and how many counters the epochs of its iterations have.
pub(super) type RepeaterKey = (NodeId, usize);

/// One prompt of a dry run.
#[derive(Clone, Debug)]
pub(super) struct ObservedCall {
    pub activation: Activation,
    /// Which of the activation's calls, from 0.
    pub step: u32,
    pub purpose: Option<PromptPurpose>,
    pub provider: String,
    pub model: String,
    pub tokens: u64,
    pub window: u64,
    pub reserve: u64,
    pub shares: Vec<PromptShare>,
    /// How many messages and turns did not fit the window.
    pub trimmed: u64,
    /// Whether a strategy left out turns of a loop, so that the prompt stays within bounds.
    pub is_bounded: bool,
    pub has_tools: bool,
    /// Where the prompt comes from: without an origin that only a run knows, its size is that of the real one.
    pub origins: Origins,
    pub max_tokens: Option<u32>,
    /// Nothing if it was not sent, since it does not fit at all.
    pub reply: Option<SizeEstimate>,
}

/// What the fault `context.too_large` says.
#[derive(Deserialize)]
struct TooLargeDetails {
    provider: String,
    model: String,
    over: u64,
    window: u64,
    reserve: u64,
}

/// What a dry run shows.
#[derive(Debug, Default)]
pub(super) struct Observed {
    pub calls: Vec<ObservedCall>,
    /// Model nodes that could not build a prompt without real values, with the reason.
    pub no_prompt: BTreeMap<NodeId, Fault>,
    /// Nodes that chose between outputs by a value that only a run knows. All their outputs were taken.
    pub branching: BTreeSet<NodeId>,
    /// Loops with a condition on a value that only a run knows.
    pub untested: BTreeSet<NodeId>,
    /// The number of items of each `forEach`; nothing if only a run knows it.
    pub items: BTreeMap<NodeIx, Option<u64>>,
    /// The greatest number of iterations of a loop or a cycle.
    pub iterations: BTreeMap<RepeaterKey, u64>,
    /// The loops and cycles that would have gone on.
    pub exhausted: BTreeSet<RepeaterKey>,
    /// Whether it ended early, since it was too large.
    pub is_cut: bool,
    /// Requests without a journaled prompt yet.
    requests: VecDeque<(Option<u32>, SizeEstimate)>,
    serial: u64,
    /// The tokens of all values that were made up.
    pub filler_tokens: u64,
}

/// What stands in for the world shares.
pub(super) struct Shared {
    pub observed: Mutex<Observed>,
    pub earlier: Arc<MeasuredSizes>,
    pub live: Arc<MeasuredSizes>,
    pub loops: BTreeSet<NodeId>,
}

impl Observed {
    /// A number that no value has had.
    pub fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// A request was answered; its prompt follows in the journal.
    pub fn add_request(&mut self, max_tokens: Option<u32>, reply: SizeEstimate) {
        self.requests.push_back((max_tokens, reply));
    }

    /// A prompt does not fit at all.
    pub fn add_too_large(&mut self, at: &Activation, fault: &Fault) {
        let Ok(details) = TooLargeDetails::deserialize(&fault.details) else { return };
        let TooLargeDetails { provider, model, over, window, reserve } = details;
        self.calls.push(ObservedCall {
            activation: at.clone(),
            step: 0,
            purpose: None,
            provider,
            model,
            tokens: window.saturating_sub(reserve).saturating_add(over),
            window,
            reserve,
            shares: Vec::new(),
            trimmed: 0,
            is_bounded: false,
            has_tools: false,
            origins: Origins::NONE,
            max_tokens: None,
            reply: None,
        });
    }

    /// Adds a journaled event.
    pub fn follow(&mut self, entries: &[Entry]) {
        for entry in entries {
            match &entry.event {
                Event::Call(at, CallEvent::PromptRendered { step, prompt, sampling: None }) => {
                    self.add_prompt(at, *step, prompt);
                }
                Event::Loop(at, LoopEvent::IterationStarted | LoopEvent::Iteration) => {
                    let number = at.epoch.0.last().map_or(0, |counter| u64::from(*counter) + 1);
                    let most = self.iterations.entry((at.node.clone(), at.epoch.depth())).or_default();
                    *most = number.max(*most);
                }
                Event::Loop(at, LoopEvent::Exhausted { .. }) => {
                    self.exhausted.insert((at.node.clone(), at.epoch.depth()));
                }
                _ => {}
            }
        }
    }

    fn add_prompt(&mut self, at: &Activation, step: u32, prompt: &PromptRecord) {
        let (max_tokens, reply) = self.requests.pop_front().unzip();
        let turns = prompt.conversation.iter().flat_map(|conversation| &conversation.left_out);
        let by_window = turns.clone().filter(|turns| turns.reason == OmissionReason::Window);
        let trimmed = by_window.map(|turns| turns.count).sum::<u64>();
        let is_bound = |reason| !matches!(reason, OmissionReason::Window | OmissionReason::OwnMessage);
        self.calls.push(ObservedCall {
            activation: at.clone(),
            step,
            purpose: prompt.purpose,
            provider: prompt.provider.clone(),
            model: prompt.model.clone(),
            tokens: prompt.tokens,
            window: prompt.window,
            reserve: prompt.reserve,
            shares: shares(prompt, &[]),
            trimmed: trimmed + prompt.omitted.as_ref().map_or(0, |omitted| omitted.count),
            is_bounded: turns.into_iter().any(|turns| is_bound(turns.reason)),
            has_tools: !prompt.tools.is_empty(),
            origins: prompt.origins(),
            max_tokens: max_tokens.flatten(),
            reply,
        });
    }
}

impl ObservedCall {
    /// The most tokens that a prompt may have beside the reserve.
    pub fn room(&self) -> u64 {
        self.window.saturating_sub(self.reserve)
    }

    /// Whether the size of the prompt is the real one or larger, if replies stay within their limits. `unlimited` are
    /// the models with replies of any length, as `provider/model`.
    pub fn is_upper_bound(&self, unlimited: &BTreeSet<String>) -> bool {
        self.origins.iter().all(|origin| match origin {
            plait_core::origin::Origin::Model(model) => !unlimited.contains(model),
            other => other.kind() == OriginKind::Model,
        })
    }
}
