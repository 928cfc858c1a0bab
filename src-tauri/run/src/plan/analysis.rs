//! The phases of planning in their order, and the checks between them. All of them run on every flow, so that a flow that is
//! refused for one reason still reports everything else that is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use super::clocks::{self, Clocks};
use super::context_names::{self, BodyContexts, ContextRow, ContextTable, OuterContexts};

use super::input_conflicts::check_input_conflicts;
use super::input_overrides::{InputOverrides, check_inputs, check_overridden_nodes};
use super::loops;
use super::nesting::{self, Nesting};
use super::pins::check_pins;
use super::shared_contexts::check_shared_contexts;
use super::turn_order::{self, Turns};
use super::wiring::{self, BoundFlow, Wiring};
use crate::node::LoopKind;
use plait_core::config::check_flow_settings;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::{ContextId, NodeId};

/// What each phase found, and all diagnostics. Without an error among them, it can become a plan.
pub(super) struct Analysis {
    /// The flow itself, with the bodies of its loops.
    pub root: ScopeAnalysis,
    pub diagnostics: Vec<Diagnostic>,
}

/// What each phase found about one scope: the flow itself, or the body of a loop.
pub(super) struct ScopeAnalysis {
    pub wiring: Wiring,
    pub nesting: Nesting,
    pub clocks: Clocks,
    pub contexts: ContextTable,
    pub turns: Turns,
    /// The bodies of its loops, by vertex.
    pub bodies: BTreeMap<usize, Self>,
}

impl ScopeAnalysis {
    /// This scope and all scopes inside.
    pub fn scopes(&self) -> Vec<&Self> {
        let mut scopes = vec![self];
        let mut next = 0;
        while let Some(&scope) = scopes.get(next) {
            scopes.extend(scope.bodies.values());
            next += 1;
        }
        scopes
    }

    /// For each node that works in one context or hands one on, here or inside, the node that makes it. Without nodes that may get one of
    /// several contexts.
    pub fn context_makers(&self) -> BTreeMap<NodeId, NodeId> {
        let mut makers = BTreeMap::new();
        for Self { wiring, contexts, .. } in self.scopes() {
            let id = |vertex: usize| wiring.vertices[vertex].id.clone();
            let rows = contexts.rows.iter().enumerate().filter(|(vertex, _)| !wiring.is_border(*vertex));
            let made_here =
                |row: &ContextRow| row.hands_on.only().filter(|&maker| maker < wiring.vertices.len());
            makers.extend(rows.filter_map(|(vertex, row)| Some((id(vertex), id(made_here(row)?)))));
        }
        makers
    }
}

/// Runs all phases on a flow. `silent` are the nodes that run a flow that never asks a person.
pub(super) fn analyze(
    flow: BoundFlow<'_>,
    overrides: &InputOverrides,
    silent: &BTreeSet<NodeId>,
) -> Analysis {
    let mut diagnostics = flow.flow.unconfirmed_problems();
    let settings = &flow.flow.settings;
    let wiring = wiring::wire(flow, silent, &mut diagnostics);
    diagnostics.extend(settings.window().err());
    diagnostics.extend(settings.concurrency().err());
    diagnostics.extend(settings.unattended_epochs().err());
    diagnostics.extend(settings.tree_limits().err());
    diagnostics.extend(settings.memory().err());
    diagnostics.extend(settings.folder_problems());
    diagnostics.extend(settings.quota_problems());
    diagnostics.extend(check_flow_settings(settings));
    check_overridden_nodes(&wiring, overrides, &mut diagnostics);
    let root =
        analyze_scope(wiring, overrides, &OuterContexts::default(), &BTreeSet::new(), &mut diagnostics);
    Analysis { root, diagnostics }
}

/// Runs the phases on one scope and those inside. `outer` are the contexts that are made outside, `shared` those that iterations of a
/// `forEach` loop around the scope share. The depth of the recursion is limited by that of loops.
fn analyze_scope(
    mut wiring: Wiring,
    overrides: &InputOverrides,
    outer: &OuterContexts,
    shared: &BTreeSet<ContextId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> ScopeAnalysis {
    check_inputs(&wiring, overrides, diagnostics);
    loops::check_exits(&wiring, diagnostics);
    loops::check_conversations(&wiring, diagnostics);
    let bodies = std::mem::take(&mut wiring.bodies);
    let mut uses = BTreeMap::new();
    for (&vertex, body) in &bodies {
        uses.insert(vertex, BodyContexts::of(body, overrides));
    }
    let nesting = nesting::nest(&wiring, diagnostics);
    loops::check_limits(&wiring, &nesting, diagnostics);
    check_pins(&wiring, &nesting, diagnostics);
    let clocks = clocks::set_clocks(&wiring, &nesting, diagnostics);
    let contexts = ContextTable::of(&wiring, &nesting, &clocks, &uses, outer, overrides);
    let turns = turn_order::order_turns(&wiring, &nesting, &clocks, &contexts, diagnostics);
    check_input_conflicts(&wiring, &nesting, &turns, diagnostics);
    check_shared_contexts(&wiring, &nesting, &clocks, &turns, diagnostics);
    context_names::check_addressed(&wiring, &contexts, overrides, diagnostics);
    let names =
        context_names::check_context_names(&wiring, &nesting, &clocks, &contexts, &outer.names, diagnostics);
    context_names::check_shared_changes(&wiring, &contexts, shared, diagnostics);
    let bodies = bodies.into_iter().map(|(vertex, body)| {
        let outer = contexts.outside_of(&wiring, vertex, names.clone(), overrides);
        let repeats = wiring.vertices[vertex].node.behavior().repeats.as_ref();
        let is_for_each = repeats.is_some_and(|repeats| matches!(repeats.kind, LoopKind::ForEach { .. }));
        let shared = if is_for_each { &outer.names } else { shared };
        (vertex, analyze_scope(body, overrides, &outer, shared, diagnostics))
    });
    let bodies = bodies.collect();
    ScopeAnalysis { wiring, nesting, clocks, contexts, turns, bodies }
}
