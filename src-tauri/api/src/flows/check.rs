//! `flow.check`: the problems of a flow and of its sub-flows, as far as they can be found without running it. For sub-flows
//! these are files that are missing or invalid, and recursion. Reads files, executes nothing.

use plait_engine::error::ErrorCode;
use std::collections::HashMap;

use plait_engine::diagnostic::{Diagnostic, Severity};
use plait_engine::flow::Flow;
use plait_engine::host::subflow::{ChildFlow, MAX_DEPTH};
use plait_engine::id::NodeId;
use plait_engine::node::Registry;
use plait_engine::plan::{CheckedFlow, check};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::FlowService;
use super::subflows::{self, Subflow};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `flow.check`: the problems of a flow. Runs nothing.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CheckFlow {
    /// The flow.
    pub flow: Flow,
    /// Its file, if it has one. The paths of sub-flows are relative to its folder.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

impl Command for CheckFlow {
    const NAME: &'static str = "flow.check";
    type Service = FlowService;
    type Reply = CheckedFlow;

    async fn run(self, service: &FlowService) -> Result<CheckedFlow, ErrorReply> {
        let registry = service.registry.clone();
        // A flow of a million nodes takes seconds.
        run_blocking(move || Ok(check_with_subflows(&self.flow, self.path.as_deref(), &registry))).await
    }
}

/// Checks a flow and its sub-flows. `path` is the file of the flow, if it has one.
pub fn check_with_subflows(flow: &Flow, path: Option<&str>, registry: &Registry) -> CheckedFlow {
    let mut checked = check(flow, registry);
    let ancestors = path.map(|path| vec![(path.to_owned(), subflows::file_name(path))]).unwrap_or_default();
    let mut subflow_checker = SubflowChecker { registry, ancestors, checked_files: HashMap::new() };
    checked.diagnostics.extend(subflow_checker.check_nodes(flow, path));
    checked
}

struct SubflowChecker<'a> {
    registry: &'a Registry,
    /// The files from the root to the flow that is being checked: path and name.
    ancestors: Vec<(String, String)>,
    /// The result for each file, so that a file with several callers is checked once.
    checked_files: HashMap<String, Option<ErrorReply>>,
}

impl SubflowChecker<'_> {
    /// The problems of the sub-flows of this flow, reported on the nodes that run them.
    fn check_nodes(&mut self, flow: &Flow, path: Option<&str>) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (id, node) in &flow.nodes {
            let Some(Ok(bound)) = self.registry.bind(id, &node.node_type, &node.config) else { continue };
            match &bound.behavior().calls {
                None => {}
                Some(ChildFlow::File(file)) => {
                    diagnostics.extend(self.check_file(file, path).map(|error| file_diagnostic(id, error)));
                }
                Some(ChildFlow::Inner(inner)) => {
                    let mut nested = check(inner, self.registry).diagnostics;
                    nested.extend(self.check_nodes(inner, path));
                    diagnostics
                        .extend(nested.into_iter().map(|diagnostic| nested_diagnostic(id, diagnostic)));
                }
            }
        }
        diagnostics
    }

    /// Why a flow in `parent` cannot run this file, if it cannot.
    fn check_file(&mut self, file: &str, parent: Option<&str>) -> Option<ErrorReply> {
        let subflow = match subflows::read(file, parent) {
            Ok(subflow) => subflow,
            Err(error) => return Some(error),
        };
        let key = subflow.path.clone().unwrap_or_else(|| format!("example {}", subflow.name));
        if self.ancestors.iter().any(|(path, _)| *path == key) {
            let mut names: Vec<String> = self.ancestors.iter().map(|(_, name)| name.clone()).collect();
            names.push(subflow.name);
            return Some(subflows::recursion(&names));
        }
        if let Some(result) = self.checked_files.get(&key) {
            return result.clone();
        }
        if self.ancestors.len() >= MAX_DEPTH {
            return Some(subflows::too_deep(self.ancestors.iter().map(|(_, name)| name.as_str())));
        }
        self.ancestors.push((key.clone(), subflow.name.clone()));
        let error = self.first_error(&subflow);
        self.ancestors.pop();
        // Recursion depends on the caller: the same file may be valid when another flow runs it.
        if error.as_ref().is_none_or(|error| error.code != ErrorCode::SubflowRecursion) {
            self.checked_files.insert(key, error.clone());
        }
        error
    }

    /// The first error that keeps a sub-flow from running.
    fn first_error(&mut self, subflow: &Subflow) -> Option<ErrorReply> {
        let mut errors = check(&subflow.flow, self.registry).diagnostics;
        errors.extend(self.check_nodes(&subflow.flow, subflow.path.as_deref()));
        errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
        // These name the whole chain of flows, so they are passed on unchanged.
        let is_chain_error = |error: &&Diagnostic| {
            matches!(error.code, ErrorCode::SubflowRecursion | ErrorCode::SubflowTooDeep)
        };
        if let Some(error) = errors.iter().find(is_chain_error) {
            let reply = ErrorReply::new(error.code.clone(), error.message.clone());
            return Some(match &error.hint {
                Some(hint) => reply.hint(hint.clone()),
                None => reply,
            });
        }
        let first = errors.first()?;
        let more = if errors.len() > 1 { format!(" (and {} more)", errors.len() - 1) } else { String::new() };
        let message = format!("`{}` can't run: {}, {}{more}", subflow.name, first.pointer, first.message);
        Some(
            ErrorReply::new(ErrorCode::SubflowInvalid, message)
                .hint("Open that flow and fix the problems that its diagnostics list."),
        )
    }
}

/// The error of a sub-flow file, as a diagnostic on the node that runs it.
fn file_diagnostic(id: &NodeId, error: ErrorReply) -> Diagnostic {
    let diagnostic = Diagnostic::on_node(error.code.clone(), id, error.message).below("/config/file");
    match error.hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// A diagnostic in the flow inside a node's config, with its position in the whole file.
fn nested_diagnostic(id: &NodeId, nested: Diagnostic) -> Diagnostic {
    let position =
        Diagnostic::on_node(nested.code.clone(), id, "").below("/config/flow").below(&nested.pointer);
    let prefix =
        nested.node.as_ref().map_or_else(|| "Inside: ".to_owned(), |node| format!("Inside, at `{node}`: "));
    Diagnostic {
        message: format!("{prefix}{}", nested.message),
        severity: nested.severity,
        hint: nested.hint,
        ..position
    }
}
