//! A fork, run in memory until nothing goes on without the world.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

use futures::executor::LocalPool;
use futures::future::{self, BoxFuture};
use futures::task::LocalSpawnExt as _;
use parking_lot::Mutex;

use crate::forecast::{CostForecast, ForecastRequest, MeasuredSizes, forecast};
use plait_core::error::Fault;
use plait_core::port::Ports;
use plait_core::quota::FlowQuotas;
use plait_journal::view::RunOutline;
use plait_journal::{Entry, Event, Journal};
use plait_llm::models::ModelOverrides;
use plait_llm::tool::ToolSpec;
use plait_run::host::{Host, RunInfo};
use plait_run::node::{Behavior, BoundNode, Inputs, LoopKind, LoopSpec, NodeContext, NodeOutput};
use plait_run::plan::{NodeIx, Plan};
use plait_run::{Driver, RunSetup};

/// The runs of a rehearsed tree. Clones are the same.
#[derive(Clone, Default)]
pub struct Rehearsal {
    runs: Arc<Mutex<Vec<RehearsedRun>>>,
    world_types: Arc<Mutex<BTreeSet<String>>>,
}

/// One of them.
pub(super) struct RehearsedRun {
    /// The nodes that lead to it, if it is a child run.
    pub subflow: Option<String>,
    pub plan: Arc<Plan>,
    pub twin: Twin,
    pub entries: Vec<Entry>,
}

/// A run as it was before the rehearsal changed its plan.
pub(super) struct Twin {
    plan: Plan,
    flow_name: String,
    input: Option<String>,
    /// Whether a conversation goes on in it, of which a forecast knows nothing.
    is_continued: bool,
    tools: Arc<[ToolSpec]>,
}

impl Twin {
    /// How often a node is tried.
    pub fn attempts(&self, node: NodeIx) -> u32 {
        self.plan.nodes[node].retry.as_ref().map_or(1, |retry| retry.attempts.max(1))
    }

    /// What the nodes cost at most, in a run that reuses nothing. None if nobody can say.
    pub fn ceilings(self, models: &ModelOverrides) -> Option<CostForecast> {
        let Self { plan, flow_name, input, is_continued, tools } = self;
        if is_continued {
            return None;
        }
        let request = ForecastRequest {
            flow_name: &flow_name,
            input: input.as_deref(),
            models: Arc::new(models.clone()),
            tools,
            earlier: Arc::new(MeasuredSizes::default()),
            live: Arc::new(MeasuredSizes::default()),
            so_far: None,
        };
        // A run that cannot begin is refused with its reason when it is started.
        forecast(plan, &request).ok().map(|forecast| forecast.cost)
    }
}

impl Rehearsal {
    /// Adds a run. `subflow` are the nodes that lead to it, if it is a child run.
    /// Returns the number of the run, and what its driver is made of.
    pub fn setup(
        &self,
        mut plan: Plan,
        info: RunInfo,
        host: Host,
        subflow: Option<String>,
    ) -> (usize, RunSetup) {
        let unchanged = plan.clone();
        stand_still(&mut plan);
        let plan = Arc::new(plan);
        let mut runs = self.runs.lock();
        let place = runs.len();
        let twin = Twin {
            plan: unchanged,
            flow_name: info.flow_name.clone(),
            input: info.input.as_ref().map(|input| input.text.clone()),
            is_continued: info.conversation.is_some(),
            tools: host.tools.list().into(),
        };
        runs.push(RehearsedRun { subflow, plan: Arc::clone(&plan), twin, entries: Vec::new() });
        let journal = Box::new(KeptJournal { runs: self.clone(), place });
        let spent_by_children = BTreeMap::new();
        (
            place,
            RunSetup {
                plan,
                info,
                host,
                journal,
                watcher: Box::new(|_| ()),
                spent_by_children,
                trials: None,
            },
        )
    }

    /// How far the run with this number came.
    pub fn outline(&self, place: usize) -> RunOutline {
        self.runs.lock().get(place).map_or_else(RunOutline::default, |run| RunOutline::of(&run.entries))
    }

    /// Notes types of nodes that asked the world for something in the earlier run.
    pub fn note_world_types<'t>(&self, types: impl Iterator<Item = &'t String>) {
        self.world_types.lock().extend(types.cloned());
    }

    pub(super) fn world_types(&self) -> Vec<String> {
        self.world_types.lock().iter().cloned().collect()
    }

    pub(super) fn into_runs(self) -> Vec<RehearsedRun> {
        mem::take(&mut *self.runs.lock())
    }
}

/// Runs the root of a tree until it ends or nothing goes on. Blocks meanwhile.
pub fn rehearse(setup: RunSetup, first: Event) -> Result<(), Fault> {
    let (driver, _handle) = Driver::start(setup, first)?;
    let mut pool = LocalPool::new();
    let ended = Arc::new(Mutex::new(Ok(())));
    let end = Arc::clone(&ended);
    let drive = async move {
        let result = driver.drive().await;
        *end.lock() = result.map(drop);
    };
    if pool.spawner().spawn_local(drive).is_ok() {
        pool.run_until_stalled();
    }
    ended.lock().clone()
}

/// Lets nothing end or begin because of time, attempts, quotas or free places: only what the world does not say stands still.
fn stand_still(plan: &mut Plan) {
    for node in &mut plan.nodes {
        node.retry = None;
        node.timeout_ms = None;
        node.quota = None;
        let spec = node.node.behavior().repeats.clone();
        if let Some(LoopSpec { kind: LoopKind::ForEach { continues_on_error, .. }, .. }) = spec {
            // An item that waits must not keep the next ones from beginning.
            let kind = LoopKind::ForEach { concurrency: u32::MAX, continues_on_error };
            let repeats = spec.map(|spec| LoopSpec { kind, ..spec });
            let behavior = Behavior { repeats, ..node.node.behavior().clone() };
            node.node = Arc::new(AllAtOnce { node: Arc::clone(&node.node), behavior });
        }
    }
    plan.max_concurrency = usize::MAX;
    plan.quotas = FlowQuotas::default();
}

/// A loop whose items begin at the same time.
struct AllAtOnce {
    node: Arc<dyn BoundNode>,
    behavior: Behavior,
}

impl BoundNode for AllAtOnce {
    fn ports(&self) -> &Arc<Ports> {
        self.node.ports()
    }

    fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    fn execute(&self, inputs: Inputs, node_context: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        self.node.execute(inputs, node_context)
    }
}

/// The journal of one run, in memory.
struct KeptJournal {
    runs: Rehearsal,
    place: usize,
}

impl Journal for KeptJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        if let Some(run) = self.runs.runs.lock().get_mut(self.place) {
            run.entries.extend_from_slice(entries);
        }
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(future::ready(Ok(())))
    }
}
