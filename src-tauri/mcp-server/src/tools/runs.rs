//! Tools that read recorded runs.

use plait_api::ErrorReply;
use plait_api::lens::CompareRuns;
use plait_api::runs::{BillRerun, FindRuns, ListRuns, RerunRequest, RunState, ShowRun};
use plait_core::id::NodeId;
use plait_journal::Side;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{NamedFlow, check_node, flow_of_runs, named_flow, named_run};
use crate::codes;
use crate::reply::{self, Reply};
use crate::server::PlaitServer;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListRunsArguments {
    /// Only runs of this flow file.
    #[serde(default)]
    flow: Option<String>,
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunArguments {
    /// The ID of a run, or how it begins.
    run: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EventsArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// Only events of this node.
    #[serde(default)]
    node: Option<String>,
    /// Only events of this type, such as `node.failed`, or of a group, such as `model`.
    #[serde(default, rename = "type")]
    event_type: Option<String>,
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EventArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// The number of the event, `seq`.
    seq: u64,
    /// A JSON pointer to the value in it, such as `/outputs/text`; the whole event without one.
    #[serde(default)]
    pointer: String,
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindArguments {
    /// A condition in CEL over `value`, `inputs`, `outputs`, `error`, `iteration`, `attempt`, `tokens`, `cost` and `trimmed`.
    #[serde(default)]
    when: Option<String>,
    /// Only at this node.
    #[serde(default)]
    node: Option<String>,
    /// Whether it is asked when a node has its outputs. Otherwise, when it starts.
    #[serde(default)]
    after: bool,
    /// Only runs of this flow file.
    #[serde(default)]
    flow: Option<String>,
    /// At most so many of the newest runs.
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BillArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// The edited flow to run in its place: a file, or the ID of an example flow.
    #[serde(default)]
    flow: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareArguments {
    /// The ID of the first run, or how it begins.
    before: String,
    /// The ID of the second run, or how it begins.
    after: String,
}

#[tool_router(router = run_tools, vis = "pub(crate)")]
impl PlaitServer {
    /// List recorded runs, newest first: status, tokens, cost, and why a run failed.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn list_runs(&self, Parameters(arguments): Parameters<ListRunsArguments>) -> Reply {
        let app = self.app().await?;
        let flow_path = flow_of_runs(&app, arguments.flow.as_deref()).await?;
        let runs = app.call(ListRuns { flow_path, ..ListRuns::default() }).await?;
        reply::list(&runs, arguments.from)
    }

    /// Show how a run stands: its outputs, its error, what it asks, tokens and cost. `read_event` reads long values whole.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn show_run(&self, Parameters(arguments): Parameters<RunArguments>) -> Reply {
        let app = self.app().await?;
        let run = named_run(&app, &arguments.run).await?;
        reply::value(&RunState::of(app.call(ShowRun { run }).await?))
    }

    /// List the events of a run in their order. Long values are cut: `read_event` reads them whole.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn list_events(&self, Parameters(arguments): Parameters<EventsArguments>) -> Reply {
        let app = self.app().await?;
        let run = named_run(&app, &arguments.run).await?;
        let run = app.call(ShowRun { run }).await?;
        check_node(&run, arguments.node.as_deref())?;
        let events: Vec<Value> = run.entries.iter().map(reply::to_json).collect::<Result<_, _>>()?;
        let is_wanted = |event: &&Value| {
            let of_node = arguments.node.as_ref().is_none_or(|node| event["node"] == **node);
            of_node && arguments.event_type.as_ref().is_none_or(|wanted| is_of_type(event, wanted))
        };
        let events: Vec<&Value> = events.iter().filter(is_wanted).collect();
        reply::list(&events, arguments.from)
    }

    /// Read one value of an event whole, in pages of text.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn read_event(&self, Parameters(arguments): Parameters<EventArguments>) -> Reply {
        let app = self.app().await?;
        let run = named_run(&app, &arguments.run).await?;
        let entries = app.call(ShowRun { run: run.clone() }).await?.entries;
        let entry = entries.iter().find(|entry| entry.seq == Some(arguments.seq));
        let event = entry.map(reply::to_json).transpose()?;
        let value = event.as_ref().and_then(|event| event.pointer(&arguments.pointer)).ok_or_else(|| {
            let EventArguments { seq, pointer, .. } = &arguments;
            let message = match pointer.as_str() {
                "" => format!("Run {run} has no event {seq}."),
                pointer => format!("Run {run} has no event {seq} with a value at `{pointer}`."),
            };
            ErrorReply::new(codes::AGENT_NO_EVENT, message).hint("`list_events` lists the events of a run.")
        })?;
        reply::json_text(value, arguments.from)
    }

    /// Find the recorded runs in which a condition held at a node: where a breakpoint with it would have stopped them.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn find_runs(&self, Parameters(arguments): Parameters<FindArguments>) -> Reply {
        let FindArguments { when, node, after, flow, limit } = arguments;
        let side = if after { Side::After } else { Side::Before };
        let node = node.map(NodeId::from);
        let app = self.app().await?;
        let flow_path = flow_of_runs(&app, flow.as_deref()).await?;
        let question = FindRuns { when, node, side, flow_path, limit, ..FindRuns::default() };
        reply::value(&app.call(question).await?)
    }

    /// Say what differs between two runs: the first difference, what follows from it, and what does not.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn compare_runs(&self, Parameters(arguments): Parameters<CompareArguments>) -> Reply {
        let app = self.app().await?;
        let before = named_run(&app, &arguments.before).await?;
        let after = named_run(&app, &arguments.after).await?;
        reply::value(&app.call(CompareRuns { before, after }).await?)
    }

    /// Say what running a run again would reuse, buy and do outside, also with an edited flow. Calls nobody.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn bill_rerun(&self, Parameters(arguments): Parameters<BillArguments>) -> Reply {
        let app = self.app().await?;
        let mut request = RerunRequest::of(named_run(&app, &arguments.run).await?);
        if let Some(name) = &arguments.flow {
            let NamedFlow { flow, path } = named_flow(&app, name).await?;
            (request.flow, request.path) = (Some(flow), path);
        }
        reply::value(&app.call(BillRerun(request)).await?)
    }
}

/// Whether the type is the wanted one, or of the wanted group: `node.failed` is of `node`.
fn is_of_type(event: &Value, wanted: &str) -> bool {
    let event_type = event["type"].as_str().unwrap_or_default();
    event_type == wanted || event_type.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
}
