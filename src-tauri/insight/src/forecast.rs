//! The forecast: how the prompts of a flow will grow, when they no longer fit, and what a run may cost, before it runs.
//!
//! It is a [dry run](dry_run): the plan runs in a world in which nothing happens, with texts of the expected size in place of replies,
//! answers and results. So strategies, nested loops, blocks and tools count as they do in a run. What a forecast cannot know it names;
//! it makes up no number. Calls nobody, reads nothing, and takes bounded time.

mod dry_run;
mod filler;
mod growth;
mod measured;
mod observed;
mod repetition;
mod spending;
mod stand_in_host;
mod stand_in_node;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::lens::PromptShare;
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId};
use plait_journal::view::RunView;
use plait_llm::models::{Cost, ModelOverrides};
use plait_llm::prompt_record::PromptPurpose;
use plait_llm::tool::ToolSpec;
use plait_run::node::CallLimit;
use plait_run::plan::{NodeIx, Plan};

use dry_run::dry_run;
use growth::{Fate, Size, outlook};
pub use growth::{Outlook, WindowShare};
pub use measured::{MeasuredSizes, SizeEstimate, SizeSource};
use observed::{Observed, ObservedCall};
use repetition::{Bounds, Exits, Iterations, Repeater, around, feeds_tools, iterations};
use spending::NodeCalls;
pub use spending::{CostForecast, UnknownCost, UnknownReason};

/// How many prompts of a node are listed.
const MAX_POINTS: usize = 64;

/// What a forecast is made from, besides the plan.
pub struct ForecastRequest<'a> {
    pub flow_name: &'a str,
    /// The text that the run is to be started with.
    pub input: Option<&'a str>,
    /// Model settings and calibrations.
    pub models: Arc<ModelOverrides>,
    /// The tools that flows may name.
    pub tools: Arc<[ToolSpec]>,
    /// What earlier runs of the flow say.
    pub earlier: Arc<MeasuredSizes>,
    /// What the run says that is going on.
    pub live: Arc<MeasuredSizes>,
    /// That run, if there is one.
    pub so_far: Option<&'a RunView>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FlowForecast {
    /// The model nodes that will call a model, in the order of their first calls.
    pub nodes: Vec<NodeForecast>,
    pub cost: CostForecast,
    /// What the run that is going on has cost so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub spent: Option<Cost>,
    /// The nodes of which every output counts, since only a run knows which one it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub branching: Vec<NodeId>,
    /// Whether the flow was too large to look at all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub is_cut: bool,
}

/// The forecast of a model node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeForecast {
    pub node: NodeId,
    pub provider: String,
    pub model: String,
    #[ts(type = "number")]
    pub window: u64,
    /// What is kept for the reply.
    #[ts(type = "number")]
    pub reserve: u64,
    pub outlook: Outlook,
    /// The tokens that an iteration adds in the end.
    #[ts(type = "number")]
    pub growth: u64,
    /// The first prompts, one for each execution.
    pub points: Vec<PromptPoint>,
    /// The size of a reply. Absent if no prompt fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reply: Option<SizeEstimate>,
    pub executions: Executions,
    /// The iterations of the outermost loop or cycle around it at most, if there is one and something bounds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub iteration_limit: Option<u64>,
    /// What a call costs on average, with a reply of the expected size, in billionths of a US dollar. Absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub nano_usd_per_call: Option<u64>,
    /// What all its calls cost at most. Absent if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub at_most_nano_usd: Option<u64>,
}

/// How often a node is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Executions {
    /// The most. Absent if only people end it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub at_most: Option<u64>,
    /// Whether it is exactly that many.
    pub is_exact: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptPoint {
    pub epoch: Epoch,
    #[ts(type = "number")]
    pub tokens: u64,
    /// How it divides the window, as counted.
    pub shares: Vec<PromptShare>,
    /// Whether the run that is going on has sent it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub sent: bool,
}

