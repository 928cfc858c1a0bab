//! What the runs that agents begin may cost together.
//!
//! A run reserves its share before it starts, and runs under a quota of that share. When it has ended, what it did not spend is given
//! back.

use std::sync::Arc;

use parking_lot::Mutex;
use plait_api::ErrorReply;
use plait_core::quota::{OnExceeded, Quota};
use plait_llm::models::Cost;

use crate::codes;

/// Billionths of a US dollar in one.
const NANO: f64 = 1e9;

#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    /// What is spent or reserved.
    taken: Mutex<u64>,
}

impl Budget {
    pub(crate) fn new(limit_nano_usd: u64) -> Self {
        Self { limit: limit_nano_usd, taken: Mutex::new(0) }
    }

    /// Reserves a share: `wanted` US dollars, or all that is left. `agent.spent` if there is less, `command.arguments` if it
    /// is none.
    pub(crate) fn reserve(self: &Arc<Self>, wanted: Option<f64>) -> Result<Share, ErrorReply> {
        if wanted.is_some_and(|wanted| nano_usd(wanted) == 0) {
            let message = "`maxUsd` is an amount of US dollars above 0.";
            return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message));
        }
        let mut taken = self.taken.lock();
        let left = self.limit.saturating_sub(*taken);
        let nano_usd = wanted.map_or(left, nano_usd);
        if nano_usd == 0 || nano_usd > left {
            let message = format!(
                "Of the ${:.2} that agents may spend, ${:.4} is left{}.",
                usd(self.limit),
                usd(left),
                wanted.map(|wanted| format!(", and the run may cost ${wanted}")).unwrap_or_default()
            );
            return Err(ErrorReply::new(codes::AGENT_SPENT, message).hint(
                "Wait for the runs that have not ended, or lower `maxUsd`. Only the person can raise the limit.",
            ));
        }
        *taken += nano_usd;
        Ok(Share { budget: Arc::clone(self), nano_usd })
    }
}

/// What one run may cost. Given back whole if it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    nano_usd: u64,
}

impl Share {
    /// The quota of a run with this share, under the quota that holds for it anyway. Of that one a question becomes a stop: what may be
    /// spent here, the person has said already.
    pub(crate) fn quota(&self, own: Option<&Quota>) -> Quota {
        let own = own.cloned().unwrap_or_default();
        let on_exceeded = match own.on_exceeded {
            OnExceeded::Ask => OnExceeded::Stop,
            other => other,
        };
        let share = usd(self.nano_usd);
        Quota { usd: Some(own.usd.map_or(share, |own| own.min(share))), on_exceeded, ..own }
    }

    /// Gives back what the ended run did not spend. What calls without a known cost were reserved for counts as spent.
    pub(crate) fn settle(mut self, cost: Cost) {
        if cost.unpriced == 0 {
            let spent = cost.nano_usd.min(self.nano_usd);
            *self.budget.taken.lock() -= self.nano_usd - spent;
        }
        self.nano_usd = 0;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.budget.taken.lock() -= self.nano_usd;
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
/// Billionths of a US dollar.
pub fn nano_usd(usd: f64) -> u64 {
    (usd * NANO).round() as u64
}

#[expect(clippy::cast_precision_loss, reason = "amounts of money are far below 2^53 billionths")]
fn usd(nano: u64) -> f64 {
    nano as f64 / NANO
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(usd: f64) -> Arc<Budget> {
        Arc::new(Budget::new(nano_usd(usd)))
    }

    fn cost(usd: f64) -> Cost {
        Cost { nano_usd: nano_usd(usd), unpriced: 0 }
    }

    #[test]
    fn ended_run_gives_back_what_it_did_not_spend() {
        let budget = budget(1.0);
        let first = budget.reserve(None).unwrap();
        assert_eq!(budget.reserve(Some(0.1)).unwrap_err().code, codes::AGENT_SPENT);
        first.settle(cost(0.25));
        assert_eq!(budget.reserve(Some(0.76)).unwrap_err().code, codes::AGENT_SPENT);
        drop(budget.reserve(Some(0.75)).unwrap());
        assert_eq!(budget.reserve(None).unwrap().quota(None).usd, Some(0.75));
        for nothing in [0.0, -1.0, 1e-12, f64::NAN] {
            assert_eq!(
                budget.reserve(Some(nothing)).unwrap_err().code,
                codes::COMMAND_ARGUMENTS,
                "{nothing}"
            );
        }
    }

    #[test]
    fn share_of_calls_without_known_cost_is_spent() {
        let budget = budget(1.0);
        budget.reserve(Some(0.4)).unwrap().settle(Cost { nano_usd: 0, unpriced: 1 });
        assert_eq!(budget.reserve(None).unwrap().quota(None).usd, Some(0.6));
    }

    #[test]
    fn lower_quota_of_the_flow_holds() {
        let own = Quota { usd: Some(0.1), tokens: Some(5), on_exceeded: OnExceeded::Ask, fallback: None };
        let quota = budget(1.0).reserve(None).unwrap().quota(Some(&own));
        assert_eq!((quota.usd, quota.tokens, quota.on_exceeded), (Some(0.1), Some(5), OnExceeded::Stop));
    }
}
