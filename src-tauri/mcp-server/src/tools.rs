//! The tools, by what they are about.

mod control;
mod flows;
mod prompts;
mod proposals;
mod runs;

use std::path::Path;

use plait_api::ErrorReply;
use plait_api::flows::{OpenExample, ReadFlow, examples, is_flow_file};
use plait_api::runs::ResolveRun;
use plait_core::flow::Flow;
use plait_core::id::RunId;

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

/// The run with this ID, or with one that begins like this.
async fn named_run(app: &InUse, name: &str) -> Result<RunId, ErrorReply> {
    app.call(ResolveRun { prefix: name.to_owned() }).await
}