/// The forecast of a plan. The faults are those of a run that cannot begin.
pub fn forecast(plan: Plan, request: &ForecastRequest<'_>) -> Result<FlowForecast, Fault> {
    let frame = Frame { exits: Exits::of(&plan), bounds: Bounds::of(&plan) };
    let (plan, observed) = dry_run(plan, request)?;
    let mut forecast = FlowForecast {
        spent: request.so_far.map(|run| run.totals.cost),
        branching: observed.branching.iter().cloned().collect(),
        is_cut: observed.is_cut,
        ..FlowForecast::default()
    };
    let groups = group_calls(&plan, &observed);
    let unlimited: BTreeSet<String> = observed
        .calls
        .iter()
        .filter(|call| call.max_tokens.is_none() && call.reply.is_some())
        .map(|call| format!("{}/{}", call.provider, call.model))
        .collect();
    let conditional = conditional_nodes(&plan, &observed);
    for CallGroup { node, purpose, calls } in &groups {
        let counted = frame.count(&plan, *node, &observed, conditional.contains(node));
        let Some(first) = calls.first() else { continue };
        let sent: Vec<&ObservedCall> = calls.iter().copied().filter(|call| call.reply.is_some()).collect();
        let spending = NodeCalls {
            calls: &sent,
            price: request.models.price(&first.provider, &first.model),
            limit: match purpose {
                None => plan.nodes[*node].node.behavior().call_limit,
                Some(_) => CallLimit::default(),
            },
            at_most: counted.executions.at_most,
            is_complete: counted.is_complete,
            has_tools: feeds_tools(&plan, *node) || calls.iter().any(|call| call.has_tools),
            unlimited: &unlimited,
        };
        let at_most = spending.at_most();
        let id = &plan.nodes[*node].id;
        match &at_most {
            Ok(nano_usd) => {
                let sum = &mut forecast.cost.at_most_nano_usd;
                *sum = sum.saturating_add(*nano_usd);
                let of_node = forecast.cost.by_node.entry(id.clone()).or_default();
                *of_node = of_node.saturating_add(*nano_usd);
            }
            Err(reason) => {
                forecast.cost.unknown.push(UnknownCost { node: id.clone(), reason: reason.clone() });
            }
        }
        if purpose.is_none() {
            let expected = spending.expected_per_call();
            let prices = (expected, at_most.ok());
            forecast.nodes.extend(node_forecast(calls, &counted, prices, request.so_far));
        }
    }
    add_unseen(&plan, &observed, &groups, &mut forecast);
    Ok(forecast)
}

/// The calls of one node for one purpose.
struct CallGroup<'a> {
    node: NodeIx,
    purpose: Option<PromptPurpose>,
    calls: Vec<&'a ObservedCall>,
}

/// The calls of each node, in the order of their first ones. Of those of one execution, only the first: what tools and repairs add is
/// not known.
fn group_calls<'a>(plan: &Plan, observed: &'a Observed) -> Vec<CallGroup<'a>> {
    let mut groups: Vec<CallGroup<'a>> = Vec::new();
    let mut places: BTreeMap<(NodeIx, bool), usize> = BTreeMap::new();
    for call in observed.calls.iter().filter(|call| call.step == 0 || call.purpose.is_some()) {
        let Some(node) = plan.find(&call.activation.node) else { continue };
        // No node writes summaries of both kinds.
        let place = *places.entry((node, call.purpose.is_some())).or_insert_with(|| {
            groups.push(CallGroup { node, purpose: call.purpose, calls: Vec::new() });
            groups.len() - 1
        });
        groups[place].calls.push(call);
    }
    groups
}

/// What the flow says about repetitions, before the dry run bounds them.
struct Frame {
    exits: Exits,
    bounds: Bounds,
}

/// How often a node is executed.
struct Counted {
    executions: Executions,
    is_complete: bool,
    outermost: Option<Iterations>,
}

impl Frame {
    fn count(&self, plan: &Plan, node: NodeIx, observed: &Observed, is_conditional: bool) -> Counted {
        let around: Vec<Repeater> = around(plan, node);
        let count = |repeater| iterations(plan, repeater, observed, &self.exits, &self.bounds);
        let mut counts: Vec<Iterations> = around.into_iter().map(count).collect();
        // The summaries of a loop are written before each of its iterations.
        if plan.nodes[node].body.is_some() {
            counts.push(count(Repeater::Loop(node)));
        }
        let product = |product: Option<u64>, one: &Iterations| {
            product.zip(one.at_most).map(|(product, count)| product.saturating_mul(count))
        };
        Counted {
            executions: Executions {
                at_most: counts.iter().fold(Some(1), product),
                is_exact: !is_conditional && counts.iter().all(|count| count.is_exact),
            },
            is_complete: !observed.is_cut && counts.iter().all(|count| count.is_complete),
            outermost: counts.first().copied(),
        }
    }
}

