//! What earlier runs of a flow say about the size of what its nodes get: replies and answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::id::NodeId;
use plait_journal::view::{EpochView, RunView};
use plait_llm::tokens;

/// The reply of a model that says nothing about its length: a few paragraphs.
const ASSUMED_REPLY_TOKENS: u64 = 300;
/// An answer of a person: a sentence or two.
const ASSUMED_ANSWER_TOKENS: u64 = 40;
/// A value that only a run can compute or fetch.
const ASSUMED_VALUE_TOKENS: u64 = 200;
/// The summary of a loop's history.
const ASSUMED_SUMMARY_TOKENS: u64 = 200;

/// Where a size comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum SizeSource {
    /// The node's `maxTokens`.
    MaxTokens,
    /// Earlier runs, or the earlier iterations of this run.
    Measured,
    /// Nothing is known: a usual size.
    Assumed,
}

/// A number of tokens, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SizeEstimate {
    #[ts(type = "number")]
    pub tokens: u64,
    pub source: SizeSource,
}

/// What was measured of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NodeSizes {
    replies: u64,
    /// The tokens of the texts of its replies.
    reply_tokens: u64,
    answers: u64,
    answer_tokens: u64,
}

/// The sizes of what nodes said, from the runs that were looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeasuredSizes {
    nodes: BTreeMap<NodeId, NodeSizes>,
}

impl MeasuredSizes {
    /// Adds what a run says.
    pub fn add_run(&mut self, run: &RunView) {
        for (node, view) in &run.nodes {
            for epoch in &view.epochs {
                self.add_activation(node, epoch);
            }
        }
    }

    fn add_activation(&mut self, node: &NodeId, epoch: &EpochView) {
        let mut replies = epoch.calls.iter().filter_map(|call| {
            let prompt = call.prompt.as_ref().filter(|prompt| prompt.purpose.is_none())?;
            Some((prompt, call.reply.as_ref()?))
        });
        // Only the last reply of a turn becomes part of a history.
        if let Some((prompt, reply)) = replies.next_back() {
            let sizes = self.nodes.entry(node.clone()).or_default();
            sizes.replies += 1;
            sizes.reply_tokens += tokens::count(&prompt.model, &reply.text);
        }
        let answers = epoch.pauses.iter().filter(|pause| pause.tool.is_none());
        for answer in answers.filter_map(|pause| pause.answer.as_ref()) {
            if let Some(value) = answer.value() {
                let sizes = self.nodes.entry(node.clone()).or_default();
                sizes.answers += 1;
                sizes.answer_tokens += tokens::count("", &plait_core::expression::as_text(value));
            }
        }
    }

    /// The size of the replies of a node: as measured in the run that is going on (`live`), its maximum, as measured, or assumed.
    pub(super) fn reply(&self, live: &Self, node: &NodeId, max_tokens: Option<u32>) -> SizeEstimate {
        let at_most = |tokens: u64| max_tokens.map_or(tokens, |max| tokens.min(max.into()));
        let measured = |tokens| SizeEstimate { tokens: at_most(tokens), source: SizeSource::Measured };
        if let Some(tokens) = live.average_reply(node) {
            return measured(tokens);
        }
        if let Some(max) = max_tokens {
            return SizeEstimate { tokens: max.into(), source: SizeSource::MaxTokens };
        }
        match self.average_reply(node) {
            Some(tokens) => measured(tokens),
            None => SizeEstimate { tokens: ASSUMED_REPLY_TOKENS, source: SizeSource::Assumed },
        }
    }

    /// The size of the answers to a node's question.
    pub(super) fn answer(&self, live: &Self, node: &NodeId) -> u64 {
        let average = |sizes: &Self| {
            let of_node = sizes.nodes.get(node)?;
            of_node.answer_tokens.checked_div(of_node.answers)
        };
        average(live).or_else(|| average(self)).unwrap_or(ASSUMED_ANSWER_TOKENS)
    }

    fn average_reply(&self, node: &NodeId) -> Option<u64> {
        let sizes = self.nodes.get(node)?;
        sizes.reply_tokens.checked_div(sizes.replies).map(|tokens| tokens.max(1))
    }
}

/// The size of a value that only a run can compute or fetch.
pub(super) fn assumed_value() -> u64 {
    ASSUMED_VALUE_TOKENS
}

/// The size of a summary that may have so many tokens.
pub(super) fn assumed_summary(max_tokens: Option<u32>) -> u64 {
    max_tokens.map_or(ASSUMED_SUMMARY_TOKENS, |max| (u64::from(max) / 2).clamp(1, ASSUMED_SUMMARY_TOKENS))
}
