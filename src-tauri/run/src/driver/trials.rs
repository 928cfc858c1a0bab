//! Configs that persons try on nodes of a run that stands still. The flow of the run stays as it is: a trial replaces what a node
//! executes, and nothing that the plan or the scheduler decides.
//!
//! An attempt goes on with the config that it began with, also after a crash. So the events say which attempts had begun.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::{Driver, Start};
use crate::codes;
use crate::node::{Behavior, CallLimit};
use crate::plan::{NodeIx, Plan, PlanNode};
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId};
use plait_journal::{BegunAttempt, DebugEvent, Event};

/// The config of a trial.
type Tried = Arc<Map<String, Value>>;

/// The configs of trials, by node.
pub type TrialConfigs = BTreeMap<NodeId, Tried>;

/// Plans the flow of a run once more.
pub trait TrialPlanner: Send + Sync {
    /// The plan of the run with these configs in place of those of the flow. The fault says why the flow can't run with them.
    fn plan_with(&self, trials: &TrialConfigs) -> Result<Plan, Fault>;

    /// The config that the flow has for a node.
    fn config(&self, node: &NodeId) -> Option<Map<String, Value>>;
}

/// The trials of a run.
#[derive(Default)]
pub(super) struct Trials {
    /// Nothing where a run takes no trials.
    planner: Option<Arc<dyn TrialPlanner>>,
    configs: TrialConfigs,
    /// What the nodes with trials execute from now on.
    plans: FxHashMap<NodeIx, Arc<Plan>>,
    /// What attempts execute that began under another config than their node has now. Nothing: what the flow has.
    begun: FxHashMap<(NodeIx, Epoch, u32), Option<Arc<Plan>>>,
}

impl Trials {
    /// The trials that the events of a journal leave.
    pub fn restore(
        planner: Option<Arc<dyn TrialPlanner>>,
        plan: &Plan,
        events: &[DebugEvent],
    ) -> Result<Self, Fault> {
        let mut trials = Self { planner, ..Self::default() };
        for event in events {
            trials.apply(plan, event)?;
        }
        Ok(trials)
    }

    fn apply(&mut self, plan: &Plan, event: &DebugEvent) -> Result<(), Fault> {
        match event {
            DebugEvent::TrialMade { node, config, begun, .. } => {
                let planned = self.check(plan, node, config)?;
                self.change(plan, node, begun, Some((Arc::clone(config), planned)));
            }
            DebugEvent::TrialDropped { node, begun } => self.change(plan, node, begun, None),
            _ => {}
        }
        Ok(())
    }

    /// The plan with one more trial. Faults of planning, `debug.cannot_try`.
    fn check(
        &self,
        plan: &Plan,
        node: &NodeId,
        config: &Arc<Map<String, Value>>,
    ) -> Result<Arc<Plan>, Fault> {
        let Some(at) = plan.find(node) else { return Err(no_config(node)) };
        let spec = &plan.nodes[at];
        if spec.body.is_some() || spec.node.behavior().is_pinned {
            return Err(no_config(node));
        }
        let planner = self.planner.as_ref().ok_or_else(|| no_config(node))?;
        let mut configs = self.configs.clone();
        configs.insert(node.clone(), Arc::clone(config));
        let tried = planner.plan_with(&configs)?;
        let is_same = tried.find(node) == Some(at) && has_same_place(spec, &tried.nodes[at]);
        if is_same && plan.nodes.len() == tried.nodes.len() {
            return Ok(Arc::new(tried));
        }
        let message = format!("This config gives `{node}` other ports, contexts or places than the run has.");
        Err(Fault::new(codes::DEBUG_CANNOT_TRY, message)
            .hint("Keep its ports and contexts, or edit the flow and rerun it: what was bought is reused."))
    }

    fn change(&mut self, plan: &Plan, node: &NodeId, begun: &[BegunAttempt], to: Option<(Tried, Arc<Plan>)>) {
        let Some(at) = plan.find(node) else { return };
        let was = self.plans.remove(&at);
        for BegunAttempt { epoch, attempt } in begun {
            self.begun.entry((at, epoch.clone(), *attempt)).or_insert_with(|| was.clone());
        }
        self.configs.remove(node);
        if let Some((config, planned)) = to {
            self.configs.insert(node.clone(), config);
            self.plans.insert(at, planned);
        }
    }