fn node_forecast(
    calls: &[&ObservedCall],
    counted: &Counted,
    (nano_usd_per_call, at_most_nano_usd): (Option<u64>, Option<u64>),
    so_far: Option<&RunView>,
) -> Option<NodeForecast> {
    let first = *calls.first()?;
    let mut sizes: Vec<Size> = calls.iter().map(|call| size_of(call)).collect();
    let mut points: Vec<PromptPoint> = calls
        .iter()
        .take(MAX_POINTS)
        .map(|call| PromptPoint {
            epoch: call.activation.epoch.clone(),
            tokens: call.tokens,
            shares: call.shares.clone(),
            sent: false,
        })
        .collect();
    if let Some(view) = so_far.and_then(|run| run.nodes.get(&first.activation.node)) {
        correct(&mut sizes, &mut points, view);
    }
    let (outlook, growth) = outlook(&sizes, counted.outermost.as_ref())?;
    Some(NodeForecast {
        node: first.activation.node.clone(),
        provider: first.provider.clone(),
        model: first.model.clone(),
        window: first.window,
        reserve: first.reserve,
        outlook,
        growth,
        points,
        reply: first.reply,
        executions: counted.executions,
        iteration_limit: counted.outermost.and_then(|iterations| iterations.at_most),
        nano_usd_per_call,
        at_most_nano_usd,
    })
}

fn size_of(call: &ObservedCall) -> Size {
    let fate = match call {
        ObservedCall { reply: None, .. } => Fate::Fails,
        ObservedCall { trimmed: 1.., .. } => Fate::Trimmed,
        ObservedCall { is_bounded: true, .. } => Fate::Bounded,
        _ => Fate::Whole,
    };
    let (window, reserve) = (call.window, call.reserve);
    Size { epoch: call.activation.epoch.clone(), tokens: call.tokens, window, reserve, fate }
}

/// Puts what was sent in place of what was expected. What comes later differs by as much as the last one did.
fn correct(sizes: &mut [Size], points: &mut [PromptPoint], view: &plait_journal::view::NodeView) {
    let mut offset = 0_i64;
    for (at, size) in sizes.iter_mut().enumerate() {
        let sent = view.at(&size.epoch).and_then(|epoch| {
            epoch.calls.iter().filter_map(|call| call.prompt.as_ref()).find(|prompt| prompt.purpose.is_none())
        });
        if let Some(prompt) = sent {
            offset = i64::try_from(prompt.tokens)
                .unwrap_or(i64::MAX)
                .saturating_sub(i64::try_from(size.tokens).unwrap_or(i64::MAX));
            size.tokens = prompt.tokens;
            size.fate = if prompt.omitted.is_some() { Fate::Trimmed } else { size.fate };
        } else {
            size.tokens = size.tokens.saturating_add_signed(offset);
        }
        if let Some(point) = points.get_mut(at) {
            point.tokens = size.tokens;
            point.sent = sent.is_some();
        }
    }
}

/// The nodes after one that chooses by what only a run knows: they may not run.
fn conditional_nodes(plan: &Plan, observed: &Observed) -> BTreeSet<NodeIx> {
    let mut open: Vec<NodeIx> = observed.branching.iter().filter_map(|id| plan.find(id)).collect();
    let mut seen = BTreeSet::new();
    while let Some(node) = open.pop() {
        let next = plan.nodes[node].outgoing.iter().map(|&edge| plan.edges[edge].target);
        let inside = plan.nodes[node].body.into_iter().flat_map(|body| plan.scopes[body].nodes.clone());
        for next in next.chain(inside) {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

/// Names what the dry run could not see.
fn add_unseen(plan: &Plan, observed: &Observed, groups: &[CallGroup<'_>], forecast: &mut FlowForecast) {
    let own = groups.iter().filter(|group| group.purpose.is_none());
    let seen: BTreeSet<NodeIx> = own.map(|group| group.node).collect();
    for (at, node) in plan.nodes.iter().enumerate() {
        let behavior = node.node.behavior();
        let is_seen = seen.contains(&at);
        let reason = if behavior.calls.is_some() {
            UnknownReason::Subflow
        } else if !behavior.is_agent || behavior.is_pinned || is_seen {
            continue;
        } else if observed.no_prompt.contains_key(&node.id) {
            UnknownReason::NoPrompt
        } else if observed.is_cut {
            UnknownReason::TooLarge
        } else {
            // It does not run.
            continue;
        };
        forecast.cost.unknown.push(UnknownCost { node: node.id.clone(), reason });
    }
}

#[cfg(test)]
mod tests;
