//! The bill of a fork: what it reuses, buys, does outside and asks again, before it starts.
//!
//! It is read from a [`Rehearsal`]: the fork itself, run in memory with everything that the earlier tree recorded. Where a reply, a
//! result or an answer is missing, the activation that needs it waits for ever, and the rest goes on. So each request is the real one,
//! and a call that the rehearsal reuses is one that the fork reuses. What comes after a missing value is not known before it is
//! bought: the nodes there have the upper bounds of the [forecast](crate::forecast), or none.

mod lines;
mod open_nodes;
mod rehearsal;
mod standing_world;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::forecast::UnknownReason;
use open_nodes::open_nodes;
use plait_core::id::{Activation, NodeId};
use plait_journal::earlier_run::EarlierTree;
use plait_journal::{CallEvent, Event, EventRef, NodeEvent, Spending};
use plait_llm::models::{Cost, ModelOverrides, Price, TokenUsage};
use plait_llm::prompt_record::PromptRecord;
use plait_llm::tool::SamplingRef;
use plait_run::codes;
use plait_run::plan::{NodeIx, Plan};

use lines::CountsByNode;
pub use lines::{BillLine, BillLineKind};
pub use rehearsal::{Rehearsal, rehearse};
use rehearsal::{RehearsedRun, Twin};
pub use standing_world::standing_host;

/// What a fork reuses, buys, does outside and asks again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Bill {
    /// All of it in a few words, such as `reuses 41, buys 3, at most $0.04; 2 unknown`.
    pub summary: String,
    /// The same as sentences.
    pub sentences: Vec<String>,
    /// The same by node, the weightiest first.
    pub lines: Vec<BillLine>,
    /// The replies that are reused, and what they cost when they were bought.
    pub reused: Spending,
    /// How many of them other runs bought than the one that is forked.
    #[serde(default)]
    #[ts(type = "number")]
    pub reused_from_others: u64,
    /// The results of tools and searches that are reused.
    #[ts(type = "number")]
    pub reused_results: u64,
    /// The answers of people that are reused.
    #[ts(type = "number")]
    pub reused_answers: u64,
    /// The model calls that are bought, as far as their requests are known.
    pub bought: Vec<BoughtCall>,
    /// The tool calls that are made again.
    pub outside: Vec<OutsideCall>,
    /// The executions that fail, since what they ask for is not recorded and nothing else may be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<BillPlace>>")]
    pub unrecorded: Vec<BillPlace>,
    /// The questions that are asked.
    pub asked: Vec<BillPlace>,
    /// The nodes that may buy more, since they come after one of these.
    pub behind: Vec<NodeBehind>,
    /// The most that all of it costs, without what has no upper bound, in billionths of a US dollar.
    #[ts(type = "number")]
    pub at_most_nano_usd: u64,
    /// The types of the nodes that asked tools, knowledge bases or memories in the earlier run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub world_types: Vec<String>,
    /// How many calls and nodes have no upper bound.
    #[ts(type = "number")]
    pub unknown: u64,
}

/// A node's execution, in the flow or in a sub-flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BillPlace {
    /// The nodes that lead to the sub-flow it is in, as `a/b`, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subflow: Option<String>,
    #[serde(flatten)]
    #[ts(flatten)]
    pub at: Activation,
}

/// A model call that is bought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BoughtCall {
    pub place: BillPlace,
    /// As `provider/model`.
    pub model: String,
    /// With the calls that its tools and the correction of its reply may add, and all attempts of its node.
    #[serde(flatten)]
    #[ts(flatten)]
    pub ceiling: Ceiling,
}

/// What something costs at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Ceiling {
    /// In billionths of a US dollar. Absent if there is no upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub at_most_nano_usd: Option<u64>,
    /// Why there is no upper bound, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unknown: Option<UnknownReason>,
}

impl From<Result<u64, UnknownReason>> for Ceiling {
    fn from(known: Result<u64, UnknownReason>) -> Self {
        match known {
            Ok(nano_usd) => Self { at_most_nano_usd: Some(nano_usd), unknown: None },
            Err(reason) => Self { at_most_nano_usd: None, unknown: Some(reason) },
        }
    }
}

