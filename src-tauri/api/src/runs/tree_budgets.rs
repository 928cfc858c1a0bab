//! The budgets of the run trees that are driven. Each is shared by all runs of its tree.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use plait_engine::flow::TreeLimits;
use plait_engine::host::tree_budget::{TreeBudget, TreeUsage};
use plait_engine::id::RunId;

/// All budgets in use.
#[derive(Default)]
pub(crate) struct TreeBudgets(Mutex<State>);

#[derive(Default)]
struct State {
    /// The limits of the application's settings.
    defaults: TreeLimits,
    /// By root. Owned by the hosts of the runs.
    budgets: HashMap<RunId, Weak<TreeBudget>>,
}

impl TreeBudgets {
    /// Sets the limits of the application's settings. They are in force for trees that start or are resumed from now on.
    pub(crate) fn set_defaults(&self, defaults: TreeLimits) {
        self.0.lock().defaults = defaults;
    }

    /// The budget of a tree, if it is in use.
    pub(super) fn get(&self, root: &RunId) -> Option<Arc<TreeBudget>> {
        self.0.lock().budgets.get(root).and_then(Weak::upgrade)
    }

    /// The budget of a tree, which is created if it is not in use.
    pub(super) fn get_or_create(&self, root: &RunId, limits: TreeLimits, used: TreeUsage) -> Arc<TreeBudget> {
        let mut state = self.0.lock();
        if let Some(budget) = state.budgets.get(root).and_then(Weak::upgrade) {
            return budget;
        }
        state.budgets.retain(|_, budget| budget.strong_count() > 0);
        let budget = Arc::new(TreeBudget::new(limits.or(state.defaults), used));
        state.budgets.insert(root.clone(), Arc::downgrade(&budget));
        budget
    }
}
