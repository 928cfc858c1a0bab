//! What a run tree has spent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the model calls of a run tree have cost so far, in billionths of a US dollar. Clones share it.
#[derive(Clone, Default)]
pub struct TreeSpending(Arc<AtomicU64>);

impl TreeSpending {
    /// Adds a cost. Returns the sums before and after it.
    pub fn add(&self, nano_usd: u64) -> (u64, u64) {
        let before = self.0.fetch_add(nano_usd, Ordering::Relaxed);
        (before, before.saturating_add(nano_usd))
    }
}
