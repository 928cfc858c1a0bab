//! Configs that persons try while a run stands still: plans of its flow with them.

use std::path::Path;
use std::sync::Arc;

use plait_core::config::{ConfigValues, with_settings};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_journal::view::RunOutline;
use plait_journal::{InputOverrides, RunEvent};
use plait_llm::grant::Grants;
use plait_llm::needs::NeedCatalog;
use plait_run::node::Registry;
use plait_run::plan::Plan;
use plait_run::{TrialConfigs, TrialPlanner};
use plait_store::{Store, flow_files};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::{Launch, invalid_flow, no_start, plan_to_run, recorded_config, started_event};
use crate::ErrorReply;
use crate::codes;
use crate::flows::text::{read_file, recorded_flow, write_file};
use crate::flows::{Installed, RunnableFlow, unreadable};
use crate::grants::{self, FlowNeeds};

/// A flow's file with configs that were tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct AcceptedTrials {
    /// The file, as an absolute path.
    pub path: String,
    /// Hash of the file's bytes.
    pub hash: String,
    /// The nodes with accepted configs.
    pub nodes: Vec<NodeId>,
}

/// Plans a run's flow with trials. The flow is read only when somebody tries something.
pub(super) struct FlowTrials {
    store: Store,
    registry: Arc<Registry>,
    /// The hash of the flow.
    flow: String,
    config: ConfigValues,
    to: Option<NodeId>,
    overrides: InputOverrides,
}

impl FlowTrials {
    /// Of the run that begins with this event; nothing for another event.
    pub(super) fn of(launch: &Launch, started: &RunEvent) -> Option<Self> {
        let RunEvent::Started { flow, to, set, models, config, .. } = started else { return None };
        Some(Self {
            store: launch.store.clone(),
            registry: Arc::clone(&launch.registry),
            flow: flow.hash.clone(),
            config: recorded_config(config, models).into_owned(),
            to: to.clone(),
            overrides: InputOverrides::clone(set),
        })
    }

    fn flow(&self) -> Result<Flow, ErrorReply> {
        recorded_flow(&self.store, &self.flow)
    }

    fn plan(&self, trials: &TrialConfigs) -> Result<Plan, ErrorReply> {
        let flow = with_trials(self.flow()?, trials);
        plan_to_run(&with_settings(&flow, &self.config), &self.registry, self.to.as_ref(), &self.overrides)
    }
}

impl TrialPlanner for FlowTrials {
    fn plan_with(&self, trials: &TrialConfigs) -> Result<Plan, Fault> {
        self.plan(trials).map_err(|ErrorReply { code, message, hint, details, cause }| Fault {
            hint,
            details,
            cause,
            ..Fault::new(code, message)
        })
    }

    fn config(&self, node: &NodeId) -> Option<Map<String, Value>> {
        self.flow().ok()?.nodes.remove(node).map(|node| node.config)
    }
}

/// A flow in which nodes have the configs that persons tried.
pub(super) fn with_trials(mut flow: Flow, trials: &TrialConfigs) -> Flow {
    for (node, config) in trials {
        if let Some(node) = flow.nodes.get_mut(node) {
            node.config.clone_from(config);
        }
    }
    flow
}

/// The trials of a run that stand.
pub(in crate::runs) fn trials_of(outline: &RunOutline) -> TrialConfigs {
    outline.trials.iter().map(|(node, trial)| (node.clone(), Arc::clone(&trial.config))).collect()
}

impl Launch {
    /// The config with which a node executes from now on. `debug.unknown_node`.
    pub(in crate::runs) fn tried_config(&self, node: &NodeId) -> Result<Map<String, Value>, ErrorReply> {
        let entries = self.read_journal(&self.run)?;
        let RunEvent::Started { flow, .. } = started_event(&self.run, &entries)? else {
            return Err(no_start(&self.run));
        };
        let mut flow =
            with_trials(recorded_flow(&self.store, &flow.hash)?, &trials_of(&RunOutline::of(&entries)));
        flow.nodes.remove(node).map(|node| node.config).ok_or_else(|| no_node(node))
    }

