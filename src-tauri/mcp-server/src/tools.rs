//! The tools, by what they are about.

mod control;
mod flows;
mod prompts;
mod proposals;
mod runs;

use std::path::Path;

use plait_api::ErrorReply;
use plait_api::flows::{OpenExample, ReadFlow, examples, is_flow_file};
use plait_api::runs::{ListRuns, ResolveRun, RunDetail};
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::Entry;

use crate::application::InUse;
use crate::codes;

/// A flow, and its file if it has one.
struct NamedFlow {
    flow: Flow,
    path: Option<String>,
}

/// Reads a flow file, or an example flow by its ID. `agent.not_a_flow`, and the errors of `flow.read`.
async fn named_flow(app: &InUse, name: &str) -> Result<NamedFlow, ErrorReply> {
    if examples::IDS.contains(&name) {
        let flow = app.call(OpenExample { id: name.to_owned() }).await?;
        return Ok(NamedFlow { flow, path: None });
    }
    let path = flow_path(name)?;
    let flow = app.call(ReadFlow { path: Some(path.clone()), text: None, name: None }).await?;
    Ok(NamedFlow { flow, path: Some(path) })
}

/// The file of a flow, as runs and grants have it: absolute, with links resolved. It need not exist any more. `agent.not_a_flow`.
fn flow_path(name: &str) -> Result<String, ErrorReply> {
    if !is_flow_file(Path::new(name)) {
        let message = format!("`{name}` is no flow file, and no example flow.");
        return Err(ErrorReply::new(codes::AGENT_NOT_A_FLOW, message).hint(
            "Flow files end in `.flow.json`, pipelines in `.yaml` or `.yml`. `list_flows` lists them.",
        ));
    }
    let path = std::fs::canonicalize(name).or_else(|_| std::path::absolute(name));
    Ok(path.map_or_else(|_| name.to_owned(), |path| path.display().to_string()))
}

/// The file whose runs are meant. `agent.not_a_flow` if there is neither the file nor a run of it.
async fn flow_of_runs(app: &InUse, name: Option<&str>) -> Result<Option<String>, ErrorReply> {
    let Some(name) = name else { return Ok(None) };
    let path = flow_path(name)?;
    if !Path::new(&path).exists() {
        let of_flow = ListRuns { flow_path: Some(path.clone()), limit: Some(1), ..ListRuns::default() };
        if app.call(of_flow).await?.is_empty() {
            let message = format!("There is no file `{path}`, and no run of it.");
            return Err(
                ErrorReply::new(codes::AGENT_NOT_A_FLOW, message).hint("`list_flows` lists the flows.")
            );
        }
    }
    Ok(Some(path))
}

/// `agent.no_node` if a run has no such node: neither its flow nor its events know it.
fn check_node(run: &RunDetail, node: Option<&str>) -> Result<(), ErrorReply> {
    let Some(node) = node else { return Ok(()) };
    let is_of_event = |entry: &Entry| entry.event.activation().is_some_and(|at| at.node.as_str() == node);
    if run.flow.nodes.contains_key(node) || run.entries.iter().any(is_of_event) {
        return Ok(());
    }
    let message = format!("Run {} has no node `{node}`.", run.summary.run);
    Err(ErrorReply::new(codes::AGENT_NO_NODE, message).hint("`read_flow` and `list_events` name the nodes."))
}

/// The run with this ID, or with one that begins like this.
async fn named_run(app: &InUse, name: &str) -> Result<RunId, ErrorReply> {
    app.call(ResolveRun { prefix: name.to_owned() }).await
}
