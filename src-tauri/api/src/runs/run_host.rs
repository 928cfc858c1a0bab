//! The environment of a run, with the account of its tree: made from the limits in force and from what the journals of the
//! tree say was used.

use std::sync::Arc;

use plait_core::config::tree_limits;
use plait_core::flow::TreeLimits;
use plait_core::id::RunId;
use plait_journal::earlier_run::EarlierTree;
use plait_llm::quota::{QuotaChain, TreeAccount, TreeUsage};
use plait_run::host::Host;
use plait_store::Store;

use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::flows::text::lazy_recorded_flow;

impl RunService {
    /// The environment of a new tree with these limits of its flow.
    pub(super) fn host_of_new(&self, root: &RunId, limits: Option<TreeLimits>) -> Host {
        let (limits, used) = self.of_new(limits);
        self.host(root, self.parts.quotas.open_tree(root, limits, used))
    }

    /// The same for a tree that is only rehearsed: its account is no other's.
    pub(super) fn host_of_rehearsal(&self, root: &RunId, limits: Option<TreeLimits>) -> Host {
        let (limits, used) = self.of_new(limits);
        self.host(root, Arc::new(TreeAccount::new(limits, used)))
    }

    /// The limits that hold a new tree, and what is used of them.
    fn of_new(&self, limits: Option<TreeLimits>) -> (TreeLimits, TreeUsage) {
        let used = TreeUsage { runs: 1, ..TreeUsage::default() };
        (tree_limits(limits, &self.parts.config.current()), used)
    }

    /// The environment of a run that exists.
    pub(super) async fn host_of(&self, run: &RunId) -> Result<Host, ErrorReply> {
        let root = self.lineage(run).await?.pop().map_or_else(|| run.clone(), |record| record.run);
        if let Some(tree) = self.parts.quotas.tree(&root) {
            return Ok(self.host(&root, tree));
        }
        let (store, id) = (self.parts.store.clone(), root.clone());
        let (limits, used) =
            run_blocking(move || Ok((recorded_limits(&store, &id), usage(&store, &id)?))).await?;
        let limits = tree_limits(limits, &self.parts.config.current());
        Ok(self.host(&root, self.parts.quotas.open_tree(&root, limits, used)))
    }

    fn host(&self, root: &RunId, tree: Arc<TreeAccount>) -> Host {
        let parts = self.parts.clone();
        Host {
            providers: parts.providers.callable(),
            tools: parts.tools,
            retriever: parts.retriever,
            memories: Arc::new(parts.memories),
            attachments: Arc::new(parts.store),
            clock: parts.clock,
            evaluator: parts.evaluator,
            subflows: Arc::new(self.clone()),
            earlier: EarlierTree::default(),
            debugger: self.active.debugger(root),
            quotas: QuotaChain { bank: parts.quotas, tree, links: Arc::default() },
        }
    }

    /// The limits that the flow of a run sets.
    pub(super) async fn limits_of(&self, run: &RunId) -> Result<Option<TreeLimits>, ErrorReply> {
        let (store, run) = (self.parts.store.clone(), run.clone());
        run_blocking(move || Ok(recorded_limits(&store, &run))).await
    }
}

/// The limits that the flow of a run sets. None if the flow cannot be read: then the run cannot go on anyway, and says why.
fn recorded_limits(store: &Store, run: &RunId) -> Option<TreeLimits> {
    let record = store.run(run).ok()?;
    lazy_recorded_flow(store, &record.flow.hash).ok()?.settings().limits.clone()
}

/// What the journals of a tree say was used.
fn usage(store: &Store, root: &RunId) -> Result<TreeUsage, ErrorReply> {
    let mut used = TreeUsage::default();
    for record in store.tree(root)? {
        used.runs += 1;
        used.events += record.events;
        used.model_calls += record.calls();
    }
    Ok(used)
}
