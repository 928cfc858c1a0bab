//! `flow.check`: the problems of a flow and of its sub-flows, as far as they can be found without running it. For sub-flows
//! these are files that are missing or invalid, and recursion. Reads files, executes nothing.

use plait_core::config::with_settings;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use plait_adapters::FileAccess;
use plait_core::diagnostic::{Diagnostic, Severity};
use plait_core::flow::Flow;
use plait_core::id::{NodeId, PortName};
use plait_journal::InputOverrides;
use plait_run::host::subflow::{ChildFlow, MAX_DEPTH};
use plait_run::node::{BoundNode, Registry};
use plait_run::plan::{BoundFlow, CheckedFlow, check_bound};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::installed::Installed;
use super::never_runs::never_runs;
use super::refused_sampling::refused_sampling;
use super::secrets;
use super::service::FlowService;
use super::subflows;
use super::unknown_names::own_tool_names;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `flow.check`: the problems of a flow. Runs nothing.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CheckFlow {
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
        let sources = service.installed.clone();
        // A flow of a million nodes takes seconds.
        run_blocking(move || {
            let installed = Installed::of(&sources);
            Ok(check_with_subflows(&self.flow, self.path.as_deref(), &registry, &installed))
        })
        .await
    }
}

/// Checks a flow and its sub-flows, as they would run here, from each of its triggers. `path` is the file of the flow, if it has one.
pub fn check_with_subflows(
    flow: &Flow,
    path: Option<&str>,
    registry: &Registry,
    installed: &Installed,
) -> CheckedFlow {
    let mut checked = check_way_in(flow, path, registry, installed);
    let taken = flow.trigger();
    for trigger in flow.triggers().filter(|id| Some(*id) != taken) {
        let mut other = flow.clone();
        other.choose_trigger(trigger);
        for mut found in check_way_in(&other, path, registry, installed).diagnostics {
            let is_same = |known: &Diagnostic| (&known.code, &known.pointer) == (&found.code, &found.pointer);
            if !checked.diagnostics.iter().any(is_same) {
                found.message = format!("In runs from `{trigger}`: {}", found.message);
                found.trigger = Some(trigger.clone());
                checked.diagnostics.push(found);
            }
        }
    }
    checked
}

/// Checks the way into a flow that runs take by default.
fn check_way_in(flow: &Flow, path: Option<&str>, registry: &Registry, installed: &Installed) -> CheckedFlow {
    let completed = with_settings(flow, &installed.config);
    let bound = BoundFlow::new(&completed, registry);
    let mut of_subflows = SubflowChecker::new(path, registry, installed);
    let children = of_subflows.check_nodes(bound.enabled_nodes(), path);
    let mut checked = check_bound(bound, &children.silent, &InputOverrides::new());
    let missing = never_runs(&completed, &checked.contexts, registry, installed, &of_subflows.tools);
    checked.diagnostics.extend(missing);
    checked.diagnostics.retain(|found| !is_of_settings(flow, found));
    checked.diagnostics.extend(children.diagnostics);
    checked.diagnostics.extend(secrets::diagnostics(flow));
    checked.diagnostics.extend(refused_sampling(flow));
    checked
}

/// Whether a finding is about a value that the settings of the application give to the flow, which sets none itself.
fn is_of_settings(flow: &Flow, found: &Diagnostic) -> bool {
    let is_warning = [codes::CONFIG_NO_EFFECT, codes::PROVIDER_UNKNOWN].contains(&found.code);
    let Some(place) = found.pointer.strip_prefix("/settings").filter(|_| is_warning) else {
        return false;
    };
    let own = serde_json::to_value(&flow.settings).unwrap_or_default();
    own.pointer(place).is_none()
}

pub(super) struct SubflowChecker<'a> {
    registry: &'a Registry,
    installed: &'a Installed,
    access: FileAccess,
    /// The files from the root to the flow that is being checked: path and name.
    ancestors: Vec<(String, String)>,
    /// The result for each file and the inputs that it is given, so that a file with several callers is checked once.
    checked_files: HashMap<(String, Vec<GivenInput>), CheckedFile>,
    /// The names of Plait's own tools.
    pub(super) tools: BTreeSet<String>,
}

/// An input of a flow that the node around it gives a value to.
type GivenInput = (NodeId, PortName);

/// These inputs, with values that are known only in a run.
fn given(inputs: &[GivenInput]) -> InputOverrides {
    let mut overrides = InputOverrides::new();
    for (node, port) in inputs {
        overrides.entry(node.clone()).or_default().insert(port.clone(), Arc::default());
    }
    overrides
}

/// The facts about nodes that run other flows.
#[derive(Default)]
pub(super) struct Children {
    /// The problems of these flows, reported on the nodes that run them.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The nodes with flows that never ask a person.
    silent: BTreeSet<NodeId>,
    /// Whether any node of the flow, or of a flow that it runs, can ask a person.
    can_ask: bool,
}

/// The facts about the file of a sub-flow.
#[derive(Clone)]
struct CheckedFile {
    /// Why it can't run, if it can't.
    error: Option<ErrorReply>,
    /// Whether it can ask a person. A file that can't be read might.
    can_ask: bool,
}

impl CheckedFile {
    fn invalid(error: ErrorReply) -> Self {
        Self { error: Some(error), can_ask: true }
    }
}

