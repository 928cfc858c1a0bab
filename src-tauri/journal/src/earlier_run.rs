//! The run that another one is forked from, as the fork sees it: what it bought, called, was answered and waited for.
//!
//! Built from the journals of its tree alone. A fork executes its flow from the start. What an activation would buy or do outside
//! of the run it takes from here:
//!
//! - a model's reply, if the request has the same reply key: a hash of protocol, base URL and body;
//! - a tool's result, if the arguments and what the tool is are equal, and the reply that requested it is reused. Its failure as
//!   well, but only if the earlier run went on after it: the model was informed of it, or the `error` output of the node was wired;
//! - a person's answer, if the question and its schema are equal;
//! - what was found in knowledge bases, recalled from long-term memory and stored there; the end of a `delay`;
//! - in a sub-flow all of this, from a child run.
//!
//! The record of the same activation comes first, and in a fork of the same flow no other one counts: each activation finds its own.
//! In an edited flow, nodes may have other names and stand in other loops: then a record with the same key counts that nobody else has
//! taken. For replies and tool results this may be any record of
//! the tree; what depends on who asked, such as a person's answer, is taken from the same node in another iteration, or from a node
//! that the fork does not have.
//!
//! Values are computed again. Where one differs, the request that contains it differs, and nothing is found for it. Each record is
//! taken once: two samples of one prompt stay two samples. Last come the replies of any other run of the same user, where a person chose that
//! ([`OtherReplies`]). A reply that made its node fail is never taken. A fork can leave out an
//! activation and all that follows from it: for those, nothing is taken. Its [`WorldPolicy`](crate::world_policy::WorldPolicy) says
//! which results, passages and memories it asks for again, and what happens where nothing is recorded.

mod fresh;
mod nearest;
mod other_runs;
mod record;
mod tree;

use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::codes;
use crate::world_policy::{Misses, Pace};
use crate::{Answer, CallAccount, Entry, EventRef, FreshFrom};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::{Activation, ContextId, NodeId, ReplyKey, RunId};
use plait_llm::context::{SharedMessage, ToolCall};
use plait_llm::long_term_memory::{MemoryContent, MemoryRecord, Recall, RecallRequest};
use plait_llm::memory::MemoryChange;
use plait_llm::provider::ModelReply;
use plait_llm::retriever::{KnowledgeRef, Retrieval};
use plait_llm::tool::{SamplingRef, ToolResult};

pub use fresh::Fresh;
pub use nearest::{Sought, differing_words};
pub use other_runs::{OtherReplies, PurchaseClaim, ReplyTurn, reusable_replies};
pub use record::disowned_replies;
use record::{Recorded, RecordedToolCall};
use tree::Tree;
pub use tree::{EarlierTree, NotedKeys};

/// What a run takes over from the tree that its own is forked from. Clones are the same.
#[derive(Clone, Debug)]
pub struct EarlierRun {
    tree: Arc<Tree>,
    /// The run of the earlier tree that this one repeats, if there is one.
    run: Option<RunId>,
    /// The nodes of that run that this one does not have.
    gone: Arc<FxHashSet<NodeId>>,
    /// What takes nothing over.
    fresh: Option<Arc<Fresh>>,
    /// The nodes of a type that asks the world again.
    live: Arc<FxHashSet<NodeId>>,
}

/// A reply that was bought before.
#[derive(Clone, Debug)]
pub struct EarlierReply {
    pub reply: ModelReply,
    pub account: Option<Arc<CallAccount>>,
    /// The event that holds it.
    pub event: EventRef,
    /// The event of the run that bought it, if that is another one.
    pub bought: Option<EventRef>,
}

impl EarlierRun {
    /// What `run` recorded, from its journal or the beginning of it, for a fork of the same flow.
    pub fn of(run: &RunId, entries: &[Entry]) -> Self {
        let tree = Tree::of([(run.clone(), entries)], false);
        Self {
            tree: Arc::new(tree),
            run: Some(run.clone()),
            gone: Arc::default(),
            fresh: None,
            live: Arc::default(),
        }
    }

    /// The same without what these activations did.
    #[must_use]
    pub fn without(self, fresh: Fresh) -> Self {
        Self { fresh: Some(Arc::new(fresh)), ..self }
    }

    /// The same in a run of this flow, whose nodes have types.
    #[must_use]
    pub fn in_flow(self, flow: &Flow) -> Self {
        let world = self.tree.world();
        let live = flow.nodes.iter().filter(|(_, node)| world.names_type(&node.node_type));
        Self { live: Arc::new(live.map(|(id, _)| id.clone()).collect()), ..self }
    }

    /// The nodes that asked the world for anything.
    pub fn nodes_of_the_world(&self) -> impl Iterator<Item = &NodeId> {
        let run = self.tree.run(self.run.as_ref()).into_iter();
        let activations = run.flat_map(|run| &run.activations);
        activations.filter(|(_, recorded)| recorded.asked_world()).map(|(activation, _)| &activation.node)
    }

    /// Whether an activation takes nothing over.
    pub fn is_fresh(&self, activation: &Activation) -> bool {
        self.fresh.as_ref().is_some_and(|fresh| fresh.covers(activation))
    }

