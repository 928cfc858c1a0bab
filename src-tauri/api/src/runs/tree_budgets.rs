//! The budgets of the run trees that are driven. Each is shared by all runs of its tree.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use plait_core::flow::TreeLimits;
use plait_core::id::RunId;
use plait_run::host::tree_budget::{TreeBudget, TreeUsage};
use plait_run::quota::QuotaBank;

use super::past_spending::local_bank;

/// All budgets in use.
pub(crate) struct TreeBudgets {
    /// By root. Owned by the hosts of the runs.
    budgets: Mutex<HashMap<RunId, Weak<TreeBudget>>>,
    /// What model calls of all runs may use.
    quotas: Arc<QuotaBank>,
}

impl Default for TreeBudgets {
    fn default() -> Self {
        Self { budgets: Mutex::default(), quotas: Arc::new(local_bank()) }
    }
}

impl TreeBudgets {
    /// The accounts of all quotas.
    pub(crate) fn quotas(&self) -> &Arc<QuotaBank> {
        &self.quotas
    }

    /// The budget of a tree, if it is in use.
    pub(super) fn get(&self, root: &RunId) -> Option<Arc<TreeBudget>> {
        self.budgets.lock().get(root).and_then(Weak::upgrade)
    }

    /// The budget of a tree, which is created if it is not in use.
    pub(super) fn get_or_create(&self, root: &RunId, limits: TreeLimits, used: TreeUsage) -> Arc<TreeBudget> {
        let mut budgets = self.budgets.lock();
        if let Some(budget) = budgets.get(root).and_then(Weak::upgrade) {
            return budget;
        }
        budgets.retain(|_, budget| budget.strong_count() > 0);
        let budget = Arc::new(TreeBudget::new(limits, used));
        budgets.insert(root.clone(), Arc::downgrade(&budget));
        budget
    }
}