    /// The plan that has what an attempt executes, if that is not what the flow has.
    pub fn plan_of(&self, start: &Start) -> Option<Arc<Plan>> {
        if self.plans.is_empty() && self.begun.is_empty() {
            return None;
        }
        let begun = self.begun.get(&(start.node, start.epoch.clone(), start.attempt));
        begun.cloned().unwrap_or_else(|| self.plans.get(&start.node).cloned())
    }
}

impl Driver {
    /// Has a node execute with another config from now on. Faults of planning, `debug.moved_on`, `debug.cannot_try`.
    pub(super) async fn make_trial(
        &mut self,
        node: NodeId,
        config: Arc<Map<String, Value>>,
    ) -> Result<Result<(), Fault>, Fault> {
        if let Err(fault) = self.trials.check(&self.plan, &node, &config) {
            return Ok(Err(fault));
        }
        let tried = self.trials.configs.get(&node).cloned();
        let of_flow = || self.trials.planner.as_ref().and_then(|planner| planner.config(&node));
        let was = tried.unwrap_or_else(|| Arc::new(of_flow().unwrap_or_default()));
        let begun = self.begun_attempts(&node);
        self.record_trial(DebugEvent::TrialMade { node, was, config, begun }).await
    }

    /// Has a node, or all nodes, execute with the config of the flow again. Faults `debug.moved_on`, `debug.no_trial`.
    pub(super) async fn drop_trials(&mut self, node: Option<NodeId>) -> Result<Result<(), Fault>, Fault> {
        let dropped: Vec<NodeId> = match node {
            Some(node) if !self.trials.configs.contains_key(&node) => {
                return Ok(Err(Fault::new(
                    codes::DEBUG_NO_TRIAL,
                    format!("No config is tried on `{node}`."),
                )));
            }
            Some(node) => vec![node],
            None => self.trials.configs.keys().cloned().collect(),
        };
        for node in dropped {
            let begun = self.begun_attempts(&node);
            if let Err(fault) = self.record_trial(DebugEvent::TrialDropped { node, begun }).await? {
                return Ok(Err(fault));
            }
        }
        Ok(Ok(()))
    }

    async fn record_trial(&mut self, event: DebugEvent) -> Result<Result<(), Fault>, Fault> {
        if let Err(fault) = self.trials.apply(&self.plan, &event) {
            return Ok(Err(fault));
        }
        self.recorder.append([Event::Debug(event)])?;
        self.recorder.flush().await?;
        Ok(Ok(()))
    }

    /// The attempts of a node that have begun and not ended.
    fn begun_attempts(&self, node: &NodeId) -> Vec<BegunAttempt> {
        let Some(node) = self.plan.find(node) else { return Vec::new() };
        let has_begun = |start: &Start| !self.stops.retry_waits.contains(&(start.node, start.epoch.clone()));
        let begun = self.scheduler.begun(node).into_iter().filter(has_begun);
        begun.map(|Start { epoch, attempt, .. }| BegunAttempt { epoch, attempt }).collect()
    }
}

/// Whether two nodes differ at most in what they execute: the plan and the scheduler treat them alike.
fn has_same_place(one: &PlanNode, other: &PlanNode) -> bool {
    let planned = |node: &PlanNode| Behavior {
        needs: Vec::new(),
        calls: None,
        call_limit: CallLimit::default(),
        takes_prompt_only: None,
        missing_setting: None,
        ..node.node.behavior().clone()
    };
    one.id == other.id
        && one.scope == other.scope
        && one.node.ports() == other.node.ports()
        && planned(one) == planned(other)
        && one.incoming == other.incoming
        && one.outgoing == other.outgoing
        && one.contexts.memory == other.contexts.memory
}

fn no_config(node: &NodeId) -> Fault {
    Fault::new(codes::DEBUG_CANNOT_TRY, format!("No config can be tried on `{node}` in this run."))
        .hint("A trial is for a node that is executed: no loop, no pinned or disabled node.")
}
