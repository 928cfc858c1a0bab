//! The phases of planning in their order, and the checks between them. All of them run on every flow, so that a flow that is
//! refused for one reason still reports everything else that is wrong with it.

use std::collections::BTreeSet;

use super::clocks::{self, Clocks};
use super::context_names::{self, ContextTable};
use super::input_conflicts::check_input_conflicts;
use super::input_overrides::{InputOverrides, check_inputs};
use super::nesting::{self, Nesting};
use super::shared_contexts::check_shared_contexts;
use super::turn_order::{self, Turns};
use super::wiring::{self, BoundFlow, Wiring};
use crate::diagnostic::Diagnostic;
use crate::id::NodeId;

/// What each phase found, and all diagnostics. Without an error among them, it can become a plan.
pub(super) struct Analysis {
    pub wiring: Wiring,
    pub nesting: Nesting,
    pub clocks: Clocks,
    pub contexts: ContextTable,
    pub turns: Turns,
    pub diagnostics: Vec<Diagnostic>,
}

/// Runs all phases on a flow. `silent` are the nodes that run a flow that never asks a person.
pub(super) fn analyze(
    flow: BoundFlow<'_>,
    overrides: &InputOverrides,
    silent: &BTreeSet<NodeId>,
) -> Analysis {
    let mut diagnostics = Vec::new();
    let settings = &flow.flow.settings;
    let wiring = wiring::wire(flow, silent, &mut diagnostics);
    diagnostics.extend(settings.window().err());
    diagnostics.extend(settings.concurrency().err());
    diagnostics.extend(settings.unattended_epochs().err());
    diagnostics.extend(settings.tree_limits().err());
    diagnostics.extend(settings.memory().err());
    diagnostics.extend(settings.folder_problems());
    check_inputs(&wiring, overrides, &mut diagnostics);
    let nesting = nesting::nest(&wiring, &mut diagnostics);
    let clocks = clocks::set_clocks(&wiring, &nesting, &mut diagnostics);
    let contexts = ContextTable::of(&wiring, &nesting, &clocks, overrides);
    let turns = turn_order::order_turns(&wiring, &nesting, &clocks, &contexts, &mut diagnostics);
    check_input_conflicts(&wiring, &nesting, &turns, &mut diagnostics);
    check_shared_contexts(&wiring, &nesting, &clocks, &turns, &mut diagnostics);
    context_names::check_context_names(&wiring, &nesting, &clocks, &contexts, &mut diagnostics);
    Analysis { wiring, nesting, clocks, contexts, turns, diagnostics }
}
