//! The child runs of a rehearsed fork. Those that the earlier tree had are rehearsed; others wait, since nobody knows what they would
//! buy.

use async_trait::async_trait;
use futures::future;
use plait_adapters::FileAccess;
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_insight::bill::Rehearsal;
use plait_run::host::Host;
use plait_run::host::subflow::{ChildCall, ChildEnd, ChildListener, Subflows};
use plait_run::journal::{ChildEvent, Event, FlowRef};
use plait_run::{Driver, RunSetup};

use super::Launch;
use crate::ErrorReply;
use crate::flows::subflows;
use crate::runs::child::{child_end, child_id, fault};
use crate::runs::request::{ChildInputs, EditedFlow};

/// Runs the child runs of one rehearsed run.
pub(super) struct RehearsedChildren {
    launch: Launch,
    rehearsal: Rehearsal,
    /// The flow of the run and those that run it, the root's last.
    lineage: Vec<FlowRef>,
    access: FileAccess,
    /// The nodes that lead to the run, from the root on.
    path: Option<String>,
}

impl RehearsedChildren {
    pub(super) fn new(
        launch: Launch,
        rehearsal: Rehearsal,
        lineage: Vec<FlowRef>,
        access: FileAccess,
        path: Option<String>,
    ) -> Self {
        Self { launch, rehearsal, lineage, access, path }
    }

    /// What the child of this call is driven with, and its number in the rehearsal. None if the earlier tree had none.
    fn prepare(&self, run: &RunId, call: ChildCall) -> Result<Option<(usize, RunSetup, Event)>, ErrorReply> {
        let ChildCall { parent, activation, flow, input, set: overrides, origins, host, .. } = call;
        let earlier = parent.earlier.as_ref().and_then(|earlier| earlier.take_child(&activation));
        let Some(earlier) = earlier else { return Ok(None) };
        let path = self.path.iter().map(String::as_str).chain([activation.node.as_str()]);
        let path = path.collect::<Vec<_>>().join("/");
        let edit = if host.earlier.is_edited() {
            let found = subflows::resolve(&flow, &self.lineage, &activation, &self.access)?;
            Some(Box::new(EditedFlow { flow: found.flow, path: found.path, grants: Vec::new() }))
        } else {
            None
        };
        let inputs = ChildInputs { input, overrides, origins, grants: parent.grants.clone() };
        let host = Host { subflows: self.launch.host.subflows.clone(), ..host };
        let mut launch = Launch { run: run.clone(), host, ..self.launch.clone() };
        let fork = launch.prepare_fork(&earlier, edit, Some(inputs), Some(parent.run.clone()))?;
        launch.rehearse(fork, &self.rehearsal, (&self.lineage, &self.access), Some(path)).map(Some)
    }
}

#[async_trait]
impl Subflows for RehearsedChildren {
    async fn run(&self, call: ChildCall, mut on_event: ChildListener) -> Result<ChildEnd, Fault> {
        let run = child_id(&call.parent.run, &call.activation, call.attempt)?;
        on_event(ChildEvent::Started { run: run.clone() });
        let Some((place, setup, first)) = self.prepare(&run, call).map_err(fault)? else {
            return future::pending().await;
        };
        let (driver, _handle) = Driver::start(setup, first)?;
        driver.drive().await?;
        child_end(run, self.rehearsal.outline(place))
    }
}
