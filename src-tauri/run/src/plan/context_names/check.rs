//! The problems with the names of contexts: made twice, or named and never made.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::ContextTable;
use crate::codes;
use crate::plan::clocks::Clocks;
use crate::plan::input_overrides::InputOverrides;
use crate::plan::nesting::Nesting;
use crate::plan::wiring::Wiring;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::{ContextId, NodeId};
use plait_core::port::{InputPort, PortKind};

/// Reports contexts that two nodes make, and contexts that a config names and no node makes, also none of the `outer` ones.
/// Returns the contexts that nodes inside may name.
pub(in crate::plan) fn check_context_names(
    wiring: &Wiring,
    nesting: &Nesting,
    clocks: &Clocks,
    table: &ContextTable,
    outer: &BTreeSet<ContextId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeSet<ContextId> {
    let mut per_iteration = BTreeSet::new();
    // Their makers may run once when the refused cycle is fixed, or in every iteration.
    let mut undecided = BTreeSet::new();
    for (vertex, row) in table.rows.iter().enumerate().filter(|(vertex, _)| !clocks.runs_once(*vertex)) {
        let is_undecided = nesting.depends_on_refused(clocks.of(vertex));
        let names = if is_undecided { &mut undecided } else { &mut per_iteration };
        names.extend(row.declared.makes.as_ref().map(ContextId::as_str));
    }
    let mut makers: BTreeMap<&str, &NodeId> = BTreeMap::new();
    for (vertex, row) in table.rows.iter().enumerate().filter(|(vertex, _)| clocks.runs_once(*vertex)) {
        let Some(name) = row.declared.makes.as_ref().map(ContextId::as_str) else { continue };
        let id = &wiring.vertices[vertex].id;
        let of_iteration = || iteration_context_maker(name).filter(|maker| per_iteration.contains(maker));
        if outer.contains(name) {
            let message = format!(
                "`{id}` makes a context named `{name}`, but there is one of this name outside of the loop."
            );
            let found = Diagnostic::on_node(codes::CONTEXT_DUPLICATE, id, message).below("/config/contextId");
            diagnostics.push(found.hint("Give one of them a different `contextId`."));
        } else if let Some(other) = makers.get(name).map(|first| first.as_str()).or_else(of_iteration) {
            let message = format!("`{other}` and `{id}` both make a context named `{name}`.");
            let found = Diagnostic::on_node(codes::CONTEXT_DUPLICATE, id, message).below("/config/contextId");
            diagnostics.push(found.hint("Give one of them a different `contextId`."));
        } else {
            makers.insert(name, id);
        }
    }
    for vertex in &wiring.vertices {
        let Some(name) = vertex.node.behavior().uses_context_id.as_deref() else { continue };
        let (message, hint) = if makers.contains_key(name) || outer.contains(name) {
            continue;
        } else if per_iteration.contains(name) {
            (
                format!(
                    "`{name}` makes a context with a new name in every iteration, so none is named `{name}`."
                ),
                "Clear `contextId`, and connect its `handle` or `context` output to this node.".to_owned(),
            )
        } else if undecided.contains(name) || wiring.unbound.may_make_context {
            continue;
        } else {
            (format!("No node makes a context named `{name}`."), known_contexts(&makers))
        };
        let found =
            Diagnostic::on_node(codes::CONTEXT_UNKNOWN, &vertex.id, message).below("/config/contextId");
        diagnostics.push(found.hint(hint));
    }
    makers.keys().map(|&name| ContextId::from(name)).chain(outer.iter().cloned()).collect()
}

/// Reports nodes with neither a context edge nor a context id.
pub(in crate::plan) fn check_addressed(
    wiring: &Wiring,
    table: &ContextTable,
    overrides: &InputOverrides,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let fed: FxHashSet<(usize, usize)> =
        wiring.wires.iter().map(|wire| (wire.target, wire.target_port)).collect();
    for (at, (vertex, row)) in wiring.vertices.iter().zip(&table.rows).enumerate() {
        let Some(id_input) = row.declared.input else { continue };
        let brings = |(port, input): (usize, &InputPort)| {
            let is_source = input.kind == PortKind::Context || input.name.as_str() == id_input;
            let is_given = overrides.get(&vertex.id).is_some_and(|given| given.contains_key(&input.name));
            let is_omitted = || wiring.omitted.contains(&(vertex.id.clone(), input.name.clone()));
            is_source && (fed.contains(&(at, port)) || is_given || is_omitted())
        };
        if !vertex.node.ports().inputs.iter().enumerate().any(brings) {
            let message = format!("No edge leads a context to this node, and its `{id_input}` names none.");
            let found = Diagnostic::on_node(codes::CONTEXT_NONE, &vertex.id, message);
            diagnostics.push(found.hint(format!("Connect `context` or `{id_input}`, or set `{id_input}`.")));
        }
    }
}

/// Reports nodes in the body of a `forEach` loop that change a context which its iterations share: one that is made outside of it, by
/// name.
pub(in crate::plan) fn check_shared_changes(
    wiring: &Wiring,
    table: &ContextTable,
    shared: &BTreeSet<ContextId>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (vertex, row) in wiring.vertices.iter().zip(&table.rows) {
        if !vertex.node.behavior().changes_context {
            continue;
        }
        let Some(name) = row.works_in.only().and_then(|maker| table.name(maker)) else { continue };
        if shared.contains(name) {
            let message = format!(
                "The iterations of the `forEach` loop share the context `{name}`, so none can change it."
            );
            let found = Diagnostic::on_node(codes::LOOP_CONTEXT_CHANGED, &vertex.id, message);
            diagnostics.push(found.hint("Move the node before the loop, or work in a context that `newContext` makes inside the loop."));
        }
    }
}

fn known_contexts(makers: &BTreeMap<&str, &NodeId>) -> String {
    let names: Vec<_> = makers.keys().map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        "Add a `contextStart` node, which makes `main`.".to_owned()
    } else {
        format!("Known contexts: {}. A `newContext` node makes one named like the node.", names.join(", "))
    }
}

/// The maker of the context that would have this name in an iteration: `critic` for `critic#0` or `critic#2.1`.
fn iteration_context_maker(name: &str) -> Option<&str> {
    let (maker, epoch) = name.rsplit_once('#')?;
    epoch.split('.').all(|counter| counter.parse::<u32>().is_ok()).then_some(maker)
}