    /// Where the child run of an activation begins to do again what the earlier one has, if it begins inside of it.
    pub fn fresh_inside(&self, activation: &Activation) -> Option<&FreshFrom> {
        self.fresh.as_ref().and_then(|fresh| fresh.inside(activation))
    }

    /// Whether replies may be recorded under hashes of whole requests, as by earlier versions.
    pub fn has_whole_hashes(&self) -> bool {
        self.tree.has_whole_hashes()
    }

    /// Takes a reply to the request with this key: the one that the activation got in this step, for this request of a tool if for
    /// one, or else one that nobody has taken: of the earlier tree, and then of other runs, if they count.
    pub fn reply(
        &self,
        activation: &Activation,
        step: u32,
        sampling: Option<&SamplingRef>,
        key: &ReplyKey,
    ) -> Option<EarlierReply> {
        let place = (step, sampling.cloned());
        let same = self.recorded(activation).and_then(|recorded| recorded.replies.get(&place));
        let same = same.filter(|(recorded, reply)| {
            self.tree.is_same_request(recorded, &reply.event, key) && self.tree.take_reply(reply)
        });
        let reply = same.map(|(_, reply)| Arc::clone(reply)).or_else(|| self.tree.take_other_reply(key));
        reply.map(Arc::unwrap_or_clone).or_else(|| self.tree.take_from_other_runs(key))
    }

    /// What to do without such a reply: takes one that another run buys right now, or says that this run buys one.
    pub async fn reply_turn(&self, key: &ReplyKey) -> Result<ReplyTurn, Fault> {
        self.tree.reply_turn(key).await
    }

    /// Takes what an equal tool call led to: the one that the activation made in the same step, or else one that nobody has taken.
    /// Not a failure that ended the node. `binding` is the hash of what the tool's host knows besides the arguments.
    pub fn tool_result(
        &self,
        activation: &Activation,
        step: u32,
        call: &ToolCall,
        binding: Option<&str>,
    ) -> Option<(ToolResult, EventRef)> {
        if self.is_live(activation, Some(&call.name)) {
            return None;
        }
        // The latest attempt decides.
        let mut same = self.recorded_calls(activation, step, call, binding).rev();
        let same = same.find_map(|recorded| {
            let (result, seq) = recorded.reusable()?;
            let event = self.event(*seq)?;
            self.tree.take(&event).then(|| (result.clone(), event))
        });
        if same.is_some() || self.was_interrupted(activation, step, call, binding) {
            return same;
        }
        self.tree.take_other_result((&call.id, &call.name), &call.arguments, binding)
    }

    /// Whether an equal tool call, requested in the same step, was made and nobody knows what came of it.
    pub fn was_interrupted(
        &self,
        activation: &Activation,
        step: u32,
        call: &ToolCall,
        binding: Option<&str>,
    ) -> bool {
        self.recorded_calls(activation, step, call, binding).any(|recorded| recorded.result.is_none())
    }

