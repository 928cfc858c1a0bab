//! "Run to X" runs what X depends on, stops when X has finished once, and has the outputs of X.

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::flow::Flow;
use plait_engine::id::NodeId;
use plait_engine::journal::RunEnd;
use proptest::prelude::*;

use super::matches_reference::{assert_matches, assert_matches_in_part, final_outputs, is_limit_of_engine};
use super::{assert_all_final, assert_holds, errors, expected};
use crate::generate::Case;
use crate::journal_summary::{Final, format_journal, summarize};
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
fn before(flow: &Flow, id: &NodeId) -> BTreeSet<NodeId> {
    let mut found = sources(flow, id);
    loop {
        let count = found.len();
        found.extend(found.clone().iter().flat_map(|id| sources(flow, id)));
        if found.len() == count {
            return found;
        }
    }
}

/// Whether a node is in a cycle or behind one, so that its contexts have a new name in every iteration.
fn runs_per_iteration(flow: &Flow, id: &NodeId) -> bool {
    let mut all = before(flow, id);
    all.insert(id.clone());
    all.iter().any(|id| before(flow, id).contains(id))
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
    let settings =
        |id: &NodeId| -> Settings { serde_json::from_value(flow.nodes[id].config.clone().into()).unwrap() };
    let named_at_run_time = |id: &NodeId| {
        let mut edges =
            flow.edges.values().filter(|edge| edge.target == *id && edge.target_input.as_str() == "who");
        edges.any(|edge| !is(flow, &edge.source, "context"))
            || case.overrides.get(id).is_some_and(|ports| ports.contains_key("who"))
    };
    let mut needed = BTreeSet::from([target.clone()]);
    loop {
        let count = needed.len();
        for id in needed.clone() {
            needed.extend(sources(flow, &id));
            needed.extend(
                flow.nodes.get_key_value(settings(&id).names.as_str()).map(|(maker, _)| maker.clone()),
            );
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
    let mut flow = flow.clone();
    flow.nodes.retain(|id, _| needed.contains(id));
    flow.edges.retain(|_, edge| needed.contains(&edge.source) && needed.contains(&edge.target));
    flow
}

#[test]
fn run_to_node_stops_when_it_has_finished() {
    assert_holds(200, 12, check_run_to_node_stops_when_it_has_finished);
}

fn check_run_to_node_stops_when_it_has_finished(case: &Case) -> Result<(), TestCaseError> {
    let target = target(case);
    let part = ancestors(case, &target);
    let analysis = FlowAnalysis::with_overrides(&part, &case.overrides);
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
    let order: Vec<_> = plan.nodes.iter().map(|node| node.id.clone()).collect();
    prop_assert_eq!(&analysis.order, &order, "plan order");
    let expected = expected(case, &analysis)?;
    let scenario = case.scenario(plan);
    let run = scenario.run(Schedule::seeded(case.seed));
    let summary = summarize(&run.entries).map_err(TestCaseError::fail)?;
    let journal = || format!("to {target}\n{}", format_journal(&run.entries));
    let mut reached =
        expected.activations.iter().filter(|(at, _)| at.node == target).filter_map(|(at, record)| {
            match &record.end {
                Some(Final::Finished(outputs)) => Some((at, outputs.clone())),
                _ => None,
            }
        });
    let fails = matches!(expected.end, ExpectedEnd::Failed { .. });
    let Some((first, outputs)) = reached.next() else {
        if !fails && !matches!(expected.end, ExpectedEnd::Waiting { .. }) {
            prop_assert_eq!(final_outputs(&summary), BTreeMap::new(), "{}", journal());
            prop_assert_eq!(&summary.contexts, &expected.contexts, "{}", journal());
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
        .filter(|(at, record)| at.node == target && matches!(record.end, Some(Final::Finished(_))));
    prop_assert_eq!(finished.map(|(at, _)| at).collect::<Vec<_>>(), vec![first], "{}", journal());
    if analysis.back_edges().is_empty() && !fails {
        // Without cycles, every activation is needed.
        prop_assert_eq!(&summary.activations, &expected.activations, "{}", journal());
    }
    Ok(())
}
