//! "Run to X" runs what X depends on, stops when X has finished once, and has the outputs of X.
//!
//! A loop around X is needed for what comes into it, not for what its body gives to it. Its iterations run one after the other,
//! so that it does not depend on timing in which of them X finishes first.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::flow::Flow;
use plait_core::id::{Activation, NodeId, PortName};
use plait_journal::RunEnd;
use proptest::prelude::*;

use super::matches_reference::{
    assert_matches, assert_matches_in_part, assert_same_plan, final_outputs, is_limit_of_engine,
};
use super::{assert_all_final, assert_holds, assert_holds_with_loops, errors, expected};
use crate::generate::Case;
use crate::journal_summary::{ActivationRecord, Final, format_journal, summarize};
use crate::nodes::Settings;
use crate::reference::{ExpectedEnd, FlowAnalysis};
use crate::run_harness::{Ending, Schedule};

fn is(flow: &Flow, id: &NodeId, kind: &str) -> bool {
    flow.nodes[id].node_type == kind
}

/// The sources of a node's edges; of a portal's exit, all its entrances.
fn sources(flow: &Flow, id: &NodeId) -> BTreeSet<NodeId> {
    let channel = |id: &NodeId| -> String {
        let settings: Settings = serde_json::from_value(flow.nodes[id].config.clone().into()).unwrap();
        settings.channel
    };
    let edges = flow.edges.values().filter(|edge| edge.target == *id).map(|edge| &edge.source);
    let way_in = |other: &&NodeId| {
        is(flow, id, "portalOut") && is(flow, other, "portalIn") && channel(other) == channel(id)
    };
    edges.chain(flow.nodes.keys().filter(way_in)).cloned().collect()
}

/// All nodes that lead to a node in one step or more.
pub fn before(flow: &Flow, id: &NodeId) -> BTreeSet<NodeId> {
    let mut found = sources(flow, id);
    loop {
        let count = found.len();
        found.extend(found.clone().iter().flat_map(|id| sources(flow, id)));
        if found.len() == count {
            return found;
        }
    }
}

/// Whether a node is in a loop, or in a cycle or behind one, so that its contexts have a new name in every iteration.
fn runs_per_iteration(flow: &Flow, id: &NodeId) -> bool {
    // What a body gives to its loop makes no cycle.
    let mut acyclic = flow.clone();
    acyclic.edges.retain(|_, edge| !is_around(flow, &edge.target, &edge.source));
    let flow = acyclic;
    let mut all = before(&flow, id);
    all.insert(id.clone());
    flow.nodes[id].parent.is_some() || all.iter().any(|id| before(&flow, id).contains(id))
}

/// The loops around a node, innermost first.
fn path<'a>(flow: &'a Flow, id: &NodeId) -> impl Iterator<Item = &'a NodeId> {
    let parent = |id: &NodeId| flow.nodes[id].parent.as_ref();
    std::iter::successors(parent(id), move |id| parent(id))
}

fn is_around(flow: &Flow, container: &NodeId, id: &NodeId) -> bool {
    path(flow, id).any(|around| around == container)
}

/// A target among the nodes of a case.
pub fn target(case: &Case) -> NodeId {
    let runs = |id: &&NodeId| !case.flow.nodes[*id].node_type.starts_with("portal");
    let nodes: Vec<&NodeId> = case.flow.nodes.keys().filter(runs).collect();
    nodes[usize::try_from(case.seed % 64).unwrap() % nodes.len()].clone()
}

/// The flow restricted to a node and all that leads to it, also through portals and cycles. If a value names a
/// node's context at run time, the node needs all makers of contexts that can be named.
pub fn ancestors(case: &Case, target: &NodeId) -> Flow {
    let flow = &case.flow;
    let settings = |id: &NodeId| -> Settings {
        if is(flow, id, "loop") {
            return Settings::default();
        }
        serde_json::from_value(flow.nodes[id].config.clone().into()).unwrap()
    };
    let parent = |id: &NodeId| flow.nodes[id].parent.as_ref();
    let given_name = |id: &NodeId| {
        let who = case.overrides.get(id).and_then(|ports| ports.get(&PortName::from("who")));
        who.map(|value| value["contextId"].as_str().unwrap_or_default())
    };
    let named_at_run_time = |id: &NodeId| {
        let mut edges =
            flow.edges.values().filter(|edge| edge.target == *id && edge.target_input.as_str() == "who");
        given_name(id).is_none() && edges.any(|edge| !is(flow, &edge.source, "context"))
    };
    let mut needed = BTreeSet::from([target.clone()]);
    loop {
        let count = needed.len();
        for id in needed.clone() {
            let is_around_target = is_around(flow, &id, target);
            let sources = sources(flow, &id).into_iter();
            needed.extend(sources.filter(|source| !(is_around_target && is_around(flow, &id, source))));
            needed.extend(parent(&id).cloned());
            if !is_around_target {
                needed.extend(flow.nodes.keys().filter(|inner| parent(inner) == Some(&id)).cloned());
            }
            for name in [settings(&id).names.as_str(), given_name(&id).unwrap_or_default()] {
                let maker = flow.nodes.keys().find(|id| id.as_str() == name && is(flow, id, "context"));
                needed.extend(maker.cloned());
            }
        }
        if needed.iter().any(named_at_run_time) {
            let named =
                flow.nodes.keys().filter(|id| is(flow, id, "context") && !runs_per_iteration(flow, id));
            needed.extend(named.cloned());
        }
        if needed.len() == count {
            break;
        }
    }
    let around_target: BTreeSet<NodeId> = path(flow, target).cloned().collect();
    let mut flow = flow.clone();
    flow.nodes.retain(|id, _| needed.contains(id));
    flow.edges.retain(|_, edge| needed.contains(&edge.source) && needed.contains(&edge.target));
    for (_, node) in flow.nodes.iter_mut().filter(|(id, _)| around_target.contains(*id)) {
        if node.config.contains_key("concurrency") {
            node.config.insert("concurrency".to_owned(), 1.into());
        }
    }
    flow
}