    fn recorded_calls<'s>(
        &'s self,
        activation: &Activation,
        step: u32,
        call: &'s ToolCall,
        binding: Option<&'s str>,
    ) -> impl DoubleEndedIterator<Item = &'s RecordedToolCall> {
        let calls = self.recorded(activation).map_or(&[][..], |recorded| &recorded.tool_calls);
        calls.iter().filter(move |recorded| {
            recorded.step == step
                && recorded.call == *call
                && self.tree.is_same_tool(recorded.binding.as_deref(), self.event(recorded.seq), binding)
        })
    }

    /// Takes what a person answered to the same question. `index` counts the answers that the activation got before.
    pub fn answer(
        &self,
        activation: &Activation,
        index: usize,
        prompt: &str,
        schema: &Value,
    ) -> Option<(Answer, EventRef)> {
        self.take_first(activation, |recorded, is_same| {
            let places = if is_same { index..index + 1 } else { 0..recorded.answers.len() };
            let mut equal = recorded
                .answers
                .get(places)?
                .iter()
                .filter(|recorded| recorded.prompt == prompt && recorded.schema == *schema);
            equal.find_map(|recorded| Some((recorded.answer.clone(), self.take(recorded.seq)?)))
        })
    }

    /// The event by which the activation committed the same turn.
    pub fn turn(
        &self,
        activation: &Activation,
        context: &ContextId,
        messages: &[SharedMessage],
    ) -> Option<EventRef> {
        let turns = &self.recorded(activation)?.turns;
        let same = turns.iter().find(|(id, committed, _)| {
            let is_same = |(left, right): (&SharedMessage, &SharedMessage)| left.says_the_same(right);
            id == context && committed.len() == messages.len() && committed.iter().zip(messages).all(is_same)
        })?;
        self.event(same.2)
    }

    /// The event that made this change of the workflow's memory.
    pub fn memory(&self, activation: &Activation, change: &MemoryChange) -> Option<EventRef> {
        let (known, seq) = self.recorded(activation)?.memory.as_ref()?;
        (**known == *change).then(|| self.event(*seq)).flatten()
    }

    /// Takes what was found for the same request in the user's long-term memory.
    pub fn recalled(
        &self,
        activation: &Activation,
        request: &RecallRequest,
    ) -> Option<(Arc<Recall>, EventRef)> {
        if self.is_live(activation, None) {
            return None;
        }
        self.take_first(activation, |recorded, _| {
            let (recall, seq) = recorded.recalled.as_ref()?;
            (recall.request == *request).then(|| Some((Arc::clone(recall), self.take(*seq)?))).flatten()
        })
    }

    /// Takes what was stored in the user's long-term memory, if it says the same.
    pub fn remembered(
        &self,
        activation: &Activation,
        contents: &[MemoryContent],
    ) -> Option<(Arc<Vec<MemoryRecord>>, EventRef)> {
        self.take_first(activation, |recorded, _| {
            let (memories, seq) = recorded.remembered.as_ref()?;
            let is_same = memories.iter().map(|memory| &memory.content).eq(contents);
            is_same.then(|| Some((Arc::clone(memories), self.take(*seq)?))).flatten()
        })
    }

    /// Takes what was found for the same query in the same knowledge bases, within as many tokens.
    pub fn retrieved(
        &self,
        activation: &Activation,
        query: &str,
        bases: &[KnowledgeRef],
        max_tokens: u64,
    ) -> Option<(Arc<Retrieval>, EventRef)> {
        if self.is_live(activation, None) {
            return None;
        }
        self.take_first(activation, |recorded, _| {
            let (found, searched, seq) = recorded.retrieved.as_ref()?;
            let is_same = found.query == query && found.max_tokens == max_tokens && searched == bases;
            is_same.then(|| Some((Arc::clone(found), self.take(*seq)?))).flatten()
        })
    }

    /// Takes the child run that the activation had, or one that nobody else has.
    pub fn take_child(&self, activation: &Activation) -> Option<RunId> {
        self.take_first(activation, |recorded, _| {
            let child = recorded.child.as_ref()?;
            self.tree.take(&EventRef { run: child.clone(), seq: 0 }).then(|| child.clone())
        })
    }

    /// Whether the activation succeeded.
    pub fn has_finished(&self, activation: &Activation) -> bool {
        self.tree.run(self.run.as_ref()).is_some_and(|run| run.finished.contains(activation))
    }

    /// What happens where nothing is recorded of what an activation asks the world for: `tool`, if it calls one.
    pub fn misses(&self, activation: &Activation, tool: Option<&str>) -> Misses {
        if self.is_live(activation, tool) { Misses::Live } else { self.tree.world().misses }
    }

    /// `run.not_recorded`, if `what` is not recorded and nothing else may be asked.
    pub fn refuse_miss(
        &self,
        activation: &Activation,
        tool: Option<&str>,
        what: impl FnOnce() -> String,
    ) -> Result<(), Fault> {
        refuse(self.misses(activation, tool), what)
    }

    /// The same for a model's reply: a model is no part of the world that is asked again.
    pub fn refuse_purchase(&self, what: impl FnOnce() -> String) -> Result<(), Fault> {
        refuse(self.tree.world().misses, what)
    }

    /// Whether replies are streamed as they were when they were recorded.
    pub fn keeps_pace(&self) -> bool {
        self.tree.world().pace == Pace::Recorded
    }

    fn is_live(&self, activation: &Activation, tool: Option<&str>) -> bool {
        self.live.contains(&activation.node)
            || self.tree.world().is_live(&activation.node, self.tree.is_root(self.run.as_ref()), tool)
    }

    /// What `find` takes from the record of the activation (then its second argument is true), or from the first other one that
    /// may stand for it: of the same node, or of one that is gone.
    fn take_first<T>(
        &self,
        activation: &Activation,
        find: impl Fn(&Recorded, bool) -> Option<T>,
    ) -> Option<T> {
        if let Some(found) = self.recorded(activation).and_then(|recorded| find(recorded, true)) {
            return Some(found);
        }
        let run = self.tree.run(self.run.as_ref()).filter(|_| self.tree.is_edited())?;
        let stands_for = |other: &Activation| {
            other != activation && (other.node == activation.node || self.gone.contains(&other.node))
        };
        let mut others = run.order.iter().filter(|other| stands_for(other));
        others.find_map(|other| find(run.activations.get(other)?, false))
    }

    fn recorded(&self, activation: &Activation) -> Option<&Recorded> {
        self.tree.run(self.run.as_ref())?.activations.get(activation)
    }

    fn event(&self, seq: u64) -> Option<EventRef> {
        Some(EventRef { run: self.run.clone()?, seq })
    }

    /// Takes the record at this place of the earlier run.
    fn take(&self, seq: u64) -> Option<EventRef> {
        self.event(seq).filter(|event| self.tree.take(event))
    }
}

fn refuse(misses: Misses, what: impl FnOnce() -> String) -> Result<(), Fault> {
    if misses != Misses::Fail {
        return Ok(());
    }
    Err(Fault::new(codes::RUN_NOT_RECORDED, format!("{} is not recorded.", what())))
}

#[cfg(test)]
mod tests;
