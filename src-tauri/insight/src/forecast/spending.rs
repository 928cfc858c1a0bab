//! What the model calls of a run may cost, as far as that can be known before.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::observed::ObservedCall;
use plait_core::id::NodeId;
use plait_llm::models::{Price, TokenUsage};
use plait_run::node::CallLimit;

/// Why there is no upper bound for what the calls of a node cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum UnknownReason {
    NoPrice {
        model: String,
    },
    /// It sets no `maxTokens`, so a reply may have any length.
    NoMaxTokens,
    /// Nothing but a person ends the cycle that it is in.
    NoLimit,
    /// It runs another flow.
    Subflow,
    /// Its prompt depends on values that only a run has.
    NoPrompt,
    /// The flow is too large to look at all of it.
    TooLarge,
}

/// A node whose calls have no upper bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UnknownCost {
    pub node: NodeId,
    pub reason: UnknownReason,
}

/// What a run may cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CostForecast {
    /// The most that the nodes cost whose calls have an upper bound, in billionths of a US dollar.
    #[ts(type = "number")]
    pub at_most_nano_usd: u64,
    /// The others, in the order of the plan.
    pub unknown: Vec<UnknownCost>,
    /// The most that each of these nodes costs, likewise.
    #[serde(skip)]
    #[ts(skip)]
    pub(crate) by_node: BTreeMap<NodeId, u64>,
}

/// The calls of one node, for one purpose.
pub(super) struct NodeCalls<'a> {
    pub calls: &'a [&'a ObservedCall],
    pub price: Option<&'a Price>,
    pub limit: CallLimit,
    /// How many executions there are at most. Nothing if only people end them.
    pub at_most: Option<u64>,
    /// Whether these are all executions.
    pub is_complete: bool,
    /// Whether they may be offered tools: those of an MCP server are not known before a run.
    pub has_tools: bool,
    /// The models with replies of any length, as `provider/model`.
    pub unlimited: &'a BTreeSet<String>,
}

impl NodeCalls<'_> {
    /// What all of them cost at most, in billionths of a US dollar.
    pub fn at_most(&self) -> Result<u64, UnknownReason> {
        let Some(first) = self.calls.first() else { return Ok(0) };
        let model = || format!("{}/{}", first.provider, first.model);
        let price = self.price.ok_or_else(|| UnknownReason::NoPrice { model: model() })?;
        // What costs nothing needs no bound.
        if price.nano_usd(&TokenUsage::new(1_000_000_000, 1_000_000_000)) == 0 {
            return Ok(0);
        }
        let executions = self.at_most.ok_or(UnknownReason::NoLimit)?;
        // One call without a limit is enough for there to be none.
        let max_tokens: Option<Vec<u32>> = self.calls.iter().map(|call| call.max_tokens).collect();
        let max_tokens = max_tokens.and_then(|all| all.into_iter().max());
        let output = u64::from(max_tokens.ok_or(UnknownReason::NoMaxTokens)?);
        let largest = |call: &ObservedCall| price.nano_usd(&TokenUsage::new(call.room(), output));
        let upper = |call: &&&ObservedCall| {
            let input = if call.is_upper_bound(self.unlimited) { call.tokens } else { call.room() };
            price.nano_usd(&TokenUsage::new(input.min(call.room()), output))
        };
        let any = self.calls.iter().map(|call| largest(call)).max().unwrap_or_default();
        let firsts = if self.is_complete {
            self.calls.iter().map(|call| upper(&call)).fold(0, u64::saturating_add)
        } else {
            any.saturating_mul(executions)
        };
        let rounds = if self.has_tools { self.limit.tool_rounds } else { 0 };
        let others = u64::from(self.limit.repairs) + u64::from(rounds);
        Ok(firsts.saturating_add(any.saturating_mul(others).saturating_mul(executions)))
    }

    /// What one of them costs on average, with replies of the expected size.
    pub fn expected_per_call(&self) -> Option<u64> {
        let price = self.price?;
        let costs = self.calls.iter().map(|call| {
            let reply = call.reply.map_or(0, |reply| reply.tokens);
            price.nano_usd(&TokenUsage::new(call.tokens, reply))
        });
        costs.fold(0, u64::saturating_add).checked_div(self.calls.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plait_core::id::{Activation, Epoch};
    use plait_core::origin::Origins;

    fn call(max_tokens: Option<u32>) -> ObservedCall {
        ObservedCall {
            activation: Activation { node: "chat".into(), epoch: Epoch::root() },
            step: 0,
            purpose: None,
            provider: "mine".to_owned(),
            model: "m".to_owned(),
            tokens: 10,
            window: 1_000,
            reserve: 100,
            shares: Vec::new(),
            trimmed: 0,
            is_bounded: false,
            has_tools: false,
            origins: Origins::NONE,
            max_tokens,
            reply: None,
        }
    }

    #[test]
    fn one_call_without_a_limit_leaves_no_upper_bound() {
        let price = Price { input: 1.0, output: 2.0, ..Price::default() };
        let at_most = |calls: &[&ObservedCall]| {
            let limit = CallLimit::default();
            let unlimited = &BTreeSet::new();
            NodeCalls {
                calls,
                price: Some(&price),
                limit,
                at_most: Some(2),
                is_complete: true,
                has_tools: false,
                unlimited,
            }
            .at_most()
        };
        let (limited, unlimited) = (call(Some(50)), call(None));
        // 10 tokens in at 1,000 billionths of a dollar, 50 out at 2,000, twice.
        assert_eq!(at_most(&[&limited, &limited]), Ok(220_000));
        assert_eq!(at_most(&[&limited, &unlimited]), Err(UnknownReason::NoMaxTokens));
    }
}
