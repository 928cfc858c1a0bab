//! The limits that hold a call: those of its run tree, and the quotas.

use std::sync::Arc;

use super::bank::{IterationCost, QuotaBank, Refusal, Reservation};
use super::tree::{TreeAccount, TreeReservation};
use super::{QuotaLink, QuotaState};
use plait_core::quota::Amount;

/// The limits that hold a call, from the outermost to the innermost. Cheap to clone.
#[derive(Clone, Default)]
pub struct QuotaChain {
    pub bank: Arc<QuotaBank>,
    /// The account of the run tree, which holds all of its runs, calls and events.
    pub tree: Arc<TreeAccount>,
    pub links: Arc<[QuotaLink]>,
}

impl QuotaChain {
    /// Whether no quota holds.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Whether one of them limits money.
    pub fn limits_money(&self) -> bool {
        self.links.iter().filter_map(QuotaLink::quota).any(|quota| quota.usd.is_some())
    }

    /// The chain with other quotas.
    #[must_use]
    pub fn with_links(&self, links: Vec<QuotaLink>) -> Self {
        Self { links: links.into(), ..self.clone() }
    }

    /// Reserves what a call may use at most in all quotas, or in none. It is `counted` in the tree already, and no longer if it
    /// is refused.
    pub fn reserve(
        &self,
        counted: TreeReservation,
        amount: Amount,
        iteration: IterationCost,
    ) -> Result<CallReservation, Refusal> {
        let amount = self.bank.reserve(&self.links, amount, iteration)?;
        Ok(CallReservation { counted, amount })
    }
}

/// What is reserved for a call. Dropped, the call is counted no longer in its tree, and stays charged to its quotas.
pub struct CallReservation {
    counted: TreeReservation,
    amount: Reservation,
}

impl CallReservation {
    /// What was reserved in each quota.
    pub fn amount(&self) -> Amount {
        self.amount.amount()
    }

    /// How much is used of each quota.
    pub fn states(&self) -> Vec<QuotaState> {
        self.amount.states()
    }

    /// The call was answered: it counts, and is charged what it did use. Returns how much is used of each quota now.
    pub fn answered(self, charge: Amount) -> Vec<QuotaState> {
        self.counted.settle();
        self.amount.settle(charge)
    }

    /// The call failed: it does not count, and is charged what it may have used. Returns as [`Self::answered`].
    pub fn failed(self, charge: Amount) -> Vec<QuotaState> {
        self.amount.settle(charge)
    }
}
