//! The quotas that hold a call.

use std::sync::Arc;

use super::{QuotaBank, QuotaLink};

/// The quotas that hold a call, from the outermost to the innermost. Cheap to clone.
#[derive(Clone, Default)]
pub struct QuotaChain {
    pub bank: Arc<QuotaBank>,
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
}