/// A tool call that is made again, or for the first time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OutsideCall {
    pub place: BillPlace,
    pub tool: String,
}

/// A node that comes after a missing value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeBehind {
    /// The nodes that lead to the sub-flow it is in, as `a/b`, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subflow: Option<String>,
    pub node: NodeId,
    /// Of all its calls.
    #[serde(flatten)]
    #[ts(flatten)]
    pub ceiling: Ceiling,
}

impl Bill {
    /// The bill of a rehearsed fork of `earlier`. `models` has the prices.
    pub fn of(rehearsal: Rehearsal, models: &ModelOverrides, earlier: &EarlierTree) -> Self {
        let mut bill = Self { world_types: rehearsal.world_types(), ..Self::default() };
        let mut reused = CountsByNode::default();
        for run in rehearsal.into_runs() {
            bill.add_run(run, models, earlier, &mut reused);
        }
        let ceilings = bill.bought.iter().map(|call| &call.ceiling);
        for ceiling in ceilings.chain(bill.behind.iter().map(|node| &node.ceiling)) {
            match ceiling.at_most_nano_usd {
                Some(nano_usd) => bill.at_most_nano_usd = bill.at_most_nano_usd.saturating_add(nano_usd),
                None => bill.unknown += 1,
            }
        }
        bill.summary = words::summary(&bill);
        bill.sentences = words::sentences(&bill);
        bill.lines = lines::lines(&bill, reused);
        bill
    }

    /// Adds what a run of the tree did in the rehearsal, and to `reused_by` what its nodes reused.
    fn add_run(
        &mut self,
        run: RehearsedRun,
        models: &ModelOverrides,
        earlier: &EarlierTree,
        reused_by: &mut CountsByNode,
    ) {
        let place = |at: &Activation| BillPlace { subflow: run.subflow.clone(), at: at.clone() };
        let mut unanswered = BTreeMap::new();
        let mut unmade = BTreeMap::new();
        let mut asked = BTreeSet::new();
        let subflow = run.subflow.as_ref();
        for entry in &run.entries {
            match &entry.event {
                Event::Call(at, CallEvent::PromptRendered { step, prompt, sampling }) => {
                    unanswered.insert((at.clone(), *step, sampling.clone()), prompt);
                }
                Event::Call(at, CallEvent::ModelReplied { step, sampling, reply, account, reused, .. }) => {
                    unanswered.remove(&(at.clone(), *step, sampling.clone()));
                    reused_by.of(subflow, &at.node).replies += 1;
                    let is_of_other = |event: &EventRef| !earlier.has_run(&event.run);
                    self.reused_from_others += u64::from(reused.as_ref().is_some_and(is_of_other));
                    self.reused += Spending {
                        calls: 1,
                        tokens: reply.usage.unwrap_or_default(),
                        cost: Cost::of_call(account.as_ref().and_then(|account| account.cost_nano_usd)),
                    };
                }
                Event::Call(at, CallEvent::ToolCalled { step, call, .. }) => {
                    unmade.insert((at.clone(), *step, call.id.clone()), &call.name);
                }
                Event::Call(at, CallEvent::ToolFinished { step, call_id, reused, .. }) => {
                    unmade.remove(&(at.clone(), *step, call_id.clone()));
                    if reused.is_some() {
                        reused_by.of(subflow, &at.node).results += 1;
                        self.reused_results += 1;
                    }
                }
                Event::Call(at, CallEvent::KnowledgeRetrieved { reused: Some(_), .. }) => {
                    reused_by.of(subflow, &at.node).results += 1;
                    self.reused_results += 1;
                }
                Event::Node(at, NodeEvent::Paused { .. }) => {
                    asked.insert(at.clone());
                }
                Event::Node(at, NodeEvent::Failed { error, .. }) if error.code == codes::RUN_NOT_RECORDED => {
                    self.unrecorded.push(place(at));
                }
                Event::Node(at, NodeEvent::Answered { .. }) => {
                    asked.remove(at);
                    reused_by.of(subflow, &at.node).answers += 1;
                    self.reused_answers += 1;
                }
                _ => {}
            }
        }
        self.asked.extend(asked.iter().map(place));
        let outside =
            unmade.into_iter().map(|((at, ..), tool)| OutsideCall { place: place(&at), tool: tool.clone() });
        self.outside.extend(outside);
        let bought = unanswered.into_iter().map(|((at, _, sampling), prompt)| {
            let ceiling = call_ceiling(&run.plan, &run.twin, &at, sampling.as_ref(), prompt, models);
            let model = format!("{}/{}", prompt.provider, prompt.model);
            BoughtCall { place: place(&at), model, ceiling: ceiling.into() }
        });
        self.bought.extend(bought);
        let open = open_nodes(&run.plan, &run.entries, |node| run.twin.attempts(node));
        if !open.is_empty() {
            self.add_nodes_behind(run, &open, models);
        }
    }

