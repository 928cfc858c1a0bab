//! Runs a plan in a world in which nothing happens, and keeps what its prompts would be.
//!
//! The scheduler, the contexts, the strategies of histories and the prompt pipeline are those of every run, so that a forecast
//! cannot come to differ from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::executor::block_on;
use parking_lot::Mutex;

use super::ForecastRequest;
use super::observed::{Observed, Shared};
use super::repetition::Caps;
use super::stand_in_host::{ObservingJournal, host};
use super::stand_in_node::StandInNode;
use plait_core::error::Fault;
use plait_core::id::{NodeId, PortName};
use plait_core::origin::Origins;
use plait_core::quota::FlowQuotas;
use plait_core::user::UserName;
use plait_journal::{ENGINE_REVISION, Event, FlowRef, ReplySource, RunEvent};
use plait_run::host::{RunInfo, RunInput};
use plait_run::node::{Behavior, LoopKind, LoopSpec};
use plait_run::plan::{NodeIx, Plan};
use plait_run::{Driver, RunSetup};

/// The inner inputs of a loop that decide whether it goes on, and the input that has its items.
const EXIT: &str = "exit";
const ITEMS: &str = "items";

/// Runs `plan`, and returns it as it was run: only how far the run goes is changed in it.
pub(super) fn dry_run(mut plan: Plan, request: &ForecastRequest<'_>) -> Result<(Arc<Plan>, Observed), Fault> {
    let loops: BTreeSet<NodeId> =
        plan.nodes.iter().filter(|node| node.body.is_some()).map(|node| node.id.clone()).collect();
    let shared = Arc::new(Shared {
        observed: Mutex::default(),
        earlier: Arc::clone(&request.earlier),
        live: Arc::clone(&request.live),
        loops,
    });
    let caps = Caps::of(&plan);
    let places = Places::of(&mut plan);
    for (at, cap) in caps.cycles.iter().enumerate() {
        plan.cycles[at].max_epochs = Some(*cap);
    }
    let Plan { nodes, edges, .. } = &mut plan;
    for (at, node) in nodes.iter_mut().enumerate() {
        if node.is_border {
            continue;
        }
        let behavior = node.node.behavior();
        let connected = node.outgoing.iter().map(|&edge| edges[edge].port.clone()).collect();
        let repeats = behavior.repeats.as_ref().map(|spec| capped(spec, caps.loops[at]));
        let behavior = Behavior { repeats, ..behavior.clone() };
        node.node = Arc::new(StandInNode {
            node: Arc::clone(&node.node),
            id: node.id.clone(),
            behavior,
            connected,
            exits: places.exits.get(&at).cloned().unwrap_or_default(),
            lists: places.lists.get(&at).cloned().unwrap_or_default(),
            shared: Arc::clone(&shared),
        });
        node.retry = None;
        node.timeout_ms = None;
        // What a run costs must not depend on what it may cost.
        node.quota = None;
    }
    // One after the other, so that the order of prompts is that of the plan.
    plan.max_concurrency = 1;
    plan.quotas = FlowQuotas::default();
    let host = host(&plan, Arc::clone(&request.tools), &shared);
    let plan = Arc::new(plan);
    let setup = RunSetup {
        plan: Arc::clone(&plan),
        info: RunInfo {
            run: "forecast".into(),
            user: UserName::default(),
            flow_name: request.flow_name.to_owned(),
            folder: None,
            // What the person gives is known, so nothing about it has to be assumed.
            input: request.input.map(|text| RunInput { text: text.to_owned(), origins: Origins::NONE }),
            conversation: None,
            grants: None,
            ignores_pins: false,
            earlier: None,
        },
        host,
        journal: Box::new(ObservingJournal(Arc::clone(&shared))),
        watcher: Box::new(|_| ()),
        spent_by_children: BTreeMap::new(),
        trials: None,
    };
    let (driver, _handle) = Driver::start(setup, first_event(request))?;
    block_on(driver.drive())?;
    let observed = std::mem::take(&mut *shared.observed.lock());
    Ok((plan, observed))
}

fn first_event(request: &ForecastRequest<'_>) -> Event {
    Event::Run(RunEvent::Started {
        run: "forecast".into(),
        revision: ENGINE_REVISION,
        user: UserName::default(),
        from: None,
        replies: ReplySource::Earlier,
        flow: Box::new(FlowRef { name: request.flow_name.to_owned(), path: None, hash: String::new() }),
        program: None,
        to: None,
        input: request.input.map(str::to_owned),
        set: Arc::default(),
        pins: Vec::new(),
        ignores_pins: false,
        origins: Origins::NONE,
        parent_run_id: None,
        conversation: None,
        grants: None,
        models: Arc::clone(&request.models),
        config: Arc::default(),
    })
}

/// A loop that ends after so many iterations at the latest.
fn capped(spec: &LoopSpec, cap: u32) -> LoopSpec {
    let kind = match spec.kind {
        // Iterations beside each other would mix the order of prompts.
        LoopKind::ForEach { .. } => LoopKind::ForEach { concurrency: 1, continues_on_error: true },
        kind => kind,
    };
    LoopSpec { kind, max_iterations: spec.max_iterations.min(cap), ..spec.clone() }
}

/// The outputs that decide how often loops iterate.
#[derive(Default)]
struct Places {
    /// By node, the outputs that feed nothing but `exit`.
    exits: BTreeMap<NodeIx, BTreeSet<PortName>>,
    /// By node, the outputs that feed the items of a loop.
    lists: BTreeMap<NodeIx, BTreeMap<PortName, NodeIx>>,
}

impl Places {
    /// Removes the edges to `exit` of outputs that feed other inputs as well: a value there would end the loop.
    fn of(plan: &mut Plan) -> Self {
        let mut places = Self::default();
        let mut exits = BTreeMap::new();
        for scope in &plan.scopes {
            let Some(container) = scope.container else { continue };
            let inputs = &plan.nodes[container.end].node.ports().inputs;
            if let Some(exit) = inputs.iter().position(|port| port.name.as_str() == EXIT) {
                exits.insert(container.end, exit);
            }
        }
        let mut removed = Vec::new();
        for (index, edge) in plan.edges.iter().enumerate() {
            let target = &plan.nodes[edge.target];
            if exits.get(&edge.target) == Some(&edge.target_port) {
                let source = &plan.nodes[edge.source];
                let is_same = |other: &&usize| plan.edges[**other].port == edge.port && **other != index;
                if source.is_border
                    || source.body.is_some()
                    || source.outgoing.iter().any(|other| is_same(&other))
                {
                    removed.push(index);
                } else {
                    places.exits.entry(edge.source).or_default().insert(edge.port.clone());
                }
            }
            let is_for_each =
                target.node.behavior().repeats.as_ref().is_some_and(|spec| spec.kind.is_for_each());
            let port = target.node.ports().inputs.get(edge.target_port);
            if is_for_each && port.is_some_and(|port| port.name.as_str() == ITEMS) {
                places.lists.entry(edge.source).or_default().insert(edge.port.clone(), edge.target);
            }
        }
        for index in removed {
            let (source, target) = (plan.edges[index].source, plan.edges[index].target);
            plan.nodes[source].outgoing.retain(|edge| *edge != index);
            plan.nodes[target].incoming.retain(|edge| *edge != index);
        }
        places
    }
}
