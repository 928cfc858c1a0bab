//! The child runs of a rehearsed fork. Those that the earlier tree had are rehearsed; others wait, since nobody knows what they would
//! buy.

use async_trait::async_trait;
use futures::future;
use plait_adapters::FileAccess;
use plait_core::error::Fault;
use plait_core::id::{NodeId, RunId};
use plait_insight::bill::Rehearsal;
use plait_journal::{ChildEvent, Event, FlowRef};
use plait_llm::quota::TreeCount;
use plait_run::host::subflow::{ChildCall, ChildEnd, ChildListener, Subflows};
use plait_run::{Driver, RunSetup};

use super::Launch;
use crate::ErrorReply;
use crate::flows::subflows;
use crate::runs::child::{child_end, child_id, fault};
use crate::runs::request::{ChildInputs, EditedFlow, ForkEdits};

/// Where a run stands in a rehearsed tree.
#[derive(Clone)]
pub(super) struct RehearsedPlace {
    pub(super) rehearsal: Rehearsal,
    /// The nodes that lead to the run, from the root on, as `a/b`.
    pub(super) path: Option<String>,
    /// The flows that run it, the root's last.
    lineage: Vec<FlowRef>,
    /// Which files flows may read.
    access: FileAccess,
}

impl RehearsedPlace {
    /// The root of a tree.
    pub(super) fn root(access: FileAccess) -> Self {
        Self { rehearsal: Rehearsal::default(), path: None, lineage: Vec::new(), access }
    }

    /// The same for what this flow runs there.
    pub(super) fn inside(mut self, flow: &FlowRef) -> Self {
        self.lineage.insert(0, flow.clone());
        self
    }

    /// The place of the run that a node starts.
    fn below(&self, node: &NodeId) -> Self {
        let path = self.path.as_ref().map_or_else(|| node.to_string(), |path| format!("{path}/{node}"));
        Self { path: Some(path), ..self.clone() }
    }
}

/// Runs the child runs of one rehearsed run.
pub(super) struct RehearsedChildren {
    launch: Launch,
    /// Of the run, with its flow.
    place: RehearsedPlace,
}

impl RehearsedChildren {
    pub(super) fn new(launch: Launch, place: RehearsedPlace) -> Self {
        Self { launch, place }
    }

    /// What the child of this call is driven with, and its number in the rehearsal. None if the earlier tree had none.
    fn prepare(&self, run: &RunId, call: ChildCall) -> Result<Option<(usize, RunSetup, Event)>, ErrorReply> {
        let ChildCall { parent, activation, flow, input, set: overrides, origins, host, .. } = call;
        let Some(repeated) = parent.earlier_of(&activation) else { return Ok(None) };
        let Some(earlier) = repeated.take_child(&activation) else { return Ok(None) };
        let place = self.place.below(&activation.node);
        let edited = if host.earlier.is_edited() {
            let found = subflows::resolve(&flow, &place.lineage, &activation, &place.access)?;
            Some(EditedFlow { flow: found.flow, path: found.path, grants: Vec::new() })
        } else {
            None
        };
        let edits = ForkEdits::of_flow(edited, repeated.fresh_inside(&activation));
        let inputs = ChildInputs { input, overrides, origins, grants: parent.grants.clone() };
        let mut launch = Launch { run: run.clone(), host, ..self.launch.clone() };
        let fork = launch.prepare_fork(&earlier, *edits, Some(inputs), Some(parent.run.clone()))?;
        launch.rehearse(fork, place).map(Some)
    }
}

#[async_trait]
impl Subflows for RehearsedChildren {
    async fn run(&self, call: ChildCall, mut on_event: ChildListener) -> Result<ChildEnd, Fault> {
        let run = child_id(&call.parent.run, &call.activation, call.attempt)?;
        call.host.quotas.tree.reserve(TreeCount::Runs)?.settle();
        let Some((number, setup, first)) = self.prepare(&run, call).map_err(fault)? else {
            return future::pending().await;
        };
        // Only of one that is rehearsed: the bill has lines of its own for it.
        on_event(ChildEvent::Started { run: run.clone() });
        let (driver, _handle) = Driver::start(setup, first)?;
        driver.drive().await?;
        child_end(run, self.place.rehearsal.outline(number))
    }
}