#[test]
fn run_to_node_stops_when_it_has_finished() {
    assert_holds(200, 12, check_run_to_node_stops_when_it_has_finished);
}

#[test]
fn run_to_node_in_or_behind_a_loop_stops_when_it_has_finished() {
    assert_holds_with_loops(200, check_run_to_node_stops_when_it_has_finished);
}

fn check_run_to_node_stops_when_it_has_finished(case: &Case) -> Result<(), TestCaseError> {
    let target = target(case);
    let part = ancestors(case, &target);
    let analysis = FlowAnalysis::to_node(&part, &case.overrides, Some(&target));
    let plan = case.plan_to(Some(&target));
    let (analysis, plan) = match (analysis, plan) {
        (Ok(analysis), Ok(plan)) => (analysis, plan),
        (Err(_), Err(_)) => return Err(TestCaseError::reject("refused")),
        (Ok(analysis), Err(found)) if is_limit_of_engine(&analysis, &errors(&found)) => {
            return Err(TestCaseError::reject("refused"));
        }
        (ours, theirs) => {
            return Err(TestCaseError::fail(format!(
                "to {target}: the reference says {:?}, the engine {:?}",
                ours.err(),
                theirs.err()
            )));
        }
    };
    for scope in analysis.scopes() {
        assert_same_plan(scope, &plan)?;
    }
    let expected = expected(case, &analysis)?;
    // Of a loop, not the tests of its condition, which are in its iterations.
    let depths = expected.activations.keys().filter(|at| at.node == target).map(|at| at.epoch.depth());
    let depth = depths.min().unwrap_or_default();
    let is_target = |at: &Activation| at.node == target && at.epoch.depth() == depth;
    let finished = |(at, record): (&Activation, &ActivationRecord)| {
        is_target(at) && matches!(record.end, Some(Final::Finished(_)))
    };
    if expected.in_part.iter().any(finished) {
        return Err(TestCaseError::reject(
            "whether it finishes before an iteration is stopped depends on timing",
        ));
    }
    let scenario = case.scenario(plan);
    let run = scenario.run(Schedule::seeded(case.seed));
    let summary = summarize(&run.entries).map_err(TestCaseError::fail)?;
    let journal = || format!("to {target}\n{}", format_journal(&run.entries));
    let mut reached =
        expected.activations.iter().filter(|(at, _)| is_target(at)).filter_map(|(at, record)| match &record
            .end
        {
            Some(Final::Finished(outputs)) => Some((at, outputs.clone())),
            _ => None,
        });
    let fails = matches!(expected.end, ExpectedEnd::Failed { .. });
    let Some((first, outputs)) = reached.next() else {
        if !fails && !matches!(expected.end, ExpectedEnd::Waiting { .. }) {
            prop_assert_eq!(final_outputs(&summary), BTreeMap::new(), "{}", journal());
            // What an iteration makes ends with it.
            for (id, history) in &expected.contexts {
                prop_assert_eq!(summary.contexts.get(id), Some(history), "{}", journal());
            }
            return assert_matches_in_part(&run, &summary, &expected);
        }
        return assert_matches(&scenario, &run, &expected);
    };
    assert_matches_in_part(&run, &summary, &expected)?;
    if fails && run.ending == Ending::Ended(RunEnd::Failed) {
        return Ok(());
    }
    prop_assert_eq!(&run.ending, &Ending::Ended(RunEnd::Finished), "{}", journal());
    assert_all_final(&scenario, &run, &summary)?;
    let only: BTreeMap<_, _> =
        [(target.clone(), outputs)].into_iter().filter(|(_, outputs)| !outputs.is_empty()).collect();
    prop_assert_eq!(final_outputs(&summary), only, "{}", journal());
    let finished = summary
        .activations
        .iter()
        .filter(|(at, record)| is_target(at) && matches!(record.end, Some(Final::Finished(_))));
    prop_assert_eq!(finished.map(|(at, _)| at).collect::<Vec<_>>(), vec![first], "{}", journal());
    if analysis.back_edges().is_empty() && expected.iterations.is_empty() && !fails {
        // Without cycles and loops, every activation is needed.
        prop_assert_eq!(&summary.activations, &expected.activations, "{}", journal());
    }
    Ok(())
}
