//! `run.tryConfig`, `run.dropTrials`, `run.acceptTrials`, `run.nodeConfig`: configs that persons try on nodes of a run that stands still.

use std::sync::Arc;

use plait_core::id::{NodeId, RunId};
use plait_run::DebugCommand;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::launch::AcceptedTrials;
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::flows::Installed;

/// `run.tryConfig`: has a node of a run that stands still execute with another config, from its next start on. The flow stays as it is.
/// `flow.invalid` and `grant.needed` where a run of the flow with that config would not start, `debug.cannot_try`, `debug.moved_on`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TryConfig {
    /// The run that is held.
    pub run: RunId,
    /// The number of the stop.
    #[ts(type = "number")]
    pub stop: u64,
    pub node: NodeId,
    /// All of the config.
    #[ts(type = "Record<string, unknown>")]
    pub config: Map<String, Value>,
}

impl Command for TryConfig {
    const NAME: &'static str = "run.tryConfig";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let Self { run, stop, node, config } = self;
        let handle = service.held(&run).await?;
        // Resuming added what the run redacts.
        let Value::Object(config) = service.redacted(&Value::Object(config)) else { return Ok(()) };
        let host = service.host_of(&run).await?;
        let launch = service.launch(&run, &service.active.broadcast(&run), &host);
        let (sources, of, tried) = (service.parts.installed.clone(), node.clone(), config.clone());
        run_blocking(move || launch.check_trial(&of, &tried, &Installed::of(&sources))).await?;
        Ok(handle.debug(DebugCommand::MakeTrial { stop, node, config: Arc::new(config) }).await?)
    }
}

/// `run.dropTrials`: has a node execute with the config of the flow again, or all nodes. `debug.no_trial`, `debug.moved_on`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DropTrials {
    /// The run that is held.
    pub run: RunId,
    /// The number of the stop.
    #[ts(type = "number")]
    pub stop: u64,
    /// One node; without it, all.
    #[serde(default)]
    #[ts(optional)]
    pub node: Option<NodeId>,
}

impl Command for DropTrials {
    const NAME: &'static str = "run.dropTrials";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let Self { run, stop, node } = self;
        let handle = service.held(&run).await?;
        Ok(handle.debug(DebugCommand::DropTrials { stop, node }).await?)
    }
}

/// `run.acceptTrials`: writes the config that is tried on a node into the file of the run's flow, or those of all nodes. The run keeps its
/// trials and its flow. `debug.no_trial`, `debug.no_file`, `flow.changed_on_disk` if the file has another config for the node than the run
/// began with, and the errors of `flow.open` and `flow.save`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AcceptTrials {
    pub run: RunId,
    /// One node; without it, all.
    #[serde(default)]
    #[ts(optional)]
    pub node: Option<NodeId>,
}

impl Command for AcceptTrials {
    const NAME: &'static str = "run.acceptTrials";
    type Service = RunService;
    type Reply = AcceptedTrials;

    async fn run(self, service: &RunService) -> Result<AcceptedTrials, ErrorReply> {
        let Self { run, node } = self;
        let host = service.host_of(&run).await?;
        let launch = service.launch(&run, &service.active.broadcast(&run), &host);
        run_blocking(move || launch.accept_trials(node.as_ref())).await
    }
}

/// `run.nodeConfig`: the config with which a node of a run executes from now on: that of the flow, or one that a person tries.
/// `debug.unknown_node`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ShowNodeConfig {
    pub run: RunId,
    pub node: NodeId,
}

/// A config of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct NodeConfig {
    #[ts(type = "Record<string, unknown>")]
    pub config: Map<String, Value>,
}

impl Command for ShowNodeConfig {
    const NAME: &'static str = "run.nodeConfig";
    type Service = RunService;
    type Reply = NodeConfig;

    async fn run(self, service: &RunService) -> Result<NodeConfig, ErrorReply> {
        let Self { run, node } = self;
        let host = service.host_of(&run).await?;
        let launch = service.launch(&run, &service.active.broadcast(&run), &host);
        run_blocking(move || Ok(NodeConfig { config: launch.tried_config(&node)? })).await
    }
}
