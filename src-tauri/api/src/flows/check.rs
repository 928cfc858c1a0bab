//! What is wrong with a flow and with the flows it calls, as far as that can be seen without running: files that are not
//! there or are no flows, flows that can't run, flows that would come to be inside of themselves. Reads files, executes
//! nothing.

use std::collections::HashMap;

use plait_engine::diagnostic::{Diagnostic, Severity};
use plait_engine::flow::Flow;
use plait_engine::id::NodeId;
use plait_engine::node::Registry;
use plait_engine::plan::{CheckedFlow, check};
use plait_engine::subflow::{ChildFlow, MAX_DEPTH};

use crate::ErrorReply;
use crate::flows::subflows::{self, Called};

/// Checks a flow together with those it calls; `path` is its own file, if it has one.
pub fn check_tree(flow: &Flow, path: Option<&str>, registry: &Registry) -> CheckedFlow {
    let mut checked = check(flow, registry);
    let chain = path.map(|path| vec![(path.to_owned(), subflows::file_name(path))]).unwrap_or_default();
    let mut tree = Tree { registry, chain, known: HashMap::new() };
    checked.diagnostics.extend(tree.calls(flow, path));
    checked
}

struct Tree<'a> {
    registry: &'a Registry,
    /// The files that call one another down to here: path and name.
    chain: Vec<(String, String)>,
    /// What was found in files that were looked into: each but once, however many call it.
    known: HashMap<String, Option<ErrorReply>>,
}

impl Tree<'_> {
    /// What is wrong with the flows that the nodes of this one call, at those nodes.
    fn calls(&mut self, flow: &Flow, path: Option<&str>) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (id, node) in &flow.nodes {
            let Some(Ok(bound)) = self.registry.bind(id, &node.node_type, &node.config) else { continue };
            match &bound.behavior().calls {
                None => {}
                Some(ChildFlow::File(file)) => {
                    found.extend(self.file(file, path).map(|error| at_file(id, error)));
                }
                Some(ChildFlow::Inner(inner)) => {
                    let mut inside = check(inner, self.registry).diagnostics;
                    inside.extend(self.calls(inner, path));
                    found.extend(inside.into_iter().map(|one| inside_of(id, one)));
                }
            }
        }
        found
    }

    /// Why a node can't call this file, if it can't.
    fn file(&mut self, file: &str, parent: Option<&str>) -> Option<ErrorReply> {
        let called = match subflows::read(file, parent) {
            Ok(called) => called,
            Err(error) => return Some(error),
        };
        let key = called.path.clone().unwrap_or_else(|| format!("example {}", called.name));
        if self.chain.iter().any(|(above, _)| *above == key) {
            let mut names: Vec<String> = self.chain.iter().map(|(_, name)| name.clone()).collect();
            names.push(called.name);
            return Some(subflows::recursion(&names));
        }
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.chain.len() >= MAX_DEPTH {
            return Some(subflows::too_deep(self.chain.iter().map(|(_, name)| name.as_str())));
        }
        self.chain.push((key.clone(), called.name.clone()));
        let wrong = self.inside(&called);
        self.chain.pop();
        // A recursion is told of from where one looks; the file by itself may be called from elsewhere.
        if wrong.as_ref().is_none_or(|error| error.code != "subflow.recursion") {
            self.known.insert(key, wrong.clone());
        }
        wrong
    }

    /// The first thing that keeps a called flow from running.
    fn inside(&mut self, called: &Called) -> Option<ErrorReply> {
        let mut errors = check(&called.flow, self.registry).diagnostics;
        errors.extend(self.calls(&called.flow, called.path.as_deref()));
        errors.retain(|one| one.severity == Severity::Error);
        // What comes from further down keeps its own words.
        if let Some(deep) =
            errors.iter().find(|one| matches!(&*one.code, "subflow.recursion" | "subflow.too_deep"))
        {
            let reply = ErrorReply::new(&deep.code, deep.message.clone());
            return Some(match &deep.hint {
                Some(hint) => reply.hint(hint.clone()),
                None => reply,
            });
        }
        let first = errors.first()?;
        let more = if errors.len() > 1 { format!(" (and {} more)", errors.len() - 1) } else { String::new() };
        let message = format!("`{}` can't run: {}, {}{more}", called.name, first.pointer, first.message);
        Some(
            ErrorReply::new("subflow.invalid", message)
                .hint("Open that flow and mend what its diagnostics name."),
        )
    }
}

fn at_file(id: &NodeId, error: ErrorReply) -> Diagnostic {
    let found = Diagnostic::on_node(&error.code, id, error.message).below("/config/file");
    match error.hint {
        Some(hint) => found.hint(hint),
        None => found,
    }
}

/// A finding inside of a node's own flow, at its place in the whole file.
fn inside_of(id: &NodeId, found: Diagnostic) -> Diagnostic {
    let place = Diagnostic::on_node(&found.code, id, "").below("/config/flow").below(&found.pointer);
    let inner =
        found.node.as_ref().map_or_else(|| "Inside: ".to_owned(), |node| format!("Inside, at `{node}`: "));
    Diagnostic {
        message: format!("{inner}{}", found.message),
        severity: found.severity,
        hint: found.hint,
        ..place
    }
}
