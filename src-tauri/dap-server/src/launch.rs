//! What a session debugs: the flow that it runs, or the run that it attaches to.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use plait_api::runs::{ListRuns, ResolveRun, RunRequest};
use plait_api::settings::GetSettings;
use plait_api::{Connection, ErrorReply, examples, flow_files};
use plait_core::flow::Flow;
use plait_core::id::{NodeId, PortName, RunId};
use plait_core::quota::Quota;
use plait_formats::pipeline;
use serde_json::Value;

use crate::codes;
use crate::protocol::requests::LaunchArguments;

/// A flow, and its file if it has one.
pub(crate) struct Program {
    pub(crate) flow: Flow,
    pub(crate) path: Option<String>,
}

/// Reads the flow of a file, or an example flow by its id. `flow.*`, with `diagnostics` where it can be read and is no flow.
pub(crate) fn read_program(name: &str) -> Result<Program, ErrorReply> {
    let path = Path::new(name);
    // A file takes precedence over an example flow.
    let (path, text, file) = match examples::text(name) {
        Some(text) if !path.is_file() => (path.with_extension("flow.json"), text.to_owned(), None),
        _ => {
            let file = flow_files::read(path)?;
            let shown = file.path.to_str().map(str::to_owned);
            (file.path, file.text, shown)
        }
    };
    let flow = pipeline::read_file(&path, &text).map_err(|errors| {
        let diagnostics: Vec<_> = errors.into_iter().map(|error| *error.diagnostic).collect();
        let first = diagnostics.first().map_or("It is no flow.", |diagnostic| diagnostic.message.as_str());
        ErrorReply::new(codes::FLOW_INVALID, format!("`{name}` is no flow: {first}"))
            .diagnostics(&diagnostics)
    })?;
    Ok(Program { flow, path: file })
}

/// The run of a flow, as the settings of a session want it. `dap.arguments`.
pub(crate) async fn request(
    app: &Connection,
    program: Program,
    arguments: LaunchArguments,
) -> Result<RunRequest, ErrorReply> {
    let Program { mut flow, path } = program;
    if let Some(usd) = arguments.max_usd {
        limit(app, &mut flow, usd).await?;
    }
    let of_node = |(node, ports): (String, BTreeMap<String, Value>)| {
        let of_port = |(port, value)| (PortName::from(port), Arc::new(value));
        (NodeId::from(node), ports.into_iter().map(of_port).collect())
    };
    Ok(RunRequest {
        flow,
        path,
        input: arguments.input,
        overrides: arguments.values.into_iter().map(of_node).collect(),
        to: arguments.to.map(NodeId::from),
        ignore_pins: arguments.ignore_pins,
        ..RunRequest::default()
    })
}

/// Sets what a run may cost, under the quota that holds for it anyway.
async fn limit(app: &Connection, flow: &mut Flow, usd: f64) -> Result<(), ErrorReply> {
    if !usd.is_finite() || usd <= 0.0 {
        let message = format!("`maxUsd` is {usd}, which is no amount above 0.");
        return Err(ErrorReply::new(codes::DAP_ARGUMENTS, message));
    }
    let own = match &flow.settings.quotas.run {
        Some(own) => Quota::clone(own),
        None => app.call(GetSettings {}).await?.quotas.run.as_deref().cloned().unwrap_or_default(),
    };
    let usd = own.usd.map_or(usd, |own| own.min(usd));
    flow.settings.quotas.run = Some(Arc::new(Quota { usd: Some(usd), ..own }));
    Ok(())
}

/// The run that a person names: by its id, by how that begins, or as `last`. `run.unknown`, `run.ambiguous`.
pub(crate) async fn find_run(app: &Connection, name: &str) -> Result<RunId, ErrorReply> {
    if name != "last" {
        return app.call(ResolveRun { prefix: name.to_owned() }).await;
    }
    let latest = app.call(ListRuns { limit: Some(1), ..ListRuns::default() }).await?;
    latest.into_iter().next().map(|run| run.run).ok_or_else(|| {
        ErrorReply::new(codes::RUN_UNKNOWN, "There are no runs yet.")
            .hint("Start one: launch a flow in place of attaching to a run.")
    })
}