    /// Writes the configs that are tried into the flow's file: of one node, or of all. The file keeps what else has changed in it.
    /// `debug.no_trial`, `debug.no_file`, `flow.changed_on_disk` if the file has another config for the node than the run began with.
    pub(in crate::runs) fn accept_trials(&self, node: Option<&NodeId>) -> Result<AcceptedTrials, ErrorReply> {
        let entries = self.read_journal(&self.run)?;
        let RunEvent::Started { flow: of_run, .. } = started_event(&self.run, &entries)? else {
            return Err(no_start(&self.run));
        };
        let mut trials = trials_of(&RunOutline::of(&entries));
        if let Some(node) = node {
            trials.retain(|tried, _| tried == node);
        }
        if trials.is_empty() {
            return Err(no_trial(node));
        }
        let path = of_run.path.as_deref().ok_or_else(no_file)?;
        let before = recorded_flow(&self.store, &of_run.hash)?;
        let file = flow_files::read(Path::new(path))?;
        let mut flow = read_file(&file.path, &file.text).map_err(|errors| unreadable(&file.path, &errors))?;
        for (node, config) in &trials {
            let was = before.nodes.get(node);
            let now = flow.nodes.get_mut(node);
            match (was, now) {
                (Some(was), Some(now))
                    if now.node_type == was.node_type
                        && (now.config == was.config || now.config == **config) =>
                {
                    now.config.clone_from(config);
                }
                _ => return Err(changed_since(node, &file.path)),
            }
        }
        let text = write_file(&file.path, &file.path, &flow, false)?;
        let hash = flow_files::write(&file.path, &text, Some(&file.hash))?;
        Ok(AcceptedTrials {
            path: file.path.display().to_string(),
            hash,
            nodes: trials.into_keys().collect(),
        })
    }

    /// Refuses a config that a start of the flow would refuse: `flow.invalid`, `grant.needed`. `debug.unknown_node`.
    pub(in crate::runs) fn check_trial(
        &self,
        node: &NodeId,
        config: &Map<String, Value>,
        installed: &Installed,
    ) -> Result<(), ErrorReply> {
        let entries = self.read_journal(&self.run)?;
        let RunEvent::Started { flow: of_run, to, set, models, config: settings, grants, .. } =
            started_event(&self.run, &entries)?
        else {
            return Err(no_start(&self.run));
        };
        let mut trials = trials_of(&RunOutline::of(&entries));
        trials.insert(node.clone(), Arc::new(config.clone()));
        let flow = recorded_flow(&self.store, &of_run.hash)?;
        if !flow.nodes.contains_key(node) {
            return Err(no_node(node));
        }
        let flow = with_trials(flow, &trials);
        let path = of_run.path.as_deref();
        let settings = recorded_config(settings, models);
        let plan = self.plan(&flow, &settings, to.as_ref(), set)?;
        let checked = RunnableFlow::check(&flow, path, &self.registry, installed, to.as_ref(), set);
        let mut errors = checked.err().unwrap_or_default();
        // Of nodes that the run has behind it, nothing is asked any more.
        errors.retain(|found| found.node.as_ref() == Some(node) && found.code.domain() != "subflow");
        if !errors.is_empty() {
            return Err(invalid_flow(&errors));
        }
        let catalog = NeedCatalog::of(&*self.host.tools);
        let needs = FlowNeeds::of_plan(&plan, &flow, path, &self.registry, &catalog);
        let known = grants.as_deref().cloned().unwrap_or_else(Grants::default);
        let undecided = grants::undecided(needs, &known);
        if undecided.is_empty() { Ok(()) } else { Err(grants::needed(&undecided)) }
    }
}

fn no_trial(node: Option<&NodeId>) -> ErrorReply {
    let message = match node {
        Some(node) => format!("No config is tried on `{node}`."),
        None => "No config is tried in this run.".to_owned(),
    };
    ErrorReply::new(codes::DEBUG_NO_TRIAL, message)
        .hint("Try one with `try NODE.SETTING=JSON`; trials of a sub-flow's run are that run's.")
}

fn no_file() -> ErrorReply {
    ErrorReply::new(
        codes::DEBUG_NO_FILE,
        "The flow of this run is in no file, so nothing can be accepted there.",
    )
    .hint("Open the run in the window, accept the trial there, and save the flow.")
}

fn changed_since(node: &NodeId, path: &Path) -> ErrorReply {
    let message =
        format!("`{}` has another `{node}` than this run began with, so it is as it was.", path.display());
    ErrorReply::new(codes::FLOW_CHANGED_ON_DISK, message)
        .hint("Look at what changed there, and put the setting in by hand.")
}

fn no_node(node: &NodeId) -> ErrorReply {
    ErrorReply::new(codes::DEBUG_UNKNOWN_NODE, format!("The flow of the run has no node `{node}`."))
        .hint("Use the id of a node in the flow.")
}