impl<'a> SubflowChecker<'a> {
    pub(super) fn new(path: Option<&str>, registry: &'a Registry, installed: &'a Installed) -> Self {
        let ancestors =
            path.map(|path| vec![(path.to_owned(), subflows::file_name(path))]).unwrap_or_default();
        Self {
            registry,
            installed,
            access: FileAccess::of_process(None),
            ancestors,
            checked_files: HashMap::new(),
            tools: own_tool_names(registry),
        }
    }

    /// Checks the flows that these nodes run. `path` is the file of the nodes.
    pub(super) fn check_nodes<'n>(
        &mut self,
        nodes: impl Iterator<Item = (&'n NodeId, &'n Arc<dyn BoundNode>)>,
        path: Option<&str>,
    ) -> Children {
        let mut children = Children::default();
        for (id, node) in nodes {
            let behavior = node.behavior();
            let can_ask = match &behavior.calls {
                None => behavior.pauses,
                Some(ChildFlow::File(file)) => {
                    let CheckedFile { error, can_ask } = self.check_file(file, path, &behavior.gives);
                    children.diagnostics.extend(error.map(|error| file_diagnostic(id, error)));
                    can_ask
                }
                Some(ChildFlow::Inner(inner)) => {
                    let completed = with_settings(inner, &self.installed.config);
                    let bound = BoundFlow::new(&completed, self.registry);
                    let nested = self.check_nodes(bound.enabled_nodes(), path);
                    let checked = check_bound(bound, &nested.silent, &given(&behavior.gives));
                    let missing = self.never_runs(&completed, &checked);
                    let own = checked.diagnostics.into_iter().chain(missing);
                    let own = own.filter(|found| !is_of_settings(inner, found));
                    let found = own.chain(nested.diagnostics);
                    children.diagnostics.extend(found.map(|diagnostic| nested_diagnostic(id, diagnostic)));
                    nested.can_ask
                }
            };
            children.can_ask |= can_ask;
            if behavior.calls.is_some() && !can_ask {
                children.silent.insert(id.clone());
            }
        }
        children
    }

    fn check_file(&mut self, file: &str, parent: Option<&str>, gives: &[GivenInput]) -> CheckedFile {
        let subflow = match subflows::read(file, parent, &self.access) {
            Ok(subflow) => subflow,
            Err(error) => return CheckedFile::invalid(error),
        };
        let path = subflow.path.clone().unwrap_or_else(|| format!("example {}", subflow.name));
        if self.ancestors.iter().any(|(ancestor, _)| *ancestor == path) {
            let mut names: Vec<String> = self.ancestors.iter().map(|(_, name)| name.clone()).collect();
            names.push(subflow.name);
            return CheckedFile::invalid(subflows::recursion(&names));
        }
        let key = (path.clone(), gives.to_vec());
        if let Some(result) = self.checked_files.get(&key) {
            return result.clone();
        }
        if self.ancestors.len() >= MAX_DEPTH {
            let chain = self.ancestors.iter().map(|(_, name)| name.as_str());
            return CheckedFile::invalid(subflows::too_deep(chain));
        }
        self.ancestors.push((path, subflow.name.clone()));
        let completed = with_settings(&subflow.flow, &self.installed.config);
        let bound = BoundFlow::new(&completed, self.registry);
        let children = self.check_nodes(bound.enabled_nodes(), subflow.path.as_deref());
        self.ancestors.pop();
        let own = check_bound(bound, &children.silent, &given(gives));
        let missing = self.never_runs(&completed, &own);
        let errors = own.diagnostics.into_iter().chain(missing).chain(children.diagnostics);
        let errors: Vec<_> = errors.filter(|found| found.severity == Severity::Error).collect();
        let checked = CheckedFile { error: first_error(&subflow.name, &errors), can_ask: children.can_ask };
        // Recursion depends on the caller: the same file may be valid when another flow runs it.
        if checked.error.as_ref().is_none_or(|error| error.code != codes::SUBFLOW_RECURSION) {
            self.checked_files.insert(key, checked.clone());
        }
        checked
    }

    fn never_runs(&self, flow: &Flow, checked: &CheckedFlow) -> Vec<Diagnostic> {
        never_runs(flow, &checked.contexts, self.registry, self.installed, &self.tools)
    }
}

/// The first error that keeps a sub-flow from running.
fn first_error(name: &str, errors: &[Diagnostic]) -> Option<ErrorReply> {
    // These name the whole chain of flows, so they are passed on unchanged.
    let is_chain_error =
        |error: &&Diagnostic| [codes::SUBFLOW_RECURSION, codes::SUBFLOW_TOO_DEEP].contains(&error.code);
    if let Some(error) = errors.iter().find(is_chain_error) {
        let reply = ErrorReply::new(error.code.clone(), error.message.clone());
        return Some(match &error.hint {
            Some(hint) => reply.hint(hint.clone()),
            None => reply,
        });
    }
    let first = errors.first()?;
    let more = if errors.len() > 1 { format!(" (and {} more)", errors.len() - 1) } else { String::new() };
    let message = format!("`{name}` can't run: {}, {}{more}", first.pointer, first.message);
    Some(
        ErrorReply::new(codes::SUBFLOW_INVALID, message)
            .hint("Open that flow and fix the problems that its diagnostics list."),
    )
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
