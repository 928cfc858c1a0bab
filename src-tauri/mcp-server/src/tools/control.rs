//! Tools that run flows. Offered with `--allow run`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plait_api::runs::{RerunRequest, RunRequest};
use plait_core::id::{NodeId, PortName};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{NamedFlow, named_flow, named_run};
use crate::reply::{self, Reply};
use crate::running::check_input;
use crate::server::PlaitServer;

/// How long a tool waits for a run by default, and at most, in seconds. Clients give a tool up after a minute or so.
const DEFAULT_WAIT: u64 = 30;
const MAX_WAIT: u64 = 300;

fn default_wait() -> u64 {
    DEFAULT_WAIT
}

fn seconds(wait: u64) -> Duration {
    Duration::from_secs(wait.min(MAX_WAIT))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RunFlowArguments {
    /// A flow file (`.flow.json`), a pipeline (`.yaml`), or the ID of an example flow.
    flow: String,
    /// The text input of the run.
    #[serde(default)]
    input: Option<String>,
    /// Values for inputs that no edge feeds, by node and port.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, Value>>,
    /// Run only to this node.
    #[serde(default)]
    to: Option<String>,
    /// The trigger to begin at, in a flow with several; the default one unless given.
    #[serde(default)]
    trigger: Option<String>,
    /// What the run may cost at most, in US dollars; all that is left of what the person allows, unless given.
    #[serde(default)]
    max_usd: Option<f64>,
    /// How many seconds to wait for the run to end or to ask. It goes on after that: `wait_for_run`.
    #[serde(default = "default_wait")]
    wait_seconds: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RerunArguments {
    /// The ID of a run that has ended, or how it begins.
    run: String,
    /// The edited flow to run in its place: a file, or the ID of an example flow.
    #[serde(default)]
    flow: Option<String>,
    /// What the run may cost at most, in US dollars; all that is left of what the person allows, unless given.
    #[serde(default)]
    max_usd: Option<f64>,
    /// How many seconds to wait for the run to end or to ask.
    #[serde(default = "default_wait")]
    wait_seconds: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WaitArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// How many seconds to wait for the run to end or to ask.
    #[serde(default = "default_wait")]
    wait_seconds: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AnswerArguments {
    /// The ID of a run that was begun here, or how it begins.
    run: String,
    /// The answer: a text, or JSON of the shape that the question asks for.
    answer: String,
    /// The node that asks, if several do.
    #[serde(default)]
    node: Option<String>,
    /// How many seconds to wait for the run to end or to ask again.
    #[serde(default = "default_wait")]
    wait_seconds: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelArguments {
    /// The ID of a run that was begun here, or how it begins.
    run: String,
}

#[tool_router(router = control_tools, vis = "pub(crate)")]
impl PlaitServer {
    /// Run a flow, and wait for it to end or to ask something. Costs money where its models do, within what the person allows. A flow
    /// that needs a grant which the person has not given is refused.
    #[tool(annotations(destructive_hint = false))]
    async fn run_flow(&self, Parameters(arguments): Parameters<RunFlowArguments>) -> Reply {
        let RunFlowArguments { flow, input, values, to, trigger, max_usd, wait_seconds } = arguments;
        let NamedFlow { flow, path } = named_flow(&self.app().await?, &flow).await?;
        check_input(&flow, input.as_deref())?;
        let of_node = |(node, ports): (String, BTreeMap<String, Value>)| {
            let of_port = |(port, value)| (PortName::from(port), Arc::new(value));
            (NodeId::from(node), ports.into_iter().map(of_port).collect())
        };
        let request = RunRequest {
            flow,
            path,
            input,
            overrides: values.into_iter().map(of_node).collect(),
            to: to.map(NodeId::from),
            trigger: trigger.map(NodeId::from),
            ..RunRequest::default()
        };
        let run = self.runner.begin(request, max_usd).await?;
        reply::value(&self.runner.state_after(&run, seconds(wait_seconds)).await?)
    }

    /// Run again what a run ran, or an edited flow, as a new run. Replies that still match are not bought again: `bill_rerun` says before
    /// what would be. What it costs counts like `run_flow`.
    #[tool(annotations(destructive_hint = false))]
    async fn rerun(&self, Parameters(arguments): Parameters<RerunArguments>) -> Reply {
        let RerunArguments { run, flow, max_usd, wait_seconds } = arguments;
        let app = self.app().await?;
        let mut request = RerunRequest::of(named_run(&app, &run).await?);
        if let Some(name) = &flow {
            let NamedFlow { flow, path } = named_flow(&app, name).await?;
            (request.flow, request.path) = (Some(flow), path);
        }
        let run = self.runner.begin_again(request, max_usd).await?;
        reply::value(&self.runner.state_after(&run, seconds(wait_seconds)).await?)
    }

    /// Wait for a run to end or to ask something, and show how it stands then.
    #[tool(annotations(read_only_hint = true))]
    async fn wait_for_run(&self, Parameters(arguments): Parameters<WaitArguments>) -> Reply {
        let run = named_run(&self.app().await?, &arguments.run).await?;
        reply::value(&self.runner.state_after(&run, seconds(arguments.wait_seconds)).await?)
    }

    /// Answer a question of a run that was begun here. Approvals and other decisions are the person's.
    #[tool(annotations(destructive_hint = false))]
    async fn answer_run(&self, Parameters(arguments): Parameters<AnswerArguments>) -> Reply {
        let AnswerArguments { run, answer, node, wait_seconds } = arguments;
        let run = named_run(&self.app().await?, &run).await?;
        self.runner.answer(&run, node.map(NodeId::from).as_ref(), &answer).await?;
        reply::value(&self.runner.state_after(&run, seconds(wait_seconds)).await?)
    }

    /// Cancel a run that was begun here.
    #[tool(annotations(destructive_hint = false))]
    async fn cancel_run(&self, Parameters(arguments): Parameters<CancelArguments>) -> Reply {
        let run = named_run(&self.app().await?, &arguments.run).await?;
        self.runner.cancel(&run).await?;
        reply::value(&self.runner.state_after(&run, seconds(DEFAULT_WAIT)).await?)
    }
}