    fn add_nodes_behind(&mut self, run: RehearsedRun, open: &[NodeIx], models: &ModelOverrides) {
        let RehearsedRun { subflow, plan, twin, .. } = run;
        let buys = |node: &&NodeIx| {
            let behavior = plan.nodes[**node].node.behavior();
            (behavior.is_agent && !behavior.is_pinned)
                || behavior.calls.is_some()
                || plan.nodes[**node].body.is_some()
        };
        let open: Vec<NodeIx> = open.iter().filter(buys).copied().collect();
        if open.is_empty() {
            return;
        }
        let attempts: Vec<u32> = open.iter().map(|node| twin.attempts(*node)).collect();
        let ceilings = twin.ceilings(models);
        for (node, attempts) in open.into_iter().zip(attempts) {
            let id = &plan.nodes[node].id;
            let ceiling = match &ceilings {
                Some(ceilings) => {
                    let unknown = ceilings.unknown.iter().find(|unknown| unknown.node == *id);
                    let known = ceilings.by_node.get(id).copied().map(Ok);
                    // One that the forecast does not see calls no model.
                    let Some(ceiling) = unknown.map(|one| Err(one.reason.clone())).or(known) else {
                        continue;
                    };
                    ceiling
                }
                None => Err(UnknownReason::NoPrompt),
            };
            let in_all_attempts = |nano_usd: u64| nano_usd.saturating_mul(attempts.into());
            self.behind.push(NodeBehind {
                subflow: subflow.clone(),
                node: id.clone(),
                ceiling: ceiling.map(in_all_attempts).into(),
            });
        }
    }
}

/// What a call costs at most, with those that may follow it in the same execution, in all attempts of the node.
fn call_ceiling(
    plan: &Plan,
    twin: &Twin,
    at: &Activation,
    sampling: Option<&SamplingRef>,
    prompt: &PromptRecord,
    models: &ModelOverrides,
) -> Result<u64, UnknownReason> {
    let model = || format!("{}/{}", prompt.provider, prompt.model);
    let price = models
        .price(&prompt.provider, &prompt.model)
        .ok_or_else(|| UnknownReason::NoPrice { model: model() })?;
    if dearest(price, 1_000_000_000, 1_000_000_000) == 0 {
        return Ok(0);
    }
    let output = u64::from(prompt.settings.max_tokens.ok_or(UnknownReason::NoMaxTokens)?);
    let node = plan.find(&at.node);
    let limit = node.map(|node| plan.nodes[node].node.behavior().call_limit).unwrap_or_default();
    let rounds = if prompt.tools.is_empty() { 0 } else { limit.tool_rounds };
    let others =
        if prompt.purpose.is_some() || sampling.is_some() { 0 } else { limit.repairs.saturating_add(rounds) };
    let largest = dearest(price, prompt.window.saturating_sub(prompt.reserve), output);
    let own = dearest(price, prompt.tokens, output);
    let attempts = node.map_or(1, |node| twin.attempts(node));
    Ok(own.saturating_add(largest.saturating_mul(others.into())).saturating_mul(attempts.into()))
}

/// What so many tokens cost, whether or not the prompt is written to the provider's cache.
fn dearest(price: &Price, input: u64, output: u64) -> u64 {
    let plain = TokenUsage::new(input, output);
    let cached = TokenUsage { cache_write: input, ..plain };
    price.nano_usd(&plain).max(price.nano_usd(&cached))
}

#[cfg(test)]
mod tests;
